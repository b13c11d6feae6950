// The answer of `bankwise run` as text: the cost of each source line and instruction of a launch.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// If the code was compiled for nvcc's default GPU, returns a sentence with the name of this GPU. The sentence explains
// how to choose a different GPU. Returns an empty string for other code.
std::string default_arch_note(const report& r);

// Returns a line for each library function that was computed on the host.
std::string library_calls_text(const report& r);
std::string to_text(const report& r, const style& s, const run_text_options& options);

}  // namespace bankwise
