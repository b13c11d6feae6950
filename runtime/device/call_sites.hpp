// Where in the program an entry point was called from, for those who ask afterwards where memory came from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankwise::cuda {

// The calls that led here, innermost first, at most four: return addresses in the program and its libraries, not in those that
// stand in for CUDA.
std::vector<std::uint64_t> call_sites();

// The sites in words, a line each, the first behind `verb`: "launched in main, at app+0x1b40", "called from ...". Without
// the host's own stubs of kernels. Reads files at every call: for the end of a program.
std::vector<std::string> names_of_calls(const std::string& verb, const std::vector<std::uint64_t>& sites,
                                        const std::string& kernel = {});

}  // namespace bankwise::cuda
