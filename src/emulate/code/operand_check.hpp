// Executes an instruction while everything that it does not name is hidden, and checks that nothing else has changed.
//
//     IADD3 R0, R1, 0x4, RZ       R2 to R254, all predicates, uniform registers and barriers hold random values while
//                                 it runs; after it, these must be unchanged, and R0 must be new
//
// The check shows that sass/operand/operands.hpp is exact. Analyses slice code with it (which values does an address
// depend on?) and rely on it. For tests only: an instruction takes some thousand times as long.
#pragma once

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// Runs u.checked; a fault names the operand if the row of the instruction lacks one.
step run_with_operands_checked(worker& m, const micro_op& u, std::uint32_t mask);

}  // namespace bankwise::emulate
