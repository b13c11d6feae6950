// 32-bit floating point. Results follow IEEE 754, and NaN is canonical (0x7fffffff). For MUFU, a GPU returns an
// approximation, and this code returns the rounded exact value. The difference is within the error that the PTX manual
// documents.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/float_bits.hpp"
#include "emulate/execute/packs.hpp"
#include "emulate/execute/rounding.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

constexpr u32 nan_bits = 0x7fffffffu;

// P is u32 for one lane, or a pack of lanes.
template <class P>
using signed_like = std::conditional_t<std::is_same_v<P, pack>, signed_pack, i32>;
template <class P>
P canonical_bits(P x) {
  return std::bit_cast<signed_like<P>>(x & 0x7fffffffu) > 0x7f800000 ? P{} + nan_bits : x;
}
// For .FTZ: subnormal numbers become zeros with the same sign.
template <class P>
P flushed(P x) {
  return (x & 0x7f800000u) == 0u ? x & 0x80000000u : x;
}
// Clamps a canonical float to the range from 0 to 1. NaN and -0 become +0. Positive floats are compared as integers,
// because their bits have the same order.
template <class P>
P saturated(P x) {
  const auto n = std::bit_cast<signed_like<P>>(x);
  const P below = n > 0x3f800000 ? P{} + 0x3f800000u : x;
  return ((n <= 0) | (n > 0x7f800000)) ? P{} : below;
}
inline u32 canonical(float f) { return canonical_bits(bits_of_float(f)); }

// `f` computes the result in single precision. `exact` computes the result in double precision.
template <bool ftz, bool sat, class F, class Exact>
void float_lanes(worker& m, const micro_op& u, u32 mask, const u32* a, const u32* b, const u32* c, F f, Exact exact) {
  const u32 ka = u.keep_a, fa = u.flip_a, kb = u.keep_b, fb = u.flip_b, kc = u.keep_c, fc = u.flip_c;
  const auto operand = [](auto x, u32 keep, u32 flip) {
    const auto n = (x & keep) ^ flip;
    return ftz ? flushed(n) : n;
  };
  const auto result_of = [=](pack x, pack y, pack z) {
    return canonical_bits(std::bit_cast<pack>(f(std::bit_cast<float_pack>(operand(x, ka, fa)),
                                                std::bit_cast<float_pack>(operand(y, kb, fb)),
                                                std::bit_cast<float_pack>(operand(z, kc, fc)))));
  };
  u32* d = m.w->reg(u.d);
  if (!ftz) {
    map3_packs(d, a, b, c, mask, [=](pack x, pack y, pack z) {
      const pack n = result_of(x, y, z);
      return sat ? saturated(n) : n;
    });
    return;
  }
  alignas(32) u32 r[32];
  u32 smallest = 0;  // lanes whose result is the smallest normal number
  for (int i = 0; i < 32; i += pack_lanes) {
    const pack n = result_of(load_pack(a + i), load_pack(b + i), load_pack(c + i));
    smallest |= bits_of((n & 0x7fffffffu) == 0x00800000u) << i;
    store_pack(r + i, sat ? saturated(flushed(n)) : flushed(n));
  }
  // With .FTZ, a result that is subnormal before rounding becomes zero. This is also true if rounding makes it the
  // smallest normal number.
  if (smallest == 0) return store(d, r, mask);
  const rounding_scope cut(rounding::toward_zero);
  each_lane(smallest, [&](int i) {
    const auto number = [&](u32 x, u32 keep, u32 flip) { return double{float_of_bits(operand(x, keep, flip))}; };
    if (std::fabs(exact(number(a[i], ka, fa), number(b[i], kb, fb), number(c[i], kc, fc))) < 0x1p-126)
      r[i] &= sat ? 0 : 0x80000000u;
  });
  store(d, r, mask);
}

template <class F, class Exact>
step float_op(worker& m, const micro_op& u, u32 mask, const u32* a, const u32* b, const u32* c, F f, Exact exact) {
  const auto& how = u.as<sass::float_arithmetic>();
  const rounding_scope scope(how.rounding);
  if (how.flushes && how.saturates)
    float_lanes<true, true>(m, u, mask, a, b, c, f, exact);
  else if (how.flushes)
    float_lanes<true, false>(m, u, mask, a, b, c, f, exact);
  else if (how.saturates)
    float_lanes<false, true>(m, u, mask, a, b, c, f, exact);
  else
    float_lanes<false, false>(m, u, mask, a, b, c, f, exact);
  return step::next;
}

step fadd(worker& m, const micro_op& u, u32 mask) {
  const u32* b = m.operand_row(u.b, 1);
  return float_op(
      m, u, mask, m.operand_row(u.a, 0), b, b, [](float_pack x, float_pack y, float_pack) { return x + y; },
      [](double x, double y, double) { return x + y; });
}
step fmul(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_arithmetic>();
  const u32* b = m.operand_row(u.b, 1);
  if (f.scale == sass::product_scale::one && !f.zero_wins)
    return float_op(
        m, u, mask, m.operand_row(u.a, 0), b, b, [](float_pack x, float_pack y, float_pack) { return x * y; },
        [](double x, double y, double) { return x * y; });
  // .D2 and similar modifiers scale the product by a power of two. With .FMZ, zero times anything is zero.
  static constexpr float scales[] = {1, 0.125f, 0.25f, 0.5f, 1, 2, 4, 8};  // in the order of sass::product_scale
  const float scale = scales[static_cast<unsigned>(f.scale) & 7];
  if (f.zero_wins)
    return float_op(
        m, u, mask, m.operand_row(u.a, 0), b, b,
        [=](float_pack x, float_pack y, float_pack) { return ((x == 0) | (y == 0)) ? float_pack{} : x * scale * y; },
        [=](double x, double y, double) { return x * double{scale} * y; });
  return float_op(
      m, u, mask, m.operand_row(u.a, 0), b, b, [=](float_pack x, float_pack y, float_pack) { return x * scale * y; },
      [=](double x, double y, double) { return x * double{scale} * y; });
}
step ffma(worker& m, const micro_op& u, u32 mask) {
  const auto exact = [](double x, double y, double z) { return x * y + z; };
  if (u.as<sass::float_arithmetic>().zero_wins)
    return float_op(
        m, u, mask, m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2),
        [](float_pack x, float_pack y, float_pack z) {
          return ((x == 0) | (y == 0)) ? float_pack{} + z : fused(x, y, z);
        },
        exact);
  return float_op(
      m, u, mask, m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2),
      [](float_pack x, float_pack y, float_pack z) { return fused(x, y, z); }, exact);
}

// Executes an operation of sm_100 on register pairs. Each pair contains two floats (sass/operand/float_pair.hpp).
template <step (*Operation)(worker&, const micro_op&, u32)>
step on_pairs(worker& m, const micro_op& u, u32 mask) {
  const micro_op upper = [&] {
    micro_op one = u;
    one.d = u.d_high, one.a = u.a_high, one.b = u.b_high, one.c = u.c_high;
    return one;
  }();
  // The lower result is stored last, because it may overwrite a register that the upper half reads.
  micro_op lower = u;
  lower.d = trash_row;
  Operation(m, lower, mask);
  alignas(32) u32 result[32];
  std::copy_n(m.w->reg(trash_row), 32, result);
  Operation(m, upper, mask);
  store(m.w->reg(u.d), result, mask);
  return step::next;
}

// Returns the smallest of three operands if the predicate is true, otherwise the largest. With .NAN, returns a NaN if
// any operand is a NaN.
step fmnmx3(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_extreme>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  const auto pick = [&f](u32 x, u32 y, bool low) {
    const float fx = float_of_bits(x), fy = float_of_bits(y);
    if (f.nan_wins && (fx != fx || fy != fy)) return nan_bits;
    if (fx != fx) return fy != fy ? nan_bits : y;
    if (fy != fy) return x;
    const bool less = fx < fy || (fx == fy && (x >> 31) > (y >> 31));
    return less == low ? x : y;
  };
  for (int i = 0; i < 32; ++i) {
    u32 x = (a[i] & u.keep_a) ^ u.flip_a, y = (b[i] & u.keep_b) ^ u.flip_b, z = (c[i] & u.keep_c) ^ u.flip_c;
    if (f.flushes) x = flushed(x), y = flushed(y), z = flushed(z);
    const bool low = (minimum & lane_bit[i]) != 0;
    r[i] = pick(pick(x, y, low), z, low);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// Returns the smaller operand if the predicate is true, otherwise the larger operand.
step fmnmx(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_extreme>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  const u32 ka = u.keep_a, fa = u.flip_a, kb = u.keep_b, fb = u.flip_b;
  const bool ftz = f.flushes, nan_wins = f.nan_wins, xor_sign = f.xors_sign;
  map3_packs(m.w->reg(u.d), a, b, lane_bit, mask, [=](pack x_bits, pack y_bits, pack bit) {
    pack x = (x_bits & ka) ^ fa, y = (y_bits & kb) ^ fb;
    if (ftz) x = flushed(x), y = flushed(y);
    const pack sign = (x_bits ^ y_bits) & 0x80000000u;
    if (xor_sign) x &= 0x7fffffffu, y &= 0x7fffffffu;
    const auto fx = std::bit_cast<float_pack>(x), fy = std::bit_cast<float_pack>(y);
    // The signs are compared first, so that -0 is below +0.
    const auto less = (fx < fy) | ((fx == fy) & ((x >> 31) > (y >> 31)));
    const pack chosen = less == ((bit & minimum) != 0u) ? x : y;
    const pack number = fx != fx ? y : fy != fy ? x : chosen;
    const pack r = xor_sign ? (number & 0x7fffffffu) | sign : number;
    const auto both = (fx != fx) & (fy != fy), either = (fx != fx) | (fy != fy);
    return (nan_wins ? either : both) ? pack{} + nan_bits : r;
  });
  return step::next;
}

step fsel(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_extreme>();
  const u32 p = m.predicate(u.q0, u.q0_flip);
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const u32 x = (a[i] & u.keep_a) ^ u.flip_a, y = (b[i] & u.keep_b) ^ u.flip_b;
    const u32 z = (p & lane_bit[i]) != 0 ? x : y;
    r[i] = f.flushes ? flushed(z) : z;
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// Returns the lanes in which the relation holds.
u32 float_comparison(worker& m, const micro_op& u) {
  const auto& f = u.as<sass::float_comparison>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  const u32 ka = u.keep_a, fa = u.flip_a, kb = u.keep_b, fb = u.flip_b;
  const bool ftz = f.flushes;
  u32 less = 0, equal = 0, greater = 0;
  for (int i = 0; i < 32; i += pack_lanes) {
    const pack p = (load_pack(a + i) & ka) ^ fa, q = (load_pack(b + i) & kb) ^ fb;
    const auto x = std::bit_cast<float_pack>(ftz ? flushed(p) : p), y = std::bit_cast<float_pack>(ftz ? flushed(q) : q);
    less |= bits_of(x < y) << i;
    equal |= bits_of(x == y) << i;
    greater |= bits_of(x > y) << i;
  }
  using relation = sass::float_relation;
  const auto chosen = [&](relation outcome) { return holds_for(f.relation, outcome) ? ~0u : 0; };
  return (less & chosen(relation::less)) | (equal & chosen(relation::equal)) | (greater & chosen(relation::greater)) |
         (~(less | equal | greater) & chosen(relation::unordered));
}

step fsetp(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_comparison>();
  const u32 r = float_comparison(m, u), p = m.predicate(u.q0, u.q0_flip);
  m.set_predicate(u.p0, combine(r, p, f.combine), mask);
  m.set_predicate(u.p1, combine(~r, p, f.combine), mask);
  return step::next;
}
step fset(worker& m, const micro_op& u, u32 mask) {
  const u32 r = combine(float_comparison(m, u), m.predicate(u.q0, u.q0_flip), u.as<sass::float_comparison>().combine);
  alignas(32) u32 v[32];
  for (int i = 0; i < 32; ++i) v[i] = (r & lane_bit[i]) != 0 ? 0x3f800000u : 0;
  store(m.w->reg(u.d), v, mask);
  return step::next;
}

// Whether a / b needs the slow path, because the reciprocal or a remainder might not be a normal number.
step fchk(worker& m, const micro_op& u, u32 mask) {
  m.set_predicate(u.p0,
                  where2(m.operand_row(u.a, 0), m.operand_row(u.b, 1),
                         [](u32 a, u32 b) {
                           const int ea = static_cast<int>(a >> 23 & 0xff), eb = static_cast<int>(b >> 23 & 0xff);
                           return ea == 0xff || eb == 0xff || ea < 25 || eb < 2 || eb > 251 || ea - eb > 125 ||
                                  ea - eb < -125;
                         }),
                  mask);
  return step::next;
}

// The argument of sine and cosine is in revolutions. Subtracting whole revolutions is exact.
double angle_of(double revolutions) { return (revolutions - std::nearbyint(revolutions)) * 2 * M_PI; }

double function_of(double d, sass::math_function function) {
  using sass::math_function;
  switch (function) {
    case math_function::cosine: return std::cos(angle_of(d));
    case math_function::sine: return std::copysign(1.0, d) * std::sin(angle_of(std::fabs(d)));
    case math_function::power_of_2: return std::exp2(d);
    case math_function::logarithm: return std::log2(d);
    case math_function::reciprocal: return 1.0 / d;
    case math_function::reciprocal_root: return 1.0 / std::sqrt(d);
    case math_function::root: return std::sqrt(d);
    case math_function::hyperbolic_tangent: return std::tanh(d);
    default: return std::nan("");
  }
}

// All functions except the hyperbolic tangent flush subnormal arguments and results.
u32 mufu_of(u32 bits, sass::math_function function) {
  const bool flushes = function != sass::math_function::hyperbolic_tangent;
  const u32 r = canonical(static_cast<float>(function_of(float_of_bits(flushes ? flushed(bits) : bits), function)));
  return flushes ? flushed(r) : r;
}
// The upper word of a double's reciprocal or reciprocal square root. The computation uses only the upper word of the
// double.
u32 mufu_high(u32 bits, sass::math_function function) {
  const double d = double_of_bits(join(0, bits));
  if (d != d) return 0x7fffffffu;
  // Subnormal arguments count as zeros.
  const double x = (bits & 0x7ff00000u) == 0 ? std::copysign(0.0, d) : d;
  double r = function == sass::math_function::reciprocal_high ? 1.0 / x : 1.0 / std::sqrt(x);
  if (r != r) return 0x7fffffffu;
  if (std::fpclassify(r) == FP_SUBNORMAL) r = std::copysign(0.0, r);
  return static_cast<u32>(bits_of_double(r) >> 32);
}

step mufu(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::special_function>();
  const u32* b = m.operand_row(u.b, 1);
  const u32 kb = u.keep_b, fb = u.flip_b;
  const sass::math_function function = f.function;
  if (function == sass::math_function::reciprocal_high || function == sass::math_function::reciprocal_root_high) {
    const u32* high = f.of_immediate ? m.operand_row(u.b_high, 2) : b;
    map1(m.w->reg(u.d), high, mask, [=](u32 x) { return mufu_high((x & kb) ^ fb, function); });
    return step::next;
  }
  if (f.format == sass::math_format::f32) {
    map1(m.w->reg(u.d), b, mask, [=](u32 x) { return mufu_of((x & kb) ^ fb, function); });
    return step::next;
  }
  // For halves, the exact result is truncated, because a GPU truncates most results. But a subnormal hyperbolic tangent
  // is rounded.
  const bool bf16 = f.format == sass::math_format::bf16, upper = f.upper_half;
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const auto h = static_cast<std::uint16_t>(upper ? b[i] >> 16 : b[i]);
    u32 x = bits_of_float(bf16 ? float_of_bfloat16(h) : float_of_half(h));
    if (kb != ~0u) x &= 0x7fffffff;
    if (fb != 0) x ^= 0x80000000u;
    const double y = function_of(float_of_bits(x), function);
    const bool subnormal = std::fabs(y) < (bf16 ? 0x1p-126 : 0x1p-14);
    const bool too_large = std::fabs(y) >= (bf16 ? 0x1p128 : 0x1p16);
    const rounding mode = too_large || (subnormal && function == sass::math_function::hyperbolic_tangent)
                              ? rounding::nearest_even
                              : rounding::toward_zero;
    r[i] = bf16 ? bfloat16_of_double(y, mode) : half_of_double(y, mode);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

}  // namespace

void add_float(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::FADD, fadd);
  set(op::FMUL, fmul);
  set(op::FFMA, ffma);
  set(op::FMNMX, fmnmx);
  set(op::FMNMX3, fmnmx3);
  set(op::FADD2, on_pairs<fadd>);
  set(op::FMUL2, on_pairs<fmul>);
  set(op::FFMA2, on_pairs<ffma>);
  set(op::FSEL, fsel);
  set(op::FSET, fset);
  set(op::FSETP, fsetp);
  set(op::FCHK, fchk);
  set(op::MUFU, mufu);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
