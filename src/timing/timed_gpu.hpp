// The GPU for which times are predicted. It is found by its name, or its parameters are in a file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "timing/gpu_parameters.hpp"

namespace bankwise::timing {

struct timed_gpu {
  std::string title;
  gpu_parameters parameters;
  bool is_assumed = false;  // whether some or all parameters are scaled from another GPU
  bool is_probed = false;   // whether the parameters come from a file
};

// Whether the value of --gpu is the path of a file: it contains a slash, or ends with ".csv".
bool is_parameter_file(std::string_view word);
// Reads the file, or finds the name ("" is the H100 SXM). An error says what is wrong.
result<timed_gpu> read_timed_gpu(const std::string& word);
// Finds the GPU for each launch of a program. Reads a file only once. Null if there is an error.
const timed_gpu* find_timed_gpu(const std::string& word);

}  // namespace bankwise::timing
