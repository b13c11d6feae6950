// An instruction as text, in nvdisasm's spelling: "@!P0 STS [R8+0x800], R7".
#pragma once

#include <cstdint>
#include <string>

#include "sass/instruction.hpp"

namespace bankwise::sass {

// `pc` is the address that branch targets are relative to: the byte offset in the function gives nvdisasm's numbers.
// An opcode that is not in the table prints as its encoding.
std::string to_text(const instruction& i, std::uint64_t pc);
// The same with ".reuse" marks, which nvdisasm prints and Nsight Compute does not.
std::string to_text_with_reuse(const instruction& i, std::uint64_t pc);

}  // namespace bankwise::sass
