// The parts of a report about launches that CUDA refused, and about calls whose errors the program did not look at.
#pragma once

#include <cstddef>
#include <string>

#include "model/report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Each text ends with a newline, or is empty.
std::string refused_text(const report& r, const style& s);
// Lists at most `left` calls, and subtracts their number from `left`.
std::string ignored_errors_text(const report& r, const style& s, std::size_t& left);
// Returns a sentence such as "2 launches of big(float*) failed". Counts only launches whose error the program did not
// look at. Returns an empty string if there are none.
std::string unhandled_sentence(const report& r);

}  // namespace bankwise
