// The answer of `bankwise run`: what each source line and instruction of a launch costs, as text.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/json/write_report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Of code for the GPU that nvcc takes where nobody names one: that the counts are for it, and how to choose another. Else empty.
std::string default_arch_note(const report& r);

// Of each function of a library that the host computed, a line.
std::string library_calls_text(const report& r);
std::string to_text(const report& r, const style& s, const run_text_options& options);

}  // namespace bankwise
