// Operations on pairs of halves (f16x2) and pairs of bfloat16 numbers. Products are exact in double precision. Other
// results are rounded to odd before they are narrowed, so that the second rounding is correct.
#include <cmath>
#include <type_traits>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using u16 = std::uint16_t;

// Returns x + y, rounded to odd: if the sum is inexact, the last bit of the result is set. So a later rounding to fewer
// bits is correct. The code has no branches, so that compilers vectorise loops over lanes.
double add_to_odd(double x, double y) {
  const double sum = x + y, shifted = sum - x;
  const double error = (x - (sum - shifted)) + (y - shifted);  // NaN if the sum is not finite
  const u64 bits = bits_of_double(sum);
  // The exact sum is between `sum` and the next double in the direction of the error. Exactly one of these two doubles
  // is odd.
  const u64 neighbour = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return double_of_bits((error < 0 || error > 0) && (bits & 1) == 0 ? neighbour : bits);
}
float float_to_odd(double d) {
  const auto f = static_cast<float>(d);
  const u32 bits = bits_of_float(f);
  const double near = f;
  const u32 neighbour = std::fabs(near) < std::fabs(d) ? bits + 1 : bits - 1;
  return float_of_bits((near < d || near > d) && (bits & 1) == 0 ? neighbour : bits);
}

// .FTZ and .FMZ together mean .OOB, instead of .FTZ and .FMZ.
struct pair_mode {
  bool bf16, ftz, sat, relu, fmz;
};

using sass::half_choice;

// Operands and results have two halves: 0 is the lower half, and 1 is the upper half. Half `which` of the result is
// computed from one half of the operand. Returns the number of this half.
unsigned half_taken(half_choice c, unsigned which) {
  switch (c) {
    case half_choice::low_twice: return 0;
    case half_choice::high_twice: return 1;
    case half_choice::exchanged: return 1 - which;
    case half_choice::both:
    case half_choice::one_float: break;
  }
  return which;
}

// Converts the selected half of each lane to a float, and applies its sign.
void widen(const u32* from, unsigned which, half_choice choice, u32 keep, u32 flip, bool bf16, bool ftz, float* to) {
  const unsigned shift = 16 * half_taken(choice, which);
  const bool negated = choice == half_choice::exchanged && which == 0;
  const u32 kept = keep == ~0u ? 0xffff : 0x7fff, flipped = (flip != 0) != negated ? 0x8000 : 0;
  if (bf16) {
    for (int i = 0; i < 32; ++i) to[i] = float_of_bits(((from[i] >> shift & kept) ^ flipped) << 16);
    return;
  }
  for (int i = 0; i < 32; ++i) {
    const u32 h = (from[i] >> shift & kept) ^ flipped;
    to[i] = float_of_half(static_cast<u16>(ftz && (h & 0x7c00) == 0 ? h & 0x8000 : h));
  }
}

// Converts a float to f16 or bfloat16. `f` must be exact, or rounded to odd.
u32 narrow(float f, const pair_mode& p) {
  if (p.sat) f = f >= 1 ? 1.0f : f > 0 ? f : 0.0f;
  const u32 bits = bits_of_float(f);
  if (p.relu && bits >> 31 != 0 && f == f) f = 0;
  if (!p.bf16) {
    // With .FTZ, a value that is subnormal before rounding becomes zero.
    if (p.ftz && std::fabs(f) < 0x1p-14f) f = std::copysign(0.0f, f);
    return half_of_float(f);
  }
  return bfloat16_of_float(f);
}

pair_mode flags(const sass::half_arithmetic& f) {
  const bool oob = f.flushes && f.zero_wins;
  return {f.bf16, f.flushes && !oob, f.saturates, f.relu, f.zero_wins && !oob};
}

template <class F>
step pair_op(worker& m, const micro_op& u, u32 mask, F f) {
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const auto& s = u.as<sass::half_arithmetic>();
  const pair_mode p = flags(s);
  alignas(64) u32 r[32] = {};
  alignas(64) float x[32], y[32], z[32];
  for (unsigned h = 0; h < 2; ++h) {
    widen(a, h, s.half_of_a, u.keep_a, u.flip_a, p.bf16, p.ftz, x);
    widen(b, h, s.half_of_b, u.keep_b, u.flip_b, p.bf16, p.ftz, y);
    if constexpr (!std::is_invocable_v<F, float, float>) widen(c, h, s.half_of_c, u.keep_c, u.flip_c, p.bf16, p.ftz, z);
    for (int i = 0; i < 32; ++i) {
      if constexpr (std::is_invocable_v<F, float, float>)
        x[i] = f(x[i], y[i]);
      else
        x[i] = f(x[i], y[i], z[i]);
    }
    if (p.sat || p.relu || p.ftz)
      for (int i = 0; i < 32; ++i) r[i] |= narrow(x[i], p) << (16 * h);
    else if (p.bf16)
      for (int i = 0; i < 32; ++i) r[i] |= static_cast<u32>(bfloat16_of_float(x[i])) << (16 * h);
    else
      for (int i = 0; i < 32; ++i) r[i] |= static_cast<u32>(half_of_float(x[i])) << (16 * h);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// The sum of two halves is rounded to a float and then to a half. This is correct, because a float has more than twice
// as many bits as a half.
step hadd2(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::half_arithmetic>();
  if (!f.to_f32) return pair_op(m, u, mask, [](float x, float y) { return x + y; });
  // With .F32, the result is the sum of the lower halves as a float.
  alignas(64) float x[32], y[32];
  widen(m.operand_row(u.a, 0), 0, f.half_of_a, u.keep_a, u.flip_a, f.bf16, f.flushes, x);
  widen(m.operand_row(u.b, 1), 0, f.half_of_b, u.keep_b, u.flip_b, f.bf16, f.flushes, y);
  alignas(64) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const float sum = x[i] + y[i];
    const float kept = !f.saturates ? sum : sum >= 1 ? 1.0f : sum > 0 ? sum : 0.0f;
    r[i] = kept != kept ? 0x7fffffffu : bits_of_float(kept);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}
step hmul2(worker& m, const micro_op& u, u32 mask) {
  const bool fmz = flags(u.as<sass::half_arithmetic>()).fmz;
  return pair_op(m, u, mask, [=](float x, float y) {
    const double product = static_cast<double>(x) * y;
    return float_to_odd(fmz && (x == 0 || y == 0) ? 0.0 : product);
  });
}
step hfma2(worker& m, const micro_op& u, u32 mask) {
  const bool fmz = flags(u.as<sass::half_arithmetic>()).fmz;
  return pair_op(m, u, mask, [=](float x, float y, float z) {
    const double product = static_cast<double>(x) * y;
    return float_to_odd(add_to_odd(fmz && (x == 0 || y == 0) ? 0.0 : product, z));
  });
}

bool compare_halves(float x, float y, sass::float_relation r) {
  using relation = sass::float_relation;
  return holds_for(r, x != x || y != y ? relation::unordered
                      : x < y          ? relation::less
                      : x == y         ? relation::equal
                                       : relation::greater);
}

// Compares the lower halves for out[0] and the upper halves for out[1]. Sets the bit of each lane in which the relation
// holds.
void compare_pairs(worker& m, const micro_op& u, u32 out[2]) {
  const auto& f = u.as<sass::half_comparison>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  alignas(64) float x[32], y[32];
  for (unsigned h = 0; h < 2; ++h) {
    widen(a, h, f.half_of_a, u.keep_a, u.flip_a, f.bf16, f.flushes, x);
    widen(b, h, f.half_of_b, u.keep_b, u.flip_b, f.bf16, f.flushes, y);
    out[h] = 0;
    for (int i = 0; i < 32; ++i) out[h] |= static_cast<u32>(compare_halves(x[i], y[i], f.relation)) << i;
  }
}

// With .H_AND, the relation must hold for both halves, and the second predicate is the complement of the first.
step hsetp2(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::half_comparison>();
  u32 r[2];
  compare_pairs(m, u, r);
  const u32 p = m.predicate(u.q0, u.q0_flip);
  if (f.joins) {
    const u32 both = r[0] & r[1];
    r[0] = both;
    r[1] = ~both;
  }
  m.set_predicate(u.p0, combine(r[0], p, f.combine), mask);
  m.set_predicate(u.p1, combine(r[1], p, f.combine), mask);
  return step::next;
}

// With .BF, the result for "true" is 1.0. Without .BF, the result is a half whose 16 bits are ones.
step hset2(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::half_comparison>();
  u32 c[2];
  compare_pairs(m, u, c);
  const u32 p = m.predicate(u.q0, u.q0_flip);
  const u32 one = f.joins ? (f.bf16 ? 0x3f80u : 0x3c00u) : 0xffffu;
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const bool low = (combine(c[0], p, f.combine) >> i & 1) != 0, high = (combine(c[1], p, f.combine) >> i & 1) != 0;
    r[i] = (low ? one : 0) | (high ? one << 16 : 0);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

u16 choose(u32 x, unsigned which, half_choice choice, u32 keep, u32 flip) {
  const u16 h = static_cast<u16>(x >> (16 * half_taken(choice, which)));
  return static_cast<u16>((h & (keep == ~0u ? 0xffff : 0x7fff)) ^ (flip != 0 ? 0x8000 : 0));
}

// Returns the smaller or larger of two halves. Returns NaN if both halves are NaN, or if one half is NaN and NaN has
// priority.
u16 extreme(const sass::half_extreme& f, u16 hx, u16 hy, bool minimum) {
  const float x = f.bf16 ? float_of_bfloat16(hx) : float_of_half(hx);
  const float y = f.bf16 ? float_of_bfloat16(hy) : float_of_half(hy);
  if (x != x || y != y) return f.nan_wins || (x != x && y != y) ? u16{0x7fff} : x != x ? hy : hx;
  const bool less = x < y || (x == y && (hx >> 15) > (hy >> 15));
  return less == minimum ? hx : hy;
}

step hmnmx2(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::half_extreme>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 both = 0;
    for (unsigned h = 0; h < 2; ++h) {
      u16 hx = choose(a[i], h, f.half_of_a, u.keep_a, u.flip_a), hy = choose(b[i], h, f.half_of_b, u.keep_b, u.flip_b);
      if (f.flushes && !f.bf16) {
        if ((hx & 0x7c00) == 0) hx &= 0x8000;
        if ((hy & 0x7c00) == 0) hy &= 0x8000;
      }
      if (f.xors_sign) hx &= 0x7fff, hy &= 0x7fff;
      u16 z = extreme(f, hx, hy, (minimum >> i & 1) != 0);
      if (f.xors_sign && z != 0x7fff) {
        // The result's sign is the xor of the sign bits in the registers, without the operands' modifiers.
        const u16 sign = (choose(a[i], h, f.half_of_a, ~0u, 0) ^ choose(b[i], h, f.half_of_b, ~0u, 0)) & 0x8000;
        z = static_cast<u16>((z & 0x7fff) | sign);
      }
      both |= static_cast<u32>(z) << (16 * h);
    }
    r[i] = both;
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step vhmnmx(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::half_extreme>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 both = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const bool less = (minimum >> i & 1) != 0;
      const u16 first = extreme(f, choose(a[i], h, f.half_of_a, u.keep_a, u.flip_a),
                                choose(b[i], h, f.half_of_b, u.keep_b, u.flip_b), less);
      const u16 z = extreme(f, first, choose(c[i], h, f.half_of_c, u.keep_c, u.flip_c), less);
      both |= static_cast<u32>(z) << (16 * h);
    }
    r[i] = both;
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

}  // namespace

void add_half(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::HADD2, hadd2);
  set(op::HMUL2, hmul2);
  set(op::HFMA2, hfma2);
  set(op::HFMA2_MMA, hfma2);
  set(op::HSETP2, hsetp2);
  set(op::HSET2, hset2);
  set(op::HMNMX2, hmnmx2);
  set(op::VHMNMX, vhmnmx);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
