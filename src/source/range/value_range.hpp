// Arithmetic on ranges of values. The result is unknown if an operand is unknown. Very large results are also unknown,
// because their sums might overflow.
#pragma once

#include <cstdint>
#include <optional>

namespace bankwise::source {

struct value_range {
  std::int64_t least = 0, most = 0;

  friend bool operator==(const value_range&, const value_range&) = default;
};
using maybe_range = std::optional<value_range>;

// the sum of two values up to this size does not overflow
inline constexpr std::int64_t largest_value = std::int64_t{1} << 44;

// Returns nothing if a bound exceeds largest_value.
maybe_range limited(std::int64_t a, std::int64_t b);
bool is_fixed(const maybe_range& x);

maybe_range sum(const maybe_range& a, const maybe_range& b, bool minus);
maybe_range product(const maybe_range& a, const maybe_range& b);
maybe_range quotient(const maybe_range& a, const maybe_range& b);
// Returns the range of a remainder. A remainder may be negative if the dividend may be negative.
maybe_range remainder(const maybe_range& a, const maybe_range& b);
maybe_range masked(const maybe_range& a, const maybe_range& b);
// Returns the range of | or ^. This range includes all bits up to the highest bit of either operand.
maybe_range joined(const maybe_range& a, const maybe_range& b);
maybe_range shifted(const maybe_range& a, const maybe_range& b, bool left);
maybe_range either(const maybe_range& a, const maybe_range& b);

}  // namespace bankwise::source
