// The checks that ptxas adds to instructions of tcgen05. A check that fails calls a function that traps. The name of
// the function shows what is wrong.
#pragma once

#include <cstdint>

#include "cubin/program.hpp"

namespace bankwise::emulate {

struct guardrail {
  const char* function = nullptr;  // name of the function after the prefix __cuda_sm10x_tcgen05_guardrail_trap_
  const char* message = nullptr;
  const char* help = nullptr;
};

// The check whose function has an instruction at this address, or null.
const guardrail* guardrail_at(const cubin::program& p, std::uint64_t pc);

}  // namespace bankwise::emulate
