// Checks an instruction's operands: executes it while all registers that it does not name hold wrong values.
//
//     IADD3 R0, R1, 0x4, RZ       R2 to R254, all predicates, uniform registers and barriers hold random values while
//                                 it runs; it must leave them unchanged, and write R0
//
// The check shows that sass/operand/operands.hpp is exact. Analyses rely on its lists of operands when they slice code.
// Only tests use the check, because it makes an instruction some thousand times as slow.
#pragma once

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// Runs u.checked. If the instruction accesses a register that its row does not name, the fault names that register.
step run_with_operands_checked(worker& m, const micro_op& u, std::uint32_t mask);

}  // namespace bankwise::emulate
