// The checks that ptxas adds to instructions of tcgen05. A failed check calls a function that traps. The function's
// name tells what is wrong.
#pragma once

#include <cstdint>

#include "cubin/program.hpp"

namespace bankwise::emulate {

struct guardrail {
  const char* function = nullptr;  // rest of the function's name after the prefix __cuda_sm10x_tcgen05_guardrail_trap_
  const char* message = nullptr;
  const char* help = nullptr;
};

// The check whose function contains the instruction at this address. Null if there is no such check.
const guardrail* guardrail_at(const cubin::program& p, std::uint64_t pc);

}  // namespace bankwise::emulate
