#include "emulate/counting/follow/kept_range.hpp"

#include <algorithm>
#include <limits>

namespace bankwise::emulate {

namespace {

// `by`: how the difference a - b depends on blockIdx in these lanes.
void keep_comparison(followed_operation& o, const sass::integer_comparison& f, const std::uint32_t* a,
                     const std::uint32_t* b, std::uint32_t lanes, const block_factors& by) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  // distance from zero of the largest negative difference and of the smallest positive difference
  std::int64_t below = none, above = none;
  bool equal = false;
  for (int i = 0; i < 32; ++i) {
    if ((lanes >> i & 1) == 0) continue;
    const std::int64_t d = as_number(a[i], f.is_signed) - as_number(b[i], f.is_signed);
    equal = equal || d == 0;
    if (d < 0) below = std::min(below, -d);
    if (d > 0) above = std::min(above, d);
  }
  using relation = sass::integer_relation;
  const bool splits_below = f.relation == relation::less ||
                            // < and >= treat zero like positive differences
                            f.relation == relation::greater_equal;
  const bool splits_above =
      // <= and > treat zero like negative differences
      f.relation == relation::less_equal || f.relation == relation::greater;
  const bool tells_equal = f.relation == relation::equal || f.relation == relation::not_equal;
  if (!splits_below && !splits_above && !tells_equal) return;
  if (tells_equal && equal) o.blocks.pin({.by = by, .lanes = ~0u});
  if (below != none) o.blocks.keep(splits_above ? below : below - 1, negated(by));
  if (above != none) o.blocks.keep(splits_below ? above : above - 1, by);
  if (equal && splits_below) o.blocks.keep(0, by);
  if (equal && splits_above) o.blocks.keep(0, negated(by));
}

}  // namespace

void keep_in_range(followed_operation& o, const source& s, bool is_signed) {
  const register_form* f = o.form_of(s);
  if (f == nullptr) return;
  const std::uint32_t lanes = f->lanes & (s.kind == source_kind::uniform ? ~0u : o.mask);
  const std::uint32_t* x = o.m.operand_row(s, 0);
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < 32; ++i) {
    if ((lanes >> i & 1) == 0) continue;
    least = std::min(least, as_number(x[i], is_signed));
    most = std::max(most, as_number(x[i], is_signed));
  }
  if (least > most) return;
  const block_factors by = f->by;
  o.blocks.keep(as_number(is_signed ? 0x7fffffffu : ~0u, is_signed) - most, negated(by));
  o.blocks.keep(least - as_number(is_signed ? 0x80000000u : 0, is_signed), by);
}

void follow_comparison(followed_operation& o) {
  o.tighten_reads();
  const auto& f = o.u.as<sass::integer_comparison>();
  const source* const sources[2] = {&o.u.a, &o.u.b};
  const register_form* const of_blocks[2] = {o.form_of(o.u.a), o.form_of(o.u.b)};
  if (o.predicates_vary() || (of_blocks[0] != nullptr && of_blocks[0]->is_part) ||
      (of_blocks[1] != nullptr && of_blocks[1]->is_part))
    return o.pin_reads();
  if (of_blocks[0] == nullptr && of_blocks[1] == nullptr) return;
  for (const source* s : sources) keep_in_range(o, *s, f.is_signed);
  const std::uint32_t *a = o.m.operand_row(o.u.a, 0), *b = o.m.operand_row(o.u.b, 1);
  // Compares two operands. Handles three groups of lanes separately, because the first operand, the second operand, or
  // both operands can depend on blockIdx.
  for (unsigned which = 1; which < 4; ++which) {
    block_factors by{};
    std::uint32_t lanes = o.u.uniform_guard ? 1 : o.mask;
    for (unsigned n = 0; n < 2; ++n) {
      const std::uint32_t has = of_blocks[n] == nullptr ? 0 : of_blocks[n]->lanes;
      lanes &= (which >> n & 1) != 0 ? has : ~has;
      for (int i = 0; i < 3; ++i)
        if ((which >> n & 1) != 0 && of_blocks[n] != nullptr)
          by[i] += n == 0 ? of_blocks[n]->by[i] : -of_blocks[n]->by[i];
    }
    if (lanes != 0) keep_comparison(o, f, a, b, lanes, by);
  }
}

}  // namespace bankwise::emulate
