// Prints an instruction as text, in nvdisasm's spelling: "@!P0 STS [R8+0x800], R7".
#pragma once

#include <cstdint>
#include <string>

#include "sass/instruction.hpp"

namespace bankwise::sass {

// Returns the text of an instruction. Branch targets count from the same base as `pc`. If `pc` is the byte offset in
// the function, nvdisasm prints the same numbers. An unknown opcode is printed as its encoding. `sm`: the number of the
// GPU, or 0. A few words depend on the GPU.
std::string to_text(const instruction& i, std::uint64_t pc, std::uint32_t sm = 0);
// Returns the text of an instruction with ".reuse" marks. nvdisasm prints these marks, but Nsight Compute does not.
std::string to_text_with_reuse(const instruction& i, std::uint64_t pc, std::uint32_t sm = 0);

}  // namespace bankwise::sass
