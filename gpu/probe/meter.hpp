// The interface of meters, which measure accesses. A meter is a GPU. In tests, it is an invented machine.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bankwise/access.hpp"
#include "base/result.hpp"

namespace bankwise::probe {

// Limit of addresses. On every GPU since Tesla 10, a block can have this much shared memory, and some more for other
// data.
inline constexpr u32 address_limit = 32768;

// An operation that a probe measures.
struct probed_operation {
  const char* name;  // name in tables, such as "ld.b32" or "ldmatrix.x4.trans"
  operation op;
  unsigned first_sm;  // first architecture that has the operation
  const char* ptx;    // instruction; ADDRESS is the operand in shared memory, SOURCE is the operand in global memory
  unsigned results;   // number of registers %x0 to %x3 that the instruction writes
  // Accepted difference from the rule, relative to the time of an access. A difference of up to 0.45 clocks is always
  // accepted.
  double scatter;
};
std::span<const probed_operation> probed_operations();
// Whether the operation can be measured on sm_<sm>. Operations that are new in sm_100 are measured only on known
// architectures.
bool is_probed_on(const probed_operation& p, unsigned sm);
// Finds an operation by its name. Returns null if there is none.
const probed_operation* find_probed(std::string_view name);

// Measures accesses of one operation. Returns a number for each access, such as the clocks on a saturated pipe or the
// wavefronts. Addresses must be below `address_limit` and multiples of the width. If this returns an error, no access
// was measured.
using meter = std::function<result<std::vector<double>>(const probed_operation& p, std::span<const access>)>;

}  // namespace bankwise::probe
