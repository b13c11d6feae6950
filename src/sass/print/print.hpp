// An instruction as text, in nvdisasm's spelling: "@!P0 STS [R8+0x800], R7".
#pragma once

#include <cstdint>
#include <string>

#include "sass/instruction.hpp"

namespace bankwise::sass {

// `pc` is the address to which branch targets are relative: with the byte offset in the function, the output has
// nvdisasm's numbers. An unknown opcode is printed as its encoding. A few words are different for one GPU of an
// instruction set: `sm`, or 0 for any.
std::string to_text(const instruction& i, std::uint64_t pc, std::uint32_t sm = 0);
// The same with ".reuse" marks, which nvdisasm prints and Nsight Compute does not.
std::string to_text_with_reuse(const instruction& i, std::uint64_t pc, std::uint32_t sm = 0);

}  // namespace bankwise::sass
