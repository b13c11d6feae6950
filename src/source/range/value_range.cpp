#include "source/range/value_range.hpp"

#include <algorithm>
#include <utility>

namespace bankwise::source {

maybe_range limited(std::int64_t a, std::int64_t b) {
  if (a > b) std::swap(a, b);
  return a < -largest_value || b > largest_value ? std::nullopt : maybe_range({a, b});
}

maybe_range sum(const maybe_range& a, const maybe_range& b, bool minus) {
  if (!a || !b) return std::nullopt;
  return minus ? limited(a->least - b->most, a->most - b->least) : limited(a->least + b->least, a->most + b->most);
}

maybe_range product(const maybe_range& a, const maybe_range& b) {
  constexpr std::int64_t root = std::int64_t{1} << 31;
  if (!a || !b) return std::nullopt;
  for (const std::int64_t x : {a->least, a->most, b->least, b->most})
    if (x < -root || x > root) return std::nullopt;
  const auto all = {a->least * b->least, a->least * b->most, a->most * b->least, a->most * b->most};
  return limited(std::min(all), std::max(all));
}

bool is_fixed(const maybe_range& x) { return x && x->least == x->most; }

maybe_range quotient(const maybe_range& a, const maybe_range& b) {
  if (!a || !is_fixed(b) || b->least <= 0) return std::nullopt;
  return limited(a->least / b->least, a->most / b->least);
}

maybe_range remainder(const maybe_range& a, const maybe_range& b) {
  if (!is_fixed(b) || b->least <= 0) return std::nullopt;
  if (a && a->least >= 0) return a->most < b->least ? a : limited(0, b->least - 1);
  return limited(-(b->least - 1), b->least - 1);
}

maybe_range masked(const maybe_range& a, const maybe_range& b) {
  const bool has_a = a && a->least >= 0, has_b = b && b->least >= 0;
  if (has_a && has_b) return limited(0, std::min(a->most, b->most));
  return has_b && is_fixed(b) ? limited(0, b->most) : has_a && is_fixed(a) ? limited(0, a->most) : std::nullopt;
}

maybe_range joined(const maybe_range& a, const maybe_range& b) {
  if (!a || !b || a->least < 0 || b->least < 0) return std::nullopt;
  std::int64_t all = 1;
  while (all <= std::max(a->most, b->most)) all *= 2;
  return limited(0, all - 1);
}

maybe_range shifted(const maybe_range& a, const maybe_range& b, bool left) {
  if (!a || !is_fixed(b) || b->least < 0 || b->least > 31 || a->least < 0) return std::nullopt;
  const std::int64_t by = std::int64_t{1} << b->least;
  return left ? product(a, maybe_range({by, by})) : limited(a->least / by, a->most / by);
}

maybe_range either(const maybe_range& a, const maybe_range& b) {
  if (!a || !b) return std::nullopt;
  return limited(std::min(a->least, b->least), std::max(a->most, b->most));
}

}  // namespace bankwise::source
