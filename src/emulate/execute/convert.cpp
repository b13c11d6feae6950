// Conversions between integers and floating-point formats.
#include <algorithm>
#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// Formats as the encodings number them.
enum : unsigned { f16 = 1, f32 = 2, f64 = 3, bf16 = 4 };

// The source value, exact in a double. keep, flip: sign and absolute value as masks of the top bit of a word.
double read_float(unsigned format, u32 low, u32 high, bool upper_half, u32 keep, u32 flip, bool ftz) {
  switch (format) {
    case f16:
    case bf16: {
      u32 h = upper_half ? low >> 16 : low & 0xffff;
      if (keep != ~0u) h &= 0x7fff;
      if (flip != 0) h ^= 0x8000;
      if (ftz && format == f16 && (h & 0x7c00) == 0) h &= 0x8000;
      return format == f16 ? float_of_half(static_cast<std::uint16_t>(h))
                           : float_of_bfloat16(static_cast<std::uint16_t>(h));
    }
    case f32: {
      u32 x = (low & keep) ^ flip;
      if (ftz && (x & 0x7f800000u) == 0) x &= 0x80000000u;
      return float_of_bits(x);
    }
    default: return double_of_bits(join(low, (high & keep) ^ flip));
  }
}

u32 narrow_to(unsigned format, double d, rounding mode) {
  if (format == f16) return half_of_double(d, mode);
  if (format == bf16) return bfloat16_of_double(d, mode);
  if (std::isnan(d)) return 0x7fffffffu;
  return narrow_double(d, 8, 23, mode);
}

// A NaN's sign and the top of its fraction, where one side is a double.
u64 hand_on_nan(u64 bits, unsigned format) {
  const u64 quiet = bits | quiet_bit_64;
  if (format == f64) return quiet;
  const u64 sign = bits >> 63, fraction = quiet & ((u64{1} << 52) - 1);
  if (format == f32) return sign << 31 | 0x7f800000u | fraction >> 29;
  if (format == f16) return sign << 15 | 0x7c00u | fraction >> 42;
  return sign << 15 | 0x7f80u | fraction >> 45;
}

// kind: source format, mode: rounding, immediate: target format. flag0 .FTZ, flag1: upper half of the source.
step f2f(machine& m, const micro_op& u, u32 mask) {
  const u32 *b = m.at(u.b, 1), *bh = m.at(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const double d = read_float(u.kind, b[i], bh[i], u.flag1, u.keep_b, u.flip_b, u.flag0);
    if (std::isnan(d) && (u.immediate == f64 || u.kind == f64)) {
      const u64 x = hand_on_nan(bits_of_double(d), u.immediate);
      low[i] = static_cast<u32>(x);
      high[i] = static_cast<u32>(x >> 32);
    } else if (u.immediate == f64) {
      low[i] = static_cast<u32>(bits_of_double(d));
      high[i] = static_cast<u32>(bits_of_double(d) >> 32);
    } else {
      low[i] = narrow_to(u.immediate, d, static_cast<rounding>(u.mode));
      if (u.flag0 && u.immediate == f32 && (low[i] & 0x7f800000u) == 0) low[i] &= 0x80000000u;
    }
  }
  store(m.w->reg(u.d), low, mask);
  if (u.immediate == f64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

double round_to_integer(double d, unsigned mode) {
  switch (mode) {
    case 1: return std::floor(d);
    case 2: return std::ceil(d);
    case 3: return std::trunc(d);
    default: return std::nearbyint(d);
  }
}

// A rounded value as an integer of `bits`, clamped. NaN is 0, or the top bit alone where 64 bits are on either side.
u64 clamp_integer(double d, unsigned bits, bool is_signed, bool from_double) {
  if (std::isnan(d)) return bits == 64 || from_double ? u64{1} << (bits - 1) : 0;
  const double top = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  if (is_signed) {
    if (d >= top) return (u64{1} << (bits - 1)) - 1;
    if (d < -top) return u64{0} - (u64{1} << (bits - 1));
    return static_cast<u64>(static_cast<i64>(d));
  }
  if (d <= 0) return 0;
  if (d >= top) return bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  return static_cast<u64>(d);
}

// kind: source format, immediate: bits of the target, flag2: signed. flag0 .FTZ, flag1: upper half of the source.
step f2i(machine& m, const micro_op& u, u32 mask) {
  const u32 *b = m.at(u.b, 1), *bh = m.at(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const double d = read_float(u.kind, b[i], bh[i], u.flag1, u.keep_b, u.flip_b, u.flag0);
    const u64 x = clamp_integer(round_to_integer(d, u.mode), u.immediate, u.flag2, u.kind == f64);
    low[i] = static_cast<u32>(x);
    high[i] = static_cast<u32>(x >> 32);
  }
  store(m.w->reg(u.d), low, mask);
  if (u.immediate == 64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

// An integer to a format with one rounding: 64-bit integers do not fit a double, so they are rounded by hand.
u64 float_of_integer(bool negative, u64 magnitude, unsigned format, rounding mode) {
  if (magnitude == 0) return 0;
  if (format != f64 && magnitude >> 53 == 0) {
    const double d = negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
    return narrow_to(format, d, mode);
  }
  // To odd at 53 bits for the small formats, in the instruction's mode for doubles.
  const int width = 64 - std::countl_zero(magnitude);
  if (width <= 53) return bits_of_double(negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude));
  const unsigned drop = static_cast<unsigned>(width - 53);
  u64 kept = 0;
  if (format == f64) {
    kept = round_bits(magnitude, drop, false, negative, mode);
    const double d = std::ldexp(static_cast<double>(kept), static_cast<int>(drop));
    return bits_of_double(negative ? -d : d);
  }
  kept = magnitude >> drop;
  if ((magnitude & ((u64{1} << drop) - 1)) != 0) kept |= 1;
  const double d = std::ldexp(static_cast<double>(kept), static_cast<int>(drop));
  return narrow_to(format, negative ? -d : d, mode);
}

// kind: log2 of the source's bytes, flag2: signed, immediate: target format, flag1.. in `offset`: which part of the
// word.
step i2f(machine& m, const micro_op& u, u32 mask) {
  const u32 *b = m.at(u.b, 1), *bh = m.at(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  const unsigned bits = 8u << u.kind, part = static_cast<unsigned>(u.offset);
  for (int i = 0; i < 32; ++i) {
    u64 x = join(b[i], u.kind == 3 ? bh[i] : 0);
    if (u.kind < 2) x = x >> (bits * part);
    const u64 sign = u64{1} << (bits - 1);
    x &= sign | (sign - 1);
    const bool negative = u.flag2 && (x & sign) != 0;
    const u64 magnitude = negative ? (u64{0} - x) & (sign | (sign - 1)) : x;
    const u64 r = float_of_integer(negative, magnitude, u.immediate, static_cast<rounding>(u.mode));
    low[i] = static_cast<u32>(r);
    high[i] = static_cast<u32>(r >> 32);
  }
  store(m.w->reg(u.d), low, mask);
  if (u.immediate == f64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

step frnd(machine& m, const micro_op& u, u32 mask) {
  const u32 *b = m.at(u.b, 1), *bh = m.at(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const double d = round_to_integer(read_float(u.kind, b[i], bh[i], u.flag1, u.keep_b, u.flip_b, u.flag0), u.mode);
    if (u.kind == f64) {
      const u64 x = std::isnan(d) ? hand_on_nan(bits_of_double(d), f64) : bits_of_double(d);
      low[i] = static_cast<u32>(x);
      high[i] = static_cast<u32>(x >> 32);
    } else {
      low[i] = narrow_to(u.kind, d, rounding::nearest_even);
    }
  }
  store(m.w->reg(u.d), low, mask);
  if (u.kind == f64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

// 8-bit floats: E4M3 has no infinity, its NaN is all ones; E5M2 is a short half.
double float_of_fp8(u32 b, bool e5m2) {
  if (e5m2) return float_of_half(static_cast<std::uint16_t>(b << 8));
  const int exponent = static_cast<int>(b >> 3 & 0xf);
  const int fraction = static_cast<int>(b & 7);
  if (exponent == 15 && fraction == 7) return std::nan("");
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return (b & 0x80) != 0 ? -magnitude : magnitude;
}
u32 fp8_of_float(double d, bool e5m2) {
  if (std::isnan(d)) return 0x7f;
  const u32 sign = std::signbit(d) ? 0x80 : 0;
  const double most = e5m2 ? 57344 : 448;
  const double magnitude = std::min(std::fabs(d), most);
  if (e5m2) {
    const u32 h = narrow_double(magnitude, 5, 2, rounding::nearest_even);
    return sign | std::min<u32>(h, 0x7b);
  }
  // E4M3 as a format with a larger exponent range that is cut at 448.
  const u32 h = narrow_double(magnitude, 5, 3, rounding::nearest_even);
  const int exponent = static_cast<int>(h >> 3) - 15, fraction = static_cast<int>(h & 7);
  if (magnitude < std::ldexp(1, -6)) {
    const double scaled = magnitude * 512;
    return sign | static_cast<u32>(std::nearbyint(scaled));
  }
  (void)fraction;
  return sign | std::min<u32>(static_cast<u32>((exponent + 7) << 3 | (h & 7)), 0x7e);
}

// mode: rounding; kind: 0 pack two, 1 convert b and keep the rest of c, 2 TF32, 3 unpack two 8-bit floats, 4 pack two
// to 8 bits above c. immediate: target (0 F16, 1 BF16, 4 E5M2, 5 E4M3); offset: source (0 F32, 1 F16, 2 E5M2, 3 E4M3).
// flag0 .RELU, flag1: upper half of b or c, flag2 .SATFINITE.
step f2fp(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
  alignas(32) u32 r[32];
  const auto mode = static_cast<rounding>(u.mode);
  const auto half = [&](double d) -> u32 {
    if (u.flag0 && !(d > 0) && d == d) d = 0;
    if (u.flag0 && d == 0) d = 0.0;
    // .SATFINITE: the largest finite number instead of infinity, whatever rounds to it.
    const double largest = u.immediate == 1 ? 0x1.fep127 : 65504.0;
    if (u.flag2 && std::fabs(d) > largest) d = std::copysign(largest, d);
    return u.immediate == 1 ? bfloat16_of_double(d, mode) : half_of_double(d, mode);
  };
  const auto eight = [&](double d) -> u32 {
    if (u.flag0 && d == d && !(d > 0)) d = 0.0;
    return fp8_of_float(d, u.immediate == 4);
  };
  for (int i = 0; i < 32; ++i) {
    const u32 x = (a[i] & u.keep_a) ^ u.flip_a, y = (b[i] & u.keep_b) ^ u.flip_b;
    switch (u.kind) {
      case 0: r[i] = half(float_of_bits(x)) << 16 | half(float_of_bits(y)); break;
      case 1: {
        const u32 rest = u.flag1 ? c[i] >> 16 : c[i] & 0xffff;
        r[i] = half(float_of_bits(y)) | rest << 16;
        break;
      }
      case 2: {
        // TF32: a float with 10 bits of fraction.
        double z = float_of_bits(y);
        if (u.flag0 && z <= 0) z = 0;
        r[i] = narrow_double(z, 8, 10, mode) << 13;
        break;
      }
      case 3: {
        const u32 two = u.flag1 ? b[i] >> 16 : b[i] & 0xffff;
        r[i] = half(float_of_fp8(two >> 8, u.offset == 2)) << 16 | half(float_of_fp8(two & 0xff, u.offset == 2));
        break;
      }
      default: {
        const double high = u.offset == 1 ? float_of_half(static_cast<std::uint16_t>(b[i] >> 16)) : float_of_bits(x);
        const double low = u.offset == 1 ? float_of_half(static_cast<std::uint16_t>(b[i])) : float_of_bits(y);
        r[i] = eight(high) << 8 | eight(low) | (u.flag1 ? c[i] >> 16 : c[i]) << 16;
        break;
      }
    }
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// Two floats to small integers, packed below the lower half of c (flag0: the upper). kind: 0 U8, 1 S8, 2 U16, 3 S16.
step f2ip(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
  const unsigned width = u.kind < 2 ? 8 : 16;
  const bool is_signed = (u.kind & 1) != 0;
  const auto one = [&](u32 x) {
    return static_cast<u32>(clamp_integer(round_to_integer(float_of_bits(x), u.mode), width, is_signed, false)) &
           ((1u << width) - 1);
  };
  alignas(64) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const u32 pair = one((a[i] & u.keep_a) ^ u.flip_a) << width | one((b[i] & u.keep_b) ^ u.flip_b);
    r[i] = width == 16 ? pair : pair | (u.flag0 ? c[i] >> 16 : c[i]) << 16;
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

}  // namespace

void add_convert(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::F2F, f2f);
  set(op::F2F64, f2f);
  set(op::F2I, f2i);
  set(op::F2I64, f2i);
  set(op::I2F, i2f);
  set(op::I2F64, i2f);
  set(op::I2FP, i2f);
  set(op::FRND, frnd);
  set(op::FRND64, frnd);
  set(op::F2FP, f2fp);
  set(op::F2IP, f2ip);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
