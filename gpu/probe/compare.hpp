// Compares the rule with measurements, and finds the smallest access that shows a difference.
#pragma once

#include <optional>

#include "bankwise/wavefronts.hpp"
#include "meter.hpp"

namespace bankwise::probe {

enum class quantity {
  cycles,      // measured in time, so they vary
  wavefronts,  // counted
};

struct mismatch {
  access what;
  double expected, measured;
};

struct verdict {
  const probed_operation* operation = nullptr;
  quantity measured = quantity::cycles;
  std::size_t patterns = 0, holds = 0;
  // minimal: the difference disappears if a lane is removed or an address simplified
  std::optional<mismatch> smallest;
};

// The rule's numbers for an access. For an atomic that returns a value, the clocks are in a range. The upper end
// applies to a kernel that needs each value soon. A kernel with enough other work takes only the wavefronts.
struct expectation {
  double least, most;
};
expectation expected(const access& a, quantity q, const bank_model& m);
// Whether a measurement agrees with the rule, within the variation of clocks.
bool agrees(const probed_operation& p, double measured, const expectation& rule, quantity q);

result<verdict> compare(const probed_operation& p, std::span<const access> patterns, quantity q, const meter& measure,
                        const bank_model& m);

// Removes lanes from `wrong`, and simplifies its addresses, as long as the machine and the rule differ. `wrong` itself
// must be an access for which they differ.
result<mismatch> shrink(const probed_operation& p, const mismatch& wrong, quantity q, const meter& measure,
                        const bank_model& m);

}  // namespace bankwise::probe
