// Records where the program called an entry point, to report later where memory was allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankwise::cuda {

// The callers, innermost first, at most four: return addresses in the program and its libraries, without the stand-ins.
std::vector<std::uint64_t> call_sites();

// The sites in words, one line each, the first one after `verb`: "launched in main, at app+0x1b40", "called from ...".
// The host's own stubs of kernels are omitted. It reads files at every call, so call it only at the end of a program.
std::vector<std::string> names_of_calls(const std::string& verb, const std::vector<std::uint64_t>& sites,
                                        const std::string& kernel = {});

}  // namespace bankwise::cuda
