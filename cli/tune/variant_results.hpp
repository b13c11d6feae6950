// The results of a variant: what its run left in the buffers of out: arguments, or printed. They are compared with those
// of the first variant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run/kernel_arguments.hpp"

namespace bankwise::cli {

// A buffer that a kernel writes: argument 2, or "2.1" for a field of a struct.
struct result_place {
  std::string place;
  argument_type type;
};
// Returns the buffers of out: in these arguments.
std::vector<result_place> result_places(const std::vector<std::string>& arguments);

struct variant_results {
  std::vector<result_place> places;
  std::vector<std::string> bytes;  // contents of each buffer
  std::string printed;             // of a program
};

// Returns how the results differ, or an empty text. Floating-point numbers may differ by `tolerance`, relative to the
// largest number of the first buffer. Without a tolerance, it depends on the type: 1e-9 for f64, 1e-4 for f32, 1e-2 for
// f16 and bf16. Numbers that a program prints must be equal without a tolerance, except times.
std::string compare_results(const variant_results& first, const variant_results& other,
                            const std::optional<double>& tolerance);

}  // namespace bankwise::cli
