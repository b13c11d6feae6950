// The interface of a meter for accesses. A meter is a GPU, or an invented machine in a test.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bankwise/access.hpp"
#include "base/result.hpp"

namespace bankwise::probe {

// Limit of addresses. Every GPU since Tesla 10 has this much shared memory for a block, in addition to other data of
// the kernels.
inline constexpr u32 address_limit = 32768;

// An operation that the probe can measure.
struct probed_operation {
  const char* name;  // name in tables: "ld.b32", "ldmatrix.x4.trans"
  operation op;
  unsigned first_sm;  // first architecture with the operation
  const char* ptx;    // instruction; ADDRESS is the operand in shared memory, SOURCE the operand in global memory
  unsigned results;   // how many of %x0 to %x3 the instruction writes
  // The allowed difference from the rule, relative to the time of an access. A difference of 0.45 clocks is always
  // allowed.
  double scatter;
};
std::span<const probed_operation> probed_operations();
// Whether the operation can be measured on sm_<sm>. Operations that are new in sm_100 can be measured only on known
// architectures.
bool is_probed_on(const probed_operation& p, unsigned sm);
// Finds an operation by its name. Null if there is none.
const probed_operation* find_probed(std::string_view name);

// Measures accesses of one operation. Returns a number for each access, in the order of the accesses. The number is,
// for example, the clocks of a saturated pipe, or the wavefronts. Addresses are below `address_limit` and multiples of the width. An error means that no access
// was measured.
using meter = std::function<result<std::vector<double>>(const probed_operation& p, std::span<const access>)>;

}  // namespace bankwise::probe
