// The interface of a meter for accesses: a GPU, or in tests an invented machine.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bankwise/access.hpp"
#include "base/result.hpp"

namespace bankwise::probe {

// Every GPU since Tesla 10 has this much shared memory for a block, in addition to other data of the kernels.
inline constexpr u32 address_limit = 32768;

// An operation that the probe can measure.
struct probed_operation {
  const char* name;  // as in tables: "ld.b32", "ldmatrix.x4.trans"
  operation op;
  unsigned first_sm;  // the first architecture that supports it
  const char* ptx;  // the instruction; ADDRESS stands for its operand in shared memory, SOURCE for one in global memory
  unsigned results;  // how many of %x0 to %x3 are written
  // the allowed difference from the rule, relative to the time of an access; 0.45 of a clock is always allowed
  double scatter;
};
std::span<const probed_operation> probed_operations();
// Whether it can be measured on sm_<sm>. Operations that are new in sm_100 can be measured only on known architectures.
bool is_probed_on(const probed_operation& p, unsigned sm);
// By its name; null if there is none.
const probed_operation* find_probed(std::string_view name);

// Measures accesses of one operation, and returns one number for each, in order: for example clocks of a saturated
// pipe, or wavefronts. Addresses are below `address_limit` and multiples of the width. An error applies to all of them.
using meter = std::function<result<std::vector<double>>(const probed_operation& p, std::span<const access>)>;

}  // namespace bankwise::probe
