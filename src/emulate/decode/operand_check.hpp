// Checks an instruction's operands. All registers except these operands contain wrong values while the instruction
// runs.
//
//     IADD3 R0, R1, 0x4, RZ       R2 to R254, all predicates, uniform registers and barriers hold random values while
//                                 it runs; it must leave them unchanged, and write R0
//
// The check shows that the lists of operands in sass/operand/operands.hpp are exact. Analyses that slice code rely on
// these lists. Only tests use the check, because it makes instructions some thousand times slower.
#pragma once

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// Runs u.checked. If the instruction accesses a register that its row does not name, reports a fault that names this
// register.
step run_with_operands_checked(worker& m, const micro_op& u, std::uint32_t mask);

}  // namespace bankwise::emulate
