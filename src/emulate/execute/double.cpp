// 64-bit floating point. Each operand is in a pair of registers. Results follow IEEE 754. A NaN operand becomes the
// result.
#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/packs.hpp"
#include "emulate/execute/rounding.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

struct double_row {
  const u32 *low, *high;
  u32 keep, flip;
  double_pack pack_at(int i) const {
    return std::bit_cast<double_pack>((join_pack(low + i, high + i) & (u64{keep} << 32 | ~0u)) ^ u64{flip} << 32);
  }
  double at(int i) const { return double_of_bits(join(low[i], (high[i] & keep) ^ flip)); }
};

// `f` computes the result. If the result is NaN, `nan` computes it from the unmodified operands, without absolute value
// and negation.
template <class F, class Nan>
step double_op(worker& m, const micro_op& u, u32 mask, F f, Nan nan) {
  const double_row a{m.operand_row(u.a, 0), m.operand_row(u.a_high, 1), u.keep_a, u.flip_a},
      b{m.operand_row(u.b, 2), m.operand_row(u.b_high, 3), u.keep_b, u.flip_b},
      c{m.operand_row(u.c, 4), m.operand_row(u.c_high, 5), u.keep_c, u.flip_c};
  alignas(32) u32 low[32], high[32];
  {
    const rounding_scope scope(u.as<sass::float_arithmetic>().rounding);
    for (int i = 0; i < 32; i += wide_pack_lanes)
      split_pack(std::bit_cast<wide_pack>(f(a.pack_at(i), b.pack_at(i), c.pack_at(i))), low + i, high + i);
  }
  u32 any_nan = 0;
  for (const u32 top : high) any_nan |= static_cast<u32>((top & 0x7fffffffu) >= 0x7ff00000u);
  for (int i = 0; i < 32 && any_nan != 0; ++i) {
    if (!is_nan_64(join(low[i], high[i]))) continue;
    const u64 r = nan(join(a.low[i], a.high[i]), join(b.low[i], b.high[i]), join(c.low[i], c.high[i]));
    low[i] = static_cast<u32>(r);
    high[i] = static_cast<u32>(r >> 32);
  }
  store(m.w->reg(u.d), low, mask);
  store(m.w->reg(u.d_high), high, mask);
  return step::next;
}
step dadd(worker& m, const micro_op& u, u32 mask) {
  return double_op(
      m, u, mask, [](double_pack x, double_pack, double_pack z) { return x + z; },
      [](u64 x, u64, u64 z) { return nan_of(z, x); });
}
step dmul(worker& m, const micro_op& u, u32 mask) {
  return double_op(
      m, u, mask, [](double_pack x, double_pack y, double_pack) { return x * y; },
      [](u64 x, u64 y, u64) { return nan_of(y, x); });
}
step dfma(worker& m, const micro_op& u, u32 mask) {
  return double_op(
      m, u, mask, [](double_pack x, double_pack y, double_pack z) { return fused(x, y, z); },
      [](u64 x, u64 y, u64 z) { return nan_of(y, z, x); });
}

bool holds_between(double x, double y, sass::float_relation r) {
  using relation = sass::float_relation;
  return holds_for(r, x < y    ? relation::less
                      : x == y ? relation::equal
                      : x > y  ? relation::greater
                               : relation::unordered);
}

step dsetp(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_comparison>();
  const double_row a{m.operand_row(u.a, 0), m.operand_row(u.a_high, 1), u.keep_a, u.flip_a},
      b{m.operand_row(u.b, 2), m.operand_row(u.b_high, 3), u.keep_b, u.flip_b};
  u32 r = 0, other = 0;
  for (int i = 0; i < 32; ++i) {
    const double x = a.at(i), y = b.at(i);
    bool is = false, second = false;
    if (f.relation == sass::double_minimum || f.relation == sass::double_maximum) {
      const bool minimum = f.relation == sass::double_minimum;
      const bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
      const bool greater = x > y || (x == y && !std::signbit(x) && std::signbit(y));
      is = x == x && (y != y || (minimum ? less : greater));
      second = x != x && y != y;
    } else {
      is = holds_between(x, y, f.relation);
      second = !is;
    }
    r |= static_cast<u32>(is) << i;
    other |= static_cast<u32>(second) << i;
  }
  const u32 p = m.predicate(u.q0, u.q0_flip);
  m.set_predicate(u.p0, combine(r, p, f.combine), mask);
  m.set_predicate(u.p1, combine(other, p, f.combine), mask);
  return step::next;
}

}  // namespace

void add_double(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::DADD, dadd);
  set(op::DMUL, dmul);
  set(op::DFMA, dfma);
  set(op::DSETP, dsetp);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
