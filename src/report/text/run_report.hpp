// The answer of `bankwise run`: what each source line and instruction of a launch costs, as text.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/json/write_report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// For code that was compiled for nvcc's default GPU: a sentence that the counts are for this GPU, and how to choose
// another. Empty for other code.
std::string default_arch_note(const report& r);

// One line for each library function that was computed on the host.
std::string library_calls_text(const report& r);
std::string to_text(const report& r, const style& s, const run_text_options& options);

}  // namespace bankwise
