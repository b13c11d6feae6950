#include "emulate/texture/texel_blend.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/float_bits.hpp"
#include "emulate/texture/srgb_table.hpp"

namespace bankwise::emulate {

namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr u32 no_number = 0x7fffffff, no_half = 0x7fffe000;

u32 raw_channel(const std::byte* from, const texel_format& f, unsigned channel) {
  u32 bits = 0;
  std::memcpy(&bits, from + channel * (f.bits / 8u), f.bits / 8u);
  return bits;
}
i32 extended(u32 bits, unsigned width) { return static_cast<i32>(bits << (32 - width)) >> (32 - width); }

// Whether a channel is sRGB. The format must have channels of 8 bits. With four channels, the first three are sRGB.
// With fewer channels, only the first channel is sRGB.
bool is_srgb(const texture& t, unsigned channel) {
  return t.srgb && t.format.kind == texel_kind::unsigned_integer && t.format.bits == 8 &&
         channel < (t.format.channels == 4 ? 3u : 1u);
}
float float_of_srgb(u32 byte) { return float_of_bits(u32{linear_of_srgb[byte]} << 16); }
int exponent_of(float f) { return static_cast<int>(bits_of_float(f) >> 23 & 0xff) - 127; }
// In filters, eight consecutive bytes share one exponent: the exponent of the last byte, but at least -7.
int exponent_of_srgb(u32 byte) { return std::max(exponent_of(float_of_srgb(byte | 7)), -7); }
u32 srgb_of_float(float c) {
  const double x = std::clamp(static_cast<double>(c), 0.0, 1.0);
  const double curve = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<u32>(std::floor(curve * 255 + 0.5));
}

// The border colour as an integer of the texture's format.
i32 border_steps(const texture& t, unsigned channel) {
  const texel_format& f = t.format;
  const bool is_signed = f.kind == texel_kind::signed_integer;
  const float most = is_signed ? (f.bits == 8 ? 127.0F : 32767.0F) : f.bits == 8 ? 255.0F : 65535.0F;
  return static_cast<i32>(std::ceil(std::clamp(t.border[channel], is_signed ? -1.0F : 0.0F, 1.0F) * most - 0.5F));
}
// The border colour for reads that return integers. The colour is truncated to the format's number of bits.
u32 integer_border(const texture& t, unsigned channel) {
  return bits_of_float(t.border[channel]) & (~0U >> (32 - t.format.bits));
}
// The border colour as a float. If the format has halves, the colour is rounded toward zero to a half.
float floating_border(const texture& t, unsigned channel) {
  const float b = t.border[channel];
  return t.format.bits == 32 ? b : float_of_half(half_of_double(static_cast<double>(b), rounding::toward_zero));
}

// A channel of 8 or 16 bits as an integer.
i32 steps(const texture& t, const std::byte* at, unsigned channel) {
  if (at == nullptr) return border_steps(t, channel);
  const u32 bits = raw_channel(at, t.format, channel);
  if (t.format.kind == texel_kind::unsigned_integer) return static_cast<i32>(bits);
  return extended(bits, t.format.bits);
}
float float_of_steps(const texture& t, i32 n) {
  const bool is_signed = t.format.kind == texel_kind::signed_integer;
  const double most = t.format.bits == 8 ? (is_signed ? 127.0 : 255.0) : (is_signed ? 32767.0 : 65535.0);
  return static_cast<float>(std::max(n / most, -1.0));
}

u32 srgb_channel(const texture& t, const std::byte* at, unsigned channel) {
  return at != nullptr ? raw_channel(at, t.format, channel) : srgb_of_float(t.border[channel]);
}
float float_channel(const texture& t, const std::byte* at, unsigned channel) {
  if (is_srgb(t, channel)) return float_of_srgb(srgb_channel(t, at, channel));
  if (t.format.kind != texel_kind::floating) return float_of_steps(t, steps(t, at, channel));
  if (at == nullptr) return floating_border(t, channel);
  const u32 bits = raw_channel(at, t.format, channel);
  return t.format.bits == 16 ? float_of_half(static_cast<std::uint16_t>(bits)) : float_of_bits(bits);
}

// The weighted sum of integers, as a float. Sums of bytes are first scaled to the range of 16 bits: the factor is 257
// for unsigned bytes, and 258 + 1/127 for signed bytes.
u32 blend_steps(const texture& t, const tap* taps, unsigned count, int bits, unsigned channel) {
  i64 sum = 0;
  for (unsigned n = 0; n < count; ++n)
    if (taps[n].weight != 0) sum += i64{steps(t, taps[n].at, channel)} * taps[n].weight;
  const bool is_signed = t.format.kind == texel_kind::signed_integer;
  const i64 half = i64{1} << (bits - 1);
  i64 rounded = 0;
  if (t.format.bits == 16)
    rounded = (sum + half) >> bits;
  else if (!is_signed)
    rounded = (sum * 257 + half) >> bits;
  else
    rounded = (((sum << 11) >> bits) + ((sum << 4) >> bits) + ((sum >> 4) >> bits) + 4) >> 3;
  return bits_of_float(
      static_cast<float>(std::max(static_cast<double>(rounded) / (is_signed ? 32767.0 : 65535.0), -1.0)));
}

// The precision of a sum of floats. `bits`: number of bits of the result after its first bit. `term_bits`: if the
// largest term of a quad has exponent e, the quad's terms are truncated to multiples of 2^(e - term_bits). `least`: the
// least exponent.
struct precision {
  int bits, term_bits, least;
  u32 nan;
};
constexpr precision of_floats{23, 27, -126, no_number}, of_halves{10, 14, -14, no_half}, of_srgb{10, 7, -14, no_half};

struct term {
  float value = 0;
  int exponent = 0;
};
// A sum of quads. `last`: the exponent of the last bit of `sum`. `coarsest`: the largest exponent `last` of its quads.
struct partial_sum {
  i64 sum = 0;
  int last = 0, coarsest = 0;
};
partial_sum sum_of_quad(const term* value, const tap* taps, unsigned count, int bits, const precision& p) {
  int most = -1000;
  for (unsigned n = 0; n < count; ++n)
    if (value[n].value != 0) most = std::max(most, value[n].exponent);
  const int last = most - p.term_bits;
  i64 sum = 0;
  for (unsigned n = 0; n < count; ++n) {
    const float f = value[n].value;
    if (f == 0) continue;
    const i64 mantissa = (bits_of_float(f) & 0x7fffff) | 0x800000;
    const int shift = exponent_of(f) - 23 - last;
    const i64 kept = shift >= 0 ? mantissa << shift : mantissa >> std::min(-shift, 31);
    sum += (std::signbit(f) ? -kept : kept) * taps[n].weight;
  }
  return {sum, last - bits, last - bits};
}
// Adds two sums. The result has at most one bit more than the coarser sum, and at most two bits more than the coarsest
// quad. Lower bits are dropped by rounding down.
partial_sum added(const partial_sum& a, const partial_sum& b) {
  if (b.sum == 0) return a;
  if (a.sum == 0) return b;
  const int coarsest = std::max(a.coarsest, b.coarsest);
  const int last = std::max({std::min(a.last, b.last), coarsest - 2, std::max(a.last, b.last) - 1});
  const auto moved = [&](const partial_sum& p) {
    return p.last >= last ? p.sum << (p.last - last) : p.sum >> std::min(last - p.last, 62);
  };
  return {moved(a) + moved(b), last, coarsest};
}

u32 blend_floats(const texture& t, const tap* taps, unsigned count, int bits, unsigned channel, const precision& p) {
  const bool srgb = is_srgb(t, channel);
  bool up = false, down = false, all_negative = true;
  partial_sum all;
  for (unsigned first = 0, end = 0; first < count; first = end) {
    std::array<term, 4> value;
    for (; end < count && end - first < value.size() && taps[end].quad == taps[first].quad; ++end) {
      const float f = taps[end].weight == 0 ? 0.0F : float_channel(t, taps[end].at, channel);
      if (std::isnan(f)) return p.nan;
      if (std::isinf(f)) (f > 0 ? up : down) = true;
      term& to = value[end - first];
      to.value = p.bits == 23 && std::fabs(f) < 0x1p-126F ? std::copysign(0.0F, f) : f;
      to.exponent = srgb ? exponent_of_srgb(srgb_channel(t, taps[end].at, channel)) : exponent_of(f);
      all_negative = all_negative && (taps[end].weight == 0 || std::signbit(f));
    }
    if (!up && !down) all = added(all, sum_of_quad(value.data(), taps + first, end - first, bits, p));
  }
  if (up && down) return p.nan;
  if (up || down) return up ? 0x7f800000 : 0xff800000;
  if (all.sum == 0) return all_negative ? 0x80000000 : 0;
  const u32 sign = all.sum < 0 ? 0x80000000 : 0;
  const auto magnitude = static_cast<std::uint64_t>(all.sum < 0 ? -all.sum : all.sum);
  // Rounds to nearest. Rounds away from zero in the middle between two numbers.
  const int top = all.last + static_cast<int>(std::bit_width(magnitude)) - 1;
  const int drop = std::max(top, p.least) - p.bits - all.last;
  const std::uint64_t kept = drop > 63  ? 0
                             : drop > 0 ? (magnitude + (std::uint64_t{1} << (drop - 1))) >> drop
                                        : magnitude << -drop;
  const double rounded =
      static_cast<double>(kept) * double_of_bits(static_cast<std::uint64_t>(1023 + all.last + drop) << 52);
  if (p.bits == 10 && rounded >= 65536) return sign | 0x7f800000;
  return sign | bits_of_float(static_cast<float>(rounded));
}

}  // namespace

bool gives_integers(const texture& t) {
  return t.format.kind != texel_kind::floating && (t.as_integers || t.format.bits == 32);
}

texel read_texel(const texture& t, const std::byte* at) {
  texel r{};
  const texel_format& f = t.format;
  for (unsigned k = 0; k < f.channels; ++k) {
    if (gives_integers(t)) {
      const u32 bits = at != nullptr ? raw_channel(at, f, k) : integer_border(t, k);
      r[k] = f.kind == texel_kind::signed_integer ? static_cast<u32>(extended(bits, f.bits)) : bits;
    } else if (f.kind == texel_kind::floating && f.bits == 32 && at != nullptr) {
      r[k] = raw_channel(at, f, k);
    } else {
      r[k] = bits_of_float(float_channel(t, at, k));
    }
  }
  return r;
}

texel without_specials(const texture& t, texel r) {
  if (t.format.kind != texel_kind::floating) return r;
  for (u32& n : r) {
    const float f = float_of_bits(n);
    if (std::isnan(f)) n = no_number;
    if (std::fabs(f) < 0x1p-126F) n &= 0x80000000;
  }
  return r;
}

texel blend(const texture& t, const tap* taps, unsigned count, int bits) {
  texel r{};
  for (unsigned k = 0; k < t.format.channels; ++k) {
    const bool is_half = t.format.kind == texel_kind::floating && t.format.bits == 16;
    r[k] = is_srgb(t, k)                           ? blend_floats(t, taps, count, bits, k, of_srgb)
           : is_half                               ? blend_floats(t, taps, count, bits, k, of_halves)
           : t.format.kind == texel_kind::floating ? blend_floats(t, taps, count, bits, k, of_floats)
                                                   : blend_steps(t, taps, count, bits, k);
  }
  return r;
}

}  // namespace bankwise::emulate
