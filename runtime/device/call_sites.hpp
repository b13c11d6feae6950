// Finds the places where the program called an entry point, so that a report can show where memory was allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankwise::cuda {

// Returns at most four return addresses of callers in the program and its libraries, innermost first. Callers in the
// stand-ins are skipped.
std::vector<std::uint64_t> call_sites();

// Describes each call site in a line: "launched in main, at app+0x1b40", "called from ...". Only the first line begins
// with `verb`. Host stubs of kernels are skipped. The first call for a place reads files.
std::vector<std::string> names_of_calls(const std::string& verb, const std::vector<std::uint64_t>& sites,
                                        const std::string& kernel = {});

}  // namespace bankwise::cuda
