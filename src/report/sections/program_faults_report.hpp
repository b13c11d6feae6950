// The part of a report about faults of the program's calls: wrong frees, leaks, copies of unwritten bytes.
#pragma once

#include <cstddef>
#include <string>

#include "model/report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns a text that ends with a newline. Returns an empty string if there are no faults. Lists at most `left` faults,
// and subtracts their number from `left`.
std::string program_faults_text(const report& r, const style& s, std::size_t& left);
// Returns "2 memory errors", "leaked 3 allocations, 12 MB", "1 copy of unwritten bytes", or an empty string.
std::string program_faults_sentence(const report& r);
// Whether some fault, or an error that the program did not look at, fails a run that checks memory.
bool has_program_error(const report& r);

}  // namespace bankwise
