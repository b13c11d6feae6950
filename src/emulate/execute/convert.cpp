// Conversions between integers and floating-point formats.
#include <algorithm>
#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"
#include "emulate/execute/small_floats.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::float_format;

// Returns the source value as a double, which represents the value exactly. `keep` and `flip` are masks for the word
// with the sign bit: they apply the absolute value and the negation.
double read_float(float_format of, u32 low, u32 high, bool upper_half, u32 keep, u32 flip, bool ftz) {
  switch (of) {
    case float_format::f16:
    case float_format::bf16: {
      u32 h = upper_half ? low >> 16 : low & 0xffff;
      if (keep != ~0u) h &= 0x7fff;
      if (flip != 0) h ^= 0x8000;
      if (ftz && of == float_format::f16 && (h & 0x7c00) == 0) h &= 0x8000;
      return of == float_format::f16 ? float_of_half(static_cast<std::uint16_t>(h))
                                     : float_of_bfloat16(static_cast<std::uint16_t>(h));
    }
    case float_format::f32: {
      u32 x = (low & keep) ^ flip;
      if (ftz && (x & 0x7f800000u) == 0) x &= 0x80000000u;
      return float_of_bits(x);
    }
    default: return double_of_bits(join(low, (high & keep) ^ flip));
  }
}

u32 narrow_to(float_format to, double d, rounding mode) {
  if (to == float_format::f16) return half_of_double(d, mode);
  if (to == float_format::bf16) return bfloat16_of_double(d, mode);
  if (std::isnan(d)) return 0x7fffffffu;
  return narrow_double(d, 8, 23, mode);
}

// If the source or the result is a double, a NaN keeps its sign and the upper bits of its fraction.
u64 hand_on_nan(u64 bits, float_format to) {
  const u64 quiet = bits | quiet_bit_64;
  if (to == float_format::f64) return quiet;
  const u64 sign = bits >> 63, fraction = quiet & ((u64{1} << 52) - 1);
  if (to == float_format::f32) return sign << 31 | 0x7f800000u | fraction >> 29;
  if (to == float_format::f16) return sign << 15 | 0x7c00u | fraction >> 42;
  return sign << 15 | 0x7f80u | fraction >> 45;
}

step f2f(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_conversion>();
  const u32 *b = m.operand_row(u.b, 1), *bh = m.operand_row(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const double d = read_float(f.from, b[i], bh[i], f.upper_half, u.keep_b, u.flip_b, f.flushes);
    if (std::isnan(d) && (f.to == float_format::f64 || f.from == float_format::f64)) {
      const u64 x = hand_on_nan(bits_of_double(d), f.to);
      low[i] = static_cast<u32>(x);
      high[i] = static_cast<u32>(x >> 32);
    } else if (f.to == float_format::f64) {
      low[i] = static_cast<u32>(bits_of_double(d));
      high[i] = static_cast<u32>(bits_of_double(d) >> 32);
    } else {
      low[i] = narrow_to(f.to, d, f.rounding);
      if (f.flushes && f.to == float_format::f32 && (low[i] & 0x7f800000u) == 0) low[i] &= 0x80000000u;
    }
  }
  store(m.w->reg(u.d), low, mask);
  if (f.to == float_format::f64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

double round_to_integer(double d, rounding mode) {
  switch (mode) {
    case rounding::nearest_even: break;
    case rounding::down: return std::floor(d);
    case rounding::up: return std::ceil(d);
    case rounding::toward_zero: return std::trunc(d);
  }
  return std::nearbyint(d);
}

// Converts a rounded value to an integer of `bits` bits, and clamps it. NaN becomes 0 if the source and the result have
// at most 32 bits. Otherwise, NaN sets only the top bit of the result.
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

step f2i(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::to_integer>();
  const u32 *b = m.operand_row(u.b, 1), *bh = m.operand_row(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const double d = read_float(f.from, b[i], bh[i], f.upper_half, u.keep_b, u.flip_b, f.flushes);
    const u64 x = clamp_integer(round_to_integer(d, f.rounding), f.bits, f.is_signed, f.from == float_format::f64);
    low[i] = static_cast<u32>(x);
    high[i] = static_cast<u32>(x >> 32);
  }
  store(m.w->reg(u.d), low, mask);
  if (f.bits == 64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

// Converts an integer to a floating-point format with a single rounding.
u64 float_of_integer(bool negative, u64 magnitude, float_format to, rounding mode) {
  if (magnitude == 0) return 0;
  if (to != float_format::f64 && magnitude >> 53 == 0) {
    const double d = negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
    return narrow_to(to, d, mode);
  }
  // A larger integer is first rounded to 53 bits. If the result is not a double, it is rounded again, so the first
  // rounding must be to odd.
  const int width = 64 - std::countl_zero(magnitude);
  if (width <= 53) return bits_of_double(negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude));
  const unsigned drop = static_cast<unsigned>(width - 53);
  u64 kept = 0;
  if (to == float_format::f64) {
    kept = round_bits(magnitude, drop, false, negative, mode);
    const double d = std::ldexp(static_cast<double>(kept), static_cast<int>(drop));
    return bits_of_double(negative ? -d : d);
  }
  kept = magnitude >> drop;
  if ((magnitude & ((u64{1} << drop) - 1)) != 0) kept |= 1;
  const double d = std::ldexp(static_cast<double>(kept), static_cast<int>(drop));
  return narrow_to(to, negative ? -d : d, mode);
}

step i2f(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::from_integer>();
  const u32 *b = m.operand_row(u.b, 1), *bh = m.operand_row(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  const unsigned bits = f.bits, part = f.part;
  for (int i = 0; i < 32; ++i) {
    u64 x = join(b[i], bits == 64 ? bh[i] : 0);
    if (bits < 32) x = x >> (bits * part);
    const u64 sign = u64{1} << (bits - 1);
    x &= sign | (sign - 1);
    const bool negative = f.is_signed && (x & sign) != 0;
    const u64 magnitude = negative ? (u64{0} - x) & (sign | (sign - 1)) : x;
    const u64 r = float_of_integer(negative, magnitude, f.to, f.rounding);
    low[i] = static_cast<u32>(r);
    high[i] = static_cast<u32>(r >> 32);
  }
  store(m.w->reg(u.d), low, mask);
  if (f.to == float_format::f64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

step frnd(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_conversion>();
  const u32 *b = m.operand_row(u.b, 1), *bh = m.operand_row(u.b_high, 2);
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const double d =
        round_to_integer(read_float(f.to, b[i], bh[i], f.upper_half, u.keep_b, u.flip_b, f.flushes), f.rounding);
    if (f.to == float_format::f64) {
      const u64 x = std::isnan(d) ? hand_on_nan(bits_of_double(d), float_format::f64) : bits_of_double(d);
      low[i] = static_cast<u32>(x);
      high[i] = static_cast<u32>(x >> 32);
    } else {
      low[i] = narrow_to(f.to, d, rounding::nearest_even);
    }
  }
  store(m.w->reg(u.d), low, mask);
  if (f.to == float_format::f64) store(m.w->reg(u.d_high), high, mask);
  return step::next;
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
  // E4M3 has one exponent bit less than a half, which has 5 exponent bits. The largest number of E4M3 is 448 (0x7e).
  const u32 h = narrow_double(magnitude, 5, 3, rounding::nearest_even);
  const int exponent = static_cast<int>(h >> 3) - 15, fraction = static_cast<int>(h & 7);
  if (magnitude < std::ldexp(1, -6)) {
    const double scaled = magnitude * 512;
    return sign | static_cast<u32>(std::nearbyint(scaled));
  }
  (void)fraction;
  return sign | std::min<u32>(static_cast<u32>((exponent + 7) << 3 | (h & 7)), 0x7e);
}

// The value of a float of at most 8 bits in the low bits of a word.
double small_value(sass::pack_source from, u32 bits) {
  using enum sass::pack_source;
  switch (from) {
    case e5m2: return float_of_e5m2(static_cast<std::uint8_t>(bits));
    case e2m1: return value_of(e2m1_format, bits);
    case e2m3: return value_of(e2m3_format, bits);
    case e3m2: return value_of(e3m2_format, bits);
    case ue8m0: return float_of_ue8m0(bits & 0xff);
    default: return float_of_e4m3(static_cast<std::uint8_t>(bits));
  }
}
u32 small_bits(const sass::float_pack& f, double d) {
  using enum sass::pack_target;
  if (f.relu && d == d && !(d > 0)) d = 0.0;
  switch (f.form.to) {
    case ue8m0: return ue8m0_of_float(bits_of_float(static_cast<float>(d)), f.rounding == rounding::up, f.saturates);
    case e2m1: return small_bits_of(e2m1_format, d);
    case e2m3: return small_bits_of(e2m3_format, d);
    case e3m2: return small_bits_of(e3m2_format, d);
    default: return fp8_of_float(d, f.form.to == e5m2);
  }
}

enum class packing : std::uint8_t {
  two,
  one,     // packs one half; the other half of the result comes from c
  tf32,    // rounds a float to 10 bits of fraction
  unpack,  // converts two floats of at most 8 bits to halves
  eight,   // packs two floats of at most 8 bits into the low bits; the upper bits of the result come from c
};
packing packing_of(const sass::pack_form& f) {
  if (f.from_small()) return packing::unpack;
  if (f.to_small()) return packing::eight;
  return !f.unpacks && f.packs_b ? packing::tf32 : f.merges_one ? packing::one : packing::two;
}

step f2fp(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::float_pack>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  alignas(32) u32 r[32];
  const packing how = packing_of(f.form);
  const auto mode = f.rounding;
  const auto half = [&](double d) -> u32 {
    if (f.relu && !(d > 0) && d == d) d = 0;
    if (f.relu && d == 0) d = 0.0;
    // With .SATFINITE, the result is the largest finite number instead of infinity.
    const double largest = f.form.to == sass::pack_target::bf16 ? 0x1.fep127 : 65504.0;
    if (f.saturates && std::fabs(d) > largest) d = std::copysign(largest, d);
    return f.form.to == sass::pack_target::bf16 ? bfloat16_of_double(d, mode) : half_of_double(d, mode);
  };
  const unsigned width_from = f.form.from == sass::pack_source::e2m1 ? 4 : 8;
  const unsigned width_to = f.form.to == sass::pack_target::e2m1 ? 4 : 8;
  const bool plain = how == packing::two && mode == rounding::nearest_even && !f.relu && !f.saturates;
  const auto pack_all = [&](auto narrowed) {
    for (int i = 0; i < 32; ++i)
      r[i] = static_cast<u32>(narrowed(float_of_bits((a[i] & u.keep_a) ^ u.flip_a))) << 16 |
             narrowed(float_of_bits((b[i] & u.keep_b) ^ u.flip_b));
    store(m.w->reg(u.d), r, mask);
    return step::next;
  };
  if (plain && f.form.to == sass::pack_target::bf16) return pack_all([](float x) { return bfloat16_of_float(x); });
  if (plain) return pack_all([](float x) { return half_of_float(x); });
  for (int i = 0; i < 32; ++i) {
    const u32 x = (a[i] & u.keep_a) ^ u.flip_a, y = (b[i] & u.keep_b) ^ u.flip_b;
    switch (how) {
      case packing::two: r[i] = half(float_of_bits(x)) << 16 | half(float_of_bits(y)); break;
      case packing::one: {
        const u32 rest = f.upper_half ? c[i] >> 16 : c[i] & 0xffff;
        r[i] = half(float_of_bits(y)) | rest << 16;
        break;
      }
      case packing::tf32: {
        double z = float_of_bits(y);
        if (f.relu && z <= 0) z = 0;
        r[i] = narrow_double(z, 8, 10, mode) << 13;
        if (f.saturates && (r[i] & 0x7fffffff) == 0x7f800000) r[i] -= 0x2000;
        break;
      }
      case packing::unpack: {
        const u32 two = width_from == 4 ? b[i] >> 8 * f.byte : f.upper_half ? b[i] >> 16 : b[i];
        const auto number = [&](u32 word) { return small_value(f.form.from, word); };
        r[i] = half(number(two >> width_from)) << 16 | half(number(two));
        break;
      }
      case packing::eight: {
        const auto upper = static_cast<std::uint16_t>(b[i] >> 16), lower = static_cast<std::uint16_t>(b[i]);
        double high = float_of_bits(x), low = float_of_bits(y);
        if (f.form.from == sass::pack_source::f16) high = float_of_half(upper), low = float_of_half(lower);
        if (f.form.from == sass::pack_source::bf16) high = float_of_bfloat16(upper), low = float_of_bfloat16(lower);
        r[i] =
            small_bits(f, high) << width_to | small_bits(f, low) | (f.upper_half ? c[i] >> 16 : c[i]) << 2 * width_to;
        break;
      }
    }
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// Converts two floats to integers of 8 or 16 bits. Two 8-bit integers are in the low half of the result. In this case,
// one half of c becomes the high half.
step f2ip(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_pack>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const unsigned width = sass::bits_of(f.to);
  const bool is_signed = sass::is_signed(f.to);
  const auto one = [&](u32 bits) {
    float x = float_of_bits(bits);
    if (f.relu && x < 0) x = 0;
    return static_cast<u32>(clamp_integer(round_to_integer(x, f.rounding), width, is_signed, false)) &
           ((1u << width) - 1);
  };
  alignas(64) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const u32 pair = one((a[i] & u.keep_a) ^ u.flip_a) << width | one((b[i] & u.keep_b) ^ u.flip_b);
    r[i] = width == 16 ? pair : pair | (f.upper_half ? c[i] >> 16 : c[i]) << 16;
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
