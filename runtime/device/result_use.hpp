// Whether the program uses the value that a function of CUDA returned: looks at the machine code after the call.
#pragma once

#include <cstdint>
#include <vector>

namespace bankwise::cuda {

// `sites`: the return addresses of the callers, innermost first. Returns false only if the code after the call surely
// overwrites the returned value. If a caller returns the value, its own caller is examined.
bool uses_result(const std::vector<std::uint64_t>& sites);

// What the code at an address does with the value in the register eax.
enum class result_use : std::uint8_t { used, overwritten, returned };
result_use use_at(const unsigned char* code, unsigned most_instructions = 24);

}  // namespace bankwise::cuda
