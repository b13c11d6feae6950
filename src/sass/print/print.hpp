// Prints an instruction as text, in nvdisasm's spelling: "@!P0 STS [R8+0x800], R7".
#pragma once

#include <cstdint>
#include <string>

#include "sass/instruction.hpp"

namespace bankwise::sass {

// Branch targets are relative to the same base as `pc`. If `pc` is the byte offset in the function, the text contains
// the numbers that nvdisasm prints. An unknown opcode is printed as its encoding. A few words are different for one GPU
// of an instruction set. `sm` is the number of this GPU, or 0 for any GPU.
std::string to_text(const instruction& i, std::uint64_t pc, std::uint32_t sm = 0);
// The same text with ".reuse" marks, which nvdisasm prints. Nsight Compute does not print these marks.
std::string to_text_with_reuse(const instruction& i, std::uint64_t pc, std::uint32_t sm = 0);

}  // namespace bankwise::sass
