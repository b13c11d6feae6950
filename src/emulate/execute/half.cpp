// Pairs of halves (f16x2) and of bfloat16. Arithmetic is done in double, rounded once: products are exact there, and
// sums are rounded to odd first, so that the second rounding cannot be wrong.
#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using u16 = std::uint16_t;

// x + y rounded to odd: inexact results get their last bit set, which keeps every later rounding right.
double add_to_odd(double x, double y) {
  const double sum = x + y;
  if (!std::isfinite(sum)) return sum;
  const double shifted = sum - x;
  const double error = (x - (sum - shifted)) + (y - shifted);
  if (error == 0) return sum;
  u64 bits = bits_of_double(sum);
  if ((bits & 1) != 0) return sum;
  // The exact sum lies between `sum` and its neighbour toward the error; the odd one of the two is the neighbour.
  const bool away = (error > 0) == (sum > 0) && sum != 0;
  bits = sum == 0 ? 1 : away ? bits + 1 : bits - 1;
  return double_of_bits(bits);
}

// .FTZ and .FMZ together are .OOB, which is neither.
struct pair_mode {
  bool bf16, ftz, sat, relu, fmz;
};

double widen(u16 h, bool bf16, bool ftz) {
  if (ftz && !bf16 && (h & 0x7c00) == 0) h &= 0x8000;
  return bf16 ? float_of_bfloat16(h) : float_of_half(h);
}
u16 narrow(double d, const pair_mode& p) {
  if (std::isnan(d)) return p.sat || p.relu ? (p.relu && !p.sat ? u16{0x7fff} : u16{0}) : u16{0x7fff};
  if (p.sat) d = d >= 1 ? 1.0 : d > 0 ? d : 0.0;
  if (p.relu && (d < 0 || (d == 0 && std::signbit(d)))) d = 0;
  // What is subnormal before it is rounded is flushed.
  if (p.ftz && !p.bf16 && std::fabs(d) < 0x1p-14) d = std::copysign(0.0, d);
  return p.bf16 ? bfloat16_of_double(d) : half_of_double(d);
}

// One half of an operand after selection (swizzle: 0 both in place, 2 H0_H0, 3 H1_H1) and sign.
u16 choose(u32 x, unsigned which, unsigned swizzle, u32 keep, u32 flip) {
  const unsigned from = swizzle == 2 ? 0 : swizzle == 3 ? 1 : which;
  const u16 h = static_cast<u16>(x >> (16 * from));
  return static_cast<u16>((h & (keep == ~0u ? 0xffff : 0x7fff)) ^ (flip != 0 ? 0x8000 : 0));
}

pair_mode flags(const sass::half_arithmetic& f) {
  const bool oob = f.flushes && f.zero_wins;
  return {f.bf16, f.flushes && !oob, f.saturates, f.relu, f.zero_wins && !oob};
}

template <class F>
step pair_op(worker& m, const micro_op& u, u32 mask, F f) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
  const auto& s = u.as<sass::half_arithmetic>();
  const pair_mode p = flags(s);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 both = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const double x = widen(choose(a[i], h, s.half_of_a, u.keep_a, u.flip_a), p.bf16, p.ftz);
      const double y = widen(choose(b[i], h, s.half_of_b, u.keep_b, u.flip_b), p.bf16, p.ftz);
      const double z = widen(choose(c[i], h, s.half_of_c, u.keep_c, u.flip_c), p.bf16, p.ftz);
      both |= static_cast<u32>(narrow(f(x, y, z), p)) << (16 * h);
    }
    r[i] = both;
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step hadd2(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::half_arithmetic>();
  if (!f.to_f32) return pair_op(m, u, mask, [](double x, double y, double) { return add_to_odd(x, y); });
  // .F32: the sum of the lower halves as a float.
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  const bool bf16 = f.bf16, ftz = f.flushes;
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const double sum = widen(choose(a[i], 0, f.half_of_a, u.keep_a, u.flip_a), bf16, ftz) +
                       widen(choose(b[i], 0, f.half_of_b, u.keep_b, u.flip_b), bf16, ftz);
    const double kept = !f.saturates ? sum : sum >= 1 ? 1.0 : sum > 0 ? sum : 0.0;
    r[i] = std::isnan(kept) ? 0x7fffffffu : bits_of_float(static_cast<float>(kept));
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}
step hmul2(worker& m, const micro_op& u, u32 mask) {
  const bool fmz = flags(u.as<sass::half_arithmetic>()).fmz;
  return pair_op(m, u, mask, [=](double x, double y, double) { return fmz && (x == 0 || y == 0) ? 0.0 : x * y; });
}
step hfma2(worker& m, const micro_op& u, u32 mask) {
  const bool fmz = flags(u.as<sass::half_arithmetic>()).fmz;
  return pair_op(m, u, mask,
                 [=](double x, double y, double z) { return add_to_odd(fmz && (x == 0 || y == 0) ? 0.0 : x * y, z); });
}

bool compare_halves(double x, double y, unsigned c) {
  const unsigned relation = x != x || y != y ? 8 : x < y ? 1 : x == y ? 2 : 4;
  return (c & relation) != 0;
}

// The lanes where the lower and the upper halves compare true.
void compare_pairs(worker& m, const micro_op& u, u32 out[2]) {
  const auto& f = u.as<sass::half_comparison>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  out[0] = out[1] = 0;
  for (int i = 0; i < 32; ++i)
    for (unsigned h = 0; h < 2; ++h) {
      const double x = widen(choose(a[i], h, f.half_of_a, u.keep_a, u.flip_a), f.bf16, f.flushes);
      const double y = widen(choose(b[i], h, f.half_of_b, u.keep_b, u.flip_b), f.bf16, f.flushes);
      out[h] |= static_cast<u32>(compare_halves(x, y, f.comparison)) << i;
    }
}

// Joining: both halves must hold (.H_AND), and the second predicate is the complement.
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

// Joining (.BF): ones as floats, else all bits.
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

step hmnmx2(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::half_extreme>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
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
      const double x = widen(hx, f.bf16, false), y = widen(hy, f.bf16, false);
      u16 z = 0;
      if (x != x || y != y) {
        z = f.nan_wins || (x != x && y != y) ? u16{0x7fff} : x != x ? hy : hx;
      } else {
        const bool less = x < y || (x == y && (hx >> 15) > (hy >> 15));
        z = less == ((minimum >> i & 1) != 0) ? hx : hy;
      }
      if (f.xors_sign && z != 0x7fff) {
        // The product of the signs, before sign and absolute value.
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
}

}  // namespace bankwise::emulate::BANKWISE_ISA
