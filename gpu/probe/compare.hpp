// Compares the rule with measurements, and finds a minimal access that shows a difference.
#pragma once

#include <optional>

#include "bankwise/wavefronts.hpp"
#include "meter.hpp"

namespace bankwise::probe {

enum class quantity {
  cycles,      // numbers of clocks, which vary between measurements
  wavefronts,  // numbers of wavefronts, counted by the hardware
};

struct mismatch {
  access what;
  double expected, measured;
};

struct verdict {
  const probed_operation* operation = nullptr;
  quantity measured = quantity::cycles;
  std::size_t patterns = 0, holds = 0;
  // An access with a difference between rule and measurement. The access is as simple as possible: without one of its
  // lanes, or with a simpler address, there is no difference.
  std::optional<mismatch> smallest;
};

// The rule's numbers for an access. If an atomic returns a value, the number of clocks is a range. The upper end is for
// a kernel that needs each value at once. The lower end is for a kernel with enough other work, in which only the
// wavefronts take time.
struct expectation {
  double least, most;
};
expectation expected(const access& a, quantity q, const bank_model& m);
// Whether a measurement agrees with the rule. Clocks may differ a little.
bool agrees(const probed_operation& p, double measured, const expectation& rule, quantity q);

result<verdict> compare(const probed_operation& p, std::span<const access> patterns, quantity q, const meter& measure,
                        const bank_model& m);

// Removes lanes from the access `wrong` and simplifies its addresses as long as the machine and the rule differ. The
// machine and the rule must also differ for `wrong` itself.
result<mismatch> shrink(const probed_operation& p, const mismatch& wrong, quantity q, const meter& measure,
                        const bank_model& m);

}  // namespace bankwise::probe
