// The jumps of a section to itself or to an earlier instruction, which end loops.
#pragma once

#include <cstddef>

#include "sass/instruction.hpp"
#include "sass/operand/branch.hpp"

namespace bankwise::sass {

// Calls visit(first, last) for each: the indices of the instruction at which the jump arrives, and of the jump.
template <class Visit>
void each_back_jump(byte_span code, isa set, const Visit& visit) {
  for (std::size_t n = 0; (n + 1) * instruction_bytes <= code.size(); ++n) {
    const instruction i = load_instruction(code.data() + n * instruction_bytes, set);
    const opcode_info* const info = i.info();
    if (info == nullptr || (info->op != opcode::BRA && info->op != opcode::BRA_U)) continue;
    const std::uint64_t target = branch_target(i, n * instruction_bytes);
    if (target % instruction_bytes == 0 && target / instruction_bytes <= n) visit(target / instruction_bytes, n);
  }
}

}  // namespace bankwise::sass
