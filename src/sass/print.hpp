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

// The address that a branch, call or BSSY names, in the same coordinates as `pc`.
std::uint64_t branch_target(const instruction& i, std::uint64_t pc);

// Of a load, store or atomic on global memory with a uniform register: the register of its address is a pair, [R2.64], and
// not [R2.U32]; the uniform register is a descriptor and no part of the address; the offset.
bool is_wide_address(const instruction& i);
bool has_descriptor(const instruction& i);
std::int64_t global_offset(const instruction& i);

// BRA.DIV and BRA.CONV: the uniform register has the lanes that do not count. sm_75 has no register there.
bool lanes_inverted(const instruction& i);
// Of ATOMS_POPC: no count but an arrival at a barrier, ATOMS.ARRIVE.64.
bool is_shared_arrive(const instruction& i);

}  // namespace bankwise::sass
