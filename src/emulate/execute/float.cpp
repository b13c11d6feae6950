// 32- and 64-bit floating point. Results are IEEE 754's. NaN is canonical at 32 bits (0x7fffffff) and handed on at 64.
// MUFU's approximations are replaced by the rounded function: within the error that the PTX manual documents.
#include <cfenv>
#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

constexpr u32 nan_bits = 0x7fffffffu;

// Rounds as the instruction says while it lives. mode: 0 nearest, 1 down, 2 up, 3 toward zero.
class rounding_scope {
 public:
  explicit rounding_scope(unsigned mode) : mode_(mode) {
    static constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    if (mode_ != 0) std::fesetround(modes[mode_]);
  }
  ~rounding_scope() {
    if (mode_ != 0) std::fesetround(FE_TONEAREST);
  }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  unsigned mode_;
};

inline u32 canonical(float f) { return f == f ? bits_of_float(f) : nan_bits; }
// .FTZ: subnormals are zeros of their sign.
inline u32 flushed(u32 x) { return (x & 0x7f800000u) == 0 ? x & 0x80000000u : x; }
inline u32 saturated(u32 x) {
  const float f = float_of_bits(x);
  return f >= 1.0f ? 0x3f800000u : f > 0.0f ? x : 0;  // NaN and -0 become +0
}

// flag0 .FTZ, flag1 .SAT, mode rounding. `exact` is f without its rounding, for numbers near the smallest normal one.
template <class F, class Exact>
step float_op(machine& m, const micro_op& u, u32 mask, const u32* a, const u32* b, const u32* c, F f, Exact exact) {
  u32* d = m.w->reg(u.d);
  const u32 ka = u.keep_a, fa = u.flip_a, kb = u.keep_b, fb = u.flip_b, kc = u.keep_c, fc = u.flip_c;
  const rounding_scope rounding(u.mode);
  if (!u.flag0 && !u.flag1) {
    map3(d, a, b, c, mask, [=](u32 x, u32 y, u32 z) {
      return canonical(f(float_of_bits((x & ka) ^ fa), float_of_bits((y & kb) ^ fb), float_of_bits((z & kc) ^ fc)));
    });
    return step::next;
  }
  const bool ftz = u.flag0, sat = u.flag1;
  alignas(32) u32 r[32];
  u32 smallest = 0;
  for (int i = 0; i < 32; ++i) {
    u32 x = (a[i] & ka) ^ fa, y = (b[i] & kb) ^ fb, z = (c[i] & kc) ^ fc;
    if (ftz) x = flushed(x), y = flushed(y), z = flushed(z);
    u32 n = canonical(f(float_of_bits(x), float_of_bits(y), float_of_bits(z)));
    smallest |= (n & 0x7fffffffu) == 0x00800000u;
    if (ftz) n = flushed(n);
    r[i] = sat ? saturated(n) : n;
  }
  // What is subnormal before it is rounded is flushed, even if rounding would make it normal.
  for (int i = 0; i < 32 && ftz && smallest != 0; ++i)
    if ((r[i] & 0x7fffffffu) == 0x00800000u &&
        std::fabs(exact(float_of_bits(flushed((a[i] & ka) ^ fa)), float_of_bits(flushed((b[i] & kb) ^ fb)),
                        float_of_bits(flushed((c[i] & kc) ^ fc)))) < 0x1p-126)
      r[i] &= sat ? 0 : 0x80000000u;
  store(d, r, mask);
  return step::next;
}

step fadd(machine& m, const micro_op& u, u32 mask) {
  const u32* b = m.at(u.b, 1);
  return float_op(
      m, u, mask, m.at(u.a, 0), b, b, [](float x, float y, float) { return x + y; },
      [](double x, double y, double) { return x + y; });
}
step fmul(machine& m, const micro_op& u, u32 mask) {
  const u32* b = m.at(u.b, 1);
  if (u.kind == 4 && !u.flag2)
    return float_op(
        m, u, mask, m.at(u.a, 0), b, b, [](float x, float y, float) { return x * y; },
        [](double x, double y, double) { return x * y; });
  // .D2 and the like scale by a power of two; .FMZ: zero times anything is zero.
  static constexpr float scales[] = {1, 0.125f, 0.25f, 0.5f, 1, 2, 4, 8};
  const float scale = scales[u.kind];
  const bool fmz = u.flag2;
  return float_op(
      m, u, mask, m.at(u.a, 0), b, b,
      [=](float x, float y, float) { return fmz && (x == 0 || y == 0) ? 0.0f : x * scale * y; },
      [=](double x, double y, double) { return x * double{scale} * y; });
}
step ffma(machine& m, const micro_op& u, u32 mask) {
  if (u.flag2)
    return float_op(
        m, u, mask, m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2),
        [](float x, float y, float z) { return x == 0 || y == 0 ? 0.0f + z : __builtin_fmaf(x, y, z); },
        [](double x, double y, double z) { return x * y + z; });
  return float_op(
      m, u, mask, m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2),
      [](float x, float y, float z) { return __builtin_fmaf(x, y, z); },
      [](double x, double y, double z) { return x * y + z; });
}

// The same on the two floats of a pair of registers, of sm_100.
template <step (*Operation)(machine&, const micro_op&, u32)>
step on_pairs(machine& m, const micro_op& u, u32 mask) {
  const micro_op upper = [&] {
    micro_op one = u;
    one.d = u.d_high, one.a = u.a_high, one.b = u.b_high, one.c = u.c_high;
    return one;
  }();
  Operation(m, u, mask);
  return Operation(m, upper, mask);
}

// Of three, the smallest where the predicate holds. flag0 .FTZ.
step fmnmx3(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  const auto pick = [](u32 x, u32 y, bool low) {
    const float fx = float_of_bits(x), fy = float_of_bits(y);
    if (fx != fx) return fy != fy ? nan_bits : y;
    if (fy != fy) return x;
    const bool less = fx < fy || (fx == fy && (x >> 31) > (y >> 31));
    return less == low ? x : y;
  };
  for (int i = 0; i < 32; ++i) {
    u32 x = (a[i] & u.keep_a) ^ u.flip_a, y = (b[i] & u.keep_b) ^ u.flip_b, z = (c[i] & u.keep_c) ^ u.flip_c;
    if (u.flag0) x = flushed(x), y = flushed(y), z = flushed(z);
    const bool low = (minimum & lane_bit[i]) != 0;
    r[i] = pick(pick(x, y, low), z, low);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// The smaller where the predicate holds. flag0 .FTZ, flag1 .NAN, flag2 .XORSIGN.
step fmnmx(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 x = (a[i] & u.keep_a) ^ u.flip_a, y = (b[i] & u.keep_b) ^ u.flip_b;
    if (u.flag0) x = flushed(x), y = flushed(y);
    const u32 sign = (a[i] ^ b[i]) & 0x80000000u;  // before sign and absolute value
    if (u.flag2) x &= 0x7fffffffu, y &= 0x7fffffffu;
    const float fx = float_of_bits(x), fy = float_of_bits(y);
    u32 z = 0;
    if (fx != fx || fy != fy) {
      z = u.flag1 || (fx != fx && fy != fy) ? nan_bits : fx != fx ? y : x;
      if (z == nan_bits) {
        r[i] = z;
        continue;
      }
    } else {
      // Signs first, so that -0 is below +0.
      const bool less = fx < fy || (fx == fy && (x >> 31) > (y >> 31));
      z = less == ((minimum >> i & 1) != 0) ? x : y;
    }
    r[i] = u.flag2 ? (z & 0x7fffffffu) | sign : z;
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step fsel(machine& m, const micro_op& u, u32 mask) {
  const u32 p = m.predicate(u.q0, u.q0_flip);
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const u32 x = (a[i] & u.keep_a) ^ u.flip_a, y = (b[i] & u.keep_b) ^ u.flip_b;
    const u32 z = (p & lane_bit[i]) != 0 ? x : y;
    r[i] = u.flag0 ? flushed(z) : z;
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// The 16 comparisons of floats: bit 0 less, bit 1 equal, bit 2 greater, bit 3 unordered.
template <class T>
inline bool compare(T x, T y, unsigned c) {
  const bool unordered = x != x || y != y;
  const unsigned relation = unordered ? 8 : x < y ? 1 : x == y ? 2 : 4;
  return (c & relation) != 0;
}

u32 combine(u32 r, u32 p, unsigned kind) { return kind == 0 ? r & p : kind == 1 ? r | p : r ^ p; }

u32 float_comparison(machine& m, const micro_op& u) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  const u32 ka = u.keep_a, fa = u.flip_a, kb = u.keep_b, fb = u.flip_b;
  const bool ftz = u.flag0;
  const unsigned c = u.mode;
  return where2(a, b, [=](u32 x, u32 y) {
    x = (x & ka) ^ fa, y = (y & kb) ^ fb;
    if (ftz) x = flushed(x), y = flushed(y);
    return compare(float_of_bits(x), float_of_bits(y), c);
  });
}

step fsetp(machine& m, const micro_op& u, u32 mask) {
  const u32 r = float_comparison(m, u), p = m.predicate(u.q0, u.q0_flip);
  m.set_predicate(u.p0, combine(r, p, u.kind), mask);
  m.set_predicate(u.p1, combine(~r, p, u.kind), mask);
  return step::next;
}
step fset(machine& m, const micro_op& u, u32 mask) {
  const u32 r = combine(float_comparison(m, u), m.predicate(u.q0, u.q0_flip), u.kind);
  alignas(32) u32 v[32];
  for (int i = 0; i < 32; ++i) v[i] = (r & lane_bit[i]) != 0 ? 0x3f800000u : 0;
  store(m.w->reg(u.d), v, mask);
  return step::next;
}

// True where a / b needs the slow path: exponents so far out that the reciprocal or the remainders would not be normal.
step fchk(machine& m, const micro_op& u, u32 mask) {
  m.set_predicate(u.p0,
                  where2(m.at(u.a, 0), m.at(u.b, 1),
                         [](u32 a, u32 b) {
                           const int ea = static_cast<int>(a >> 23 & 0xff), eb = static_cast<int>(b >> 23 & 0xff);
                           return ea == 0xff || eb == 0xff || ea < 25 || eb < 2 || eb > 251 || ea - eb > 125 ||
                                  ea - eb < -125;
                         }),
                  mask);
  return step::next;
}

// Sine and cosine take revolutions; whole ones are cut off, exactly.
double angle_of(double revolutions) { return (revolutions - std::nearbyint(revolutions)) * 2 * M_PI; }

double function_of(double d, unsigned function) {
  switch (function) {
    case 0: return std::cos(angle_of(d));
    case 1: return std::copysign(1.0, d) * std::sin(angle_of(std::fabs(d)));
    case 2: return std::exp2(d);
    case 3: return std::log2(d);
    case 4: return 1.0 / d;
    case 5: return 1.0 / std::sqrt(d);
    case 8: return std::sqrt(d);
    case 9: return std::tanh(d);
    default: return std::nan("");
  }
}

// All but the hyperbolic tangent flush subnormal arguments and results.
u32 mufu_of(u32 bits, unsigned function) {
  const bool flushes = function != 9;
  const u32 r = canonical(static_cast<float>(function_of(float_of_bits(flushes ? flushed(bits) : bits), function)));
  return flushes ? flushed(r) : r;
}
// The upper word of a double's reciprocal or reciprocal square root, from the upper word alone.
u32 mufu_high(u32 bits, unsigned function) {
  const double d = double_of_bits(join(0, bits));
  if (d != d) return 0x7fffffffu;
  // Subnormals count as zeros.
  const double x = (bits & 0x7ff00000u) == 0 ? std::copysign(0.0, d) : d;
  double r = function == 6 ? 1.0 / x : 1.0 / std::sqrt(x);
  if (r != r) return 0x7fffffffu;
  if (std::fpclassify(r) == FP_SUBNORMAL) r = std::copysign(0.0, r);
  return static_cast<u32>(bits_of_double(r) >> 32);
}

// mode: the function; kind: 0 F32, 1 F16, 2 BF16. flag0: the upper half of the source.
step mufu(machine& m, const micro_op& u, u32 mask) {
  const u32* b = m.at(u.b, 1);
  const u32 kb = u.keep_b, fb = u.flip_b;
  const unsigned function = u.mode;
  if (function == 6 || function == 7) {
    const u32* high = u.flag1 ? m.at(u.b_high, 2) : b;
    map1(m.w->reg(u.d), high, mask, [=](u32 x) { return mufu_high((x & kb) ^ fb, function); });
    return step::next;
  }
  if (u.kind == 0) {
    map1(m.w->reg(u.d), b, mask, [=](u32 x) { return mufu_of((x & kb) ^ fb, function); });
    return step::next;
  }
  // Halves: the exact result is cut off, as the hardware's mostly is; a subnormal hyperbolic tangent is rounded.
  const bool bf16 = u.kind == 2, upper = u.flag0;
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const auto h = static_cast<std::uint16_t>(upper ? b[i] >> 16 : b[i]);
    u32 x = bits_of_float(bf16 ? float_of_bfloat16(h) : float_of_half(h));
    if (kb != ~0u) x &= 0x7fffffff;
    if (fb != 0) x ^= 0x80000000u;
    const double y = function_of(float_of_bits(x), function);
    const bool subnormal = std::fabs(y) < (bf16 ? 0x1p-126 : 0x1p-14);
    const bool too_large = std::fabs(y) >= (bf16 ? 0x1p128 : 0x1p16);
    const rounding mode = too_large || (subnormal && function == 9) ? rounding::nearest_even : rounding::toward_zero;
    r[i] = bf16 ? bfloat16_of_double(y, mode) : half_of_double(y, mode);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// --- doubles ---

inline double double_at(const u32* low, const u32* high, int i, u32 keep, u32 flip) {
  return double_of_bits(join(low[i], (high[i] & keep) ^ flip));
}

// f: the operation; nan: the result if that is NaN, from the operands before sign and absolute value.
template <class F, class Nan>
step double_op(machine& m, const micro_op& u, u32 mask, F f, Nan nan) {
  const u32 *a = m.at(u.a, 0), *ah = m.at(u.a_high, 1), *b = m.at(u.b, 2), *bh = m.at(u.b_high, 3), *c = m.at(u.c, 4),
            *ch = m.at(u.c_high, 5);
  alignas(32) u32 low[32], high[32];
  {
    const rounding_scope rounding(u.mode);
    for (int i = 0; i < 32; ++i) {
      const double d = f(double_at(a, ah, i, u.keep_a, u.flip_a), double_at(b, bh, i, u.keep_b, u.flip_b),
                         double_at(c, ch, i, u.keep_c, u.flip_c));
      low[i] = static_cast<u32>(bits_of_double(d));
      high[i] = static_cast<u32>(bits_of_double(d) >> 32);
    }
  }
  for (int i = 0; i < 32; ++i) {
    if (!is_nan_64(join(low[i], high[i]))) continue;
    const u64 r = nan(join(a[i], ah[i]), join(b[i], bh[i]), join(c[i], ch[i]));
    low[i] = static_cast<u32>(r);
    high[i] = static_cast<u32>(r >> 32);
  }
  store(m.w->reg(u.d), low, mask);
  store(m.w->reg(u.d_high), high, mask);
  return step::next;
}
step dadd(machine& m, const micro_op& u, u32 mask) {
  return double_op(
      m, u, mask, [](double x, double, double z) { return x + z; }, [](u64 x, u64, u64 z) { return nan_of(z, x); });
}
step dmul(machine& m, const micro_op& u, u32 mask) {
  return double_op(
      m, u, mask, [](double x, double y, double) { return x * y; }, [](u64 x, u64 y, u64) { return nan_of(y, x); });
}
step dfma(machine& m, const micro_op& u, u32 mask) {
  return double_op(
      m, u, mask, [](double x, double y, double z) { return __builtin_fma(x, y, z); },
      [](u64 x, u64 y, u64 z) { return nan_of(y, z, x); });
}

// mode 0 and 15 are MIN and MAX: the choice that a select after them makes.
step dsetp(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *ah = m.at(u.a_high, 1), *b = m.at(u.b, 2), *bh = m.at(u.b_high, 3);
  u32 r = 0, other = 0;
  for (int i = 0; i < 32; ++i) {
    const double x = double_at(a, ah, i, u.keep_a, u.flip_a), y = double_at(b, bh, i, u.keep_b, u.flip_b);
    bool is = false, second = false;
    if (u.mode == 0 || u.mode == 15) {
      const bool minimum = u.mode == 0;
      const bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
      const bool greater = x > y || (x == y && !std::signbit(x) && std::signbit(y));
      is = x == x && (y != y || (minimum ? less : greater));
      second = x != x && y != y;
    } else {
      is = compare(x, y, u.mode);
      second = !is;
    }
    r |= static_cast<u32>(is) << i;
    other |= static_cast<u32>(second) << i;
  }
  const u32 p = m.predicate(u.q0, u.q0_flip);
  m.set_predicate(u.p0, combine(r, p, u.kind), mask);
  m.set_predicate(u.p1, combine(other, p, u.kind), mask);
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
  set(op::DADD, dadd);
  set(op::DMUL, dmul);
  set(op::DFMA, dfma);
  set(op::DSETP, dsetp);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
