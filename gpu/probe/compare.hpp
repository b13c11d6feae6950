// Compares the rule with measurements, and finds a smallest access that shows a difference.
#pragma once

#include <optional>

#include "bankwise/wavefronts.hpp"
#include "meter.hpp"

namespace bankwise::probe {

enum class quantity {
  cycles,      // in clocks, which vary between measurements
  wavefronts,  // as counted by the hardware
};

struct mismatch {
  access what;
  double expected, measured;
};

struct verdict {
  const probed_operation* operation = nullptr;
  quantity measured = quantity::cycles;
  std::size_t patterns = 0, holds = 0;
  // A smallest access with a difference. If a lane is removed or an address is simplified, it has no difference.
  std::optional<mismatch> smallest;
};

// The rule's numbers for an access. For an atomic that returns a value, the clocks are a range. The upper end is the
// time in a kernel that needs each value at once. In a kernel with enough other work, only the wavefronts take time.
struct expectation {
  double least, most;
};
expectation expected(const access& a, quantity q, const bank_model& m);
// Whether a measurement agrees with the rule. Clocks may differ a little.
bool agrees(const probed_operation& p, double measured, const expectation& rule, quantity q);

result<verdict> compare(const probed_operation& p, std::span<const access> patterns, quantity q, const meter& measure,
                        const bank_model& m);

// Removes lanes from the access `wrong` and simplifies its addresses while the machine and the rule still differ. They
// must differ for `wrong`.
result<mismatch> shrink(const probed_operation& p, const mismatch& wrong, quantity q, const meter& measure,
                        const bank_model& m);

}  // namespace bankwise::probe
