// Texels, coordinates and weights as the texture units of an H100 have them.
#include "emulate/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/float_bits.hpp"

namespace bankwise::emulate {

namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr int fraction_bits = 8;
constexpr i32 one = 1 << fraction_bits;

// --- texels

float linear_of_srgb(u32 byte) {
  const double c = byte / 255.0;
  return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

struct channels {
  std::array<float, 4> value{};
};

bool gives_integers(const texture& t) {
  return t.format.kind != texel_kind::floating && (t.as_integers || t.format.bits == 32);
}
u32 raw_channel(const std::byte* from, const texel_format& f, unsigned channel) {
  u32 bits = 0;
  std::memcpy(&bits, from + channel * (f.bits / 8u), f.bits / 8u);
  return bits;
}
u32 extended(u32 bits, const texel_format& f) {
  if (f.kind != texel_kind::signed_integer || f.bits == 32) return bits;
  return static_cast<u32>(static_cast<i32>(bits << (32 - f.bits)) >> (32 - f.bits));
}
float float_channel(const texture& t, u32 bits, unsigned channel) {
  const texel_format& f = t.format;
  if (f.kind == texel_kind::floating) return f.bits == 16 ? float_of_half(static_cast<std::uint16_t>(bits)) : std::bit_cast<float>(bits);
  if (f.kind == texel_kind::unsigned_integer) {
    if (t.srgb && channel < 3) return linear_of_srgb(bits);
    return static_cast<float>(bits / (f.bits == 8 ? 255.0 : 65535.0));
  }
  const double most = f.bits == 8 ? 127.0 : 32767.0;
  return static_cast<float>(std::max(static_cast<i32>(extended(bits, f)) / most, -1.0));
}

// --- coordinates

// Where an index past an edge is; nothing: outside, where the border is.
bool place(i64& n, i64 size, address_mode mode) {
  switch (mode) {
    case address_mode::wrap: n = (n % size + size) % size; return true;
    case address_mode::clamp: n = std::clamp<i64>(n, 0, size - 1); return true;
    case address_mode::mirror: {
      n = (n % (2 * size) + 2 * size) % (2 * size);
      if (n >= size) n = 2 * size - 1 - n;
      return true;
    }
    case address_mode::border: return n >= 0 && n < size;
  }
  return false;
}
address_mode mode_of(const texture& t, unsigned axis) {
  if (t.shape == texture_shape::cube) return address_mode::clamp;
  const address_mode m = t.modes[axis];
  // Wrapping is there for normalised coordinates alone.
  return !t.normalized && (m == address_mode::wrap || m == address_mode::mirror) ? address_mode::clamp : m;
}

// What the hardware makes of a coordinate first: nothing that is too small, and of wrapping ones the part that counts.
float without_tiny(float x) { return std::fabs(x) < 0x1p-126F || std::isnan(x) ? 0.0F : x; }
double scaled(float x, float size, bool normalized, address_mode mode) {
  x = without_tiny(x);
  if (!normalized) return std::clamp<double>(x, -0x1p24, 0x1p24);
  double part = x;
  if (mode == address_mode::wrap || mode == address_mode::mirror) {
    if (std::isinf(x)) return 0;
    part = mode == address_mode::wrap ? part - std::floor(part) : part - 2 * std::floor(part / 2);
  }
  part = std::clamp(part, -0x1p8, 0x1p8);
  // Bits behind the point of a normalised coordinate, by the size; measured.
  const double bits = size > 65536 ? 0x1p23 : size > 8192 ? 0x1p22 : 0x1p21;
  return std::floor(part * bits) / bits * size;
}
bool is_relative(const texture& t) { return t.normalized || t.shape == texture_shape::cube; }
i64 fixed_coordinate(const texture& t, float x, float size, unsigned axis) {
  return static_cast<i64>(std::floor(scaled(x, size, is_relative(t), mode_of(t, axis)) * one + 0.5));
}
i64 point_coordinate(const texture& t, float x, float size, unsigned axis) {
  return static_cast<i64>(std::floor(scaled(x, size, is_relative(t), mode_of(t, axis))));
}

// The border in a format's own precision; whole numbers have none.
float border_of(const texture& t, unsigned channel) {
  const float b = t.border[channel];
  const texel_format& f = t.format;
  if (f.kind == texel_kind::floating) return b;
  const float least = f.kind == texel_kind::signed_integer ? -1.0F : 0.0F;
  const float most = f.kind == texel_kind::signed_integer ? (f.bits == 8 ? 127.0F : 32767.0F)
                     : f.bits == 8                        ? 255.0F
                                                          : 65535.0F;
  return std::ceil(std::clamp(b, least, 1.0F) * most - 0.5F) / most;
}

// Of whole numbers: its bits, as far as they fit.
u32 integer_border(const texture& t, unsigned channel) {
  const u32 bits = std::bit_cast<u32>(t.border[channel]);
  return t.format.bits == 32 ? bits : 0;
}

class level_reader {
 public:
  level_reader(const texture_bytes& t, unsigned level) : t_(*t.what), l_(t_.levels[level]), bytes_(t.levels[level]) {}

  const texture_level& level() const { return l_; }
  const std::byte* texel_at(i64 x, i64 y, i64 z) const {
    return bytes_ + static_cast<std::uint64_t>(z) * l_.slice + static_cast<std::uint64_t>(y) * l_.pitch +
           static_cast<std::uint64_t>(x) * t_.format.bytes();
  }
  // The texel at any index; the border where there is none.
  channels at(i64 x, i64 y, i64 z) const {
    channels c;
    if (!inside(x, y, z)) {
      for (unsigned k = 0; k < t_.format.channels; ++k) c.value[k] = border_of(t_, k);
      return c;
    }
    const std::byte* const from = texel_at(x, y, z);
    for (unsigned k = 0; k < t_.format.channels; ++k)
      c.value[k] = float_channel(t_, raw_channel(from, t_.format, k), k);
    return c;
  }
  texel bits_at(i64 x, i64 y, i64 z) const {
    texel r{};
    const bool is_inside = inside(x, y, z);
    const std::byte* const from = is_inside ? texel_at(x, y, z) : nullptr;
    for (unsigned k = 0; k < t_.format.channels; ++k) {
      if (gives_integers(t_))
        r[k] = is_inside ? extended(raw_channel(from, t_.format, k), t_.format) : integer_border(t_, k);
      else if (t_.format.kind == texel_kind::floating && t_.format.bits == 32)
        r[k] = is_inside ? raw_channel(from, t_.format, k) : std::bit_cast<u32>(t_.border[k]);
      else
        r[k] = std::bit_cast<u32>(is_inside ? float_channel(t_, raw_channel(from, t_.format, k), k) : border_of(t_, k));
    }
    return r;
  }

 private:
  bool inside(i64& x, i64& y, i64& z) const {
    bool in = place(x, l_.width, mode_of(t_, 0));
    in &= place(y, l_.height, mode_of(t_, 1));
    if (t_.shape == texture_shape::three) in &= place(z, l_.depth, mode_of(t_, 2));
    return in;
  }

  const texture& t_;
  const texture_level& l_;
  const std::byte* bytes_;
};

i64 layer_of(const texture& t, const texture_level& l, u32 layer) {
  if (!t.layered) return 0;
  return std::min(layer, l.depth - 1);
}

// --- the blend

// Of two by two texels: the last weight is rounded, the others are what is left of the weights of rows and columns.
std::array<i32, 4> weights_of(i32 across, i32 down) {
  const i32 both = (across * down + one / 2) >> fraction_bits;
  return {one - across - down + both, across - both, down - both, both};
}
// Of two by two by two: the same for x and z, each of which y divides.
std::array<i32, 8> weights_of(i32 x, i32 y, i32 z) {
  const std::array<i32, 4> flat = weights_of(x, z);
  std::array<i32, 8> all{};
  for (unsigned n = 0; n < 4; ++n) {
    const bool is_x = (n & 1) != 0, is_z = (n & 2) != 0;
    const i32 half = is_x && is_z ? one / 2 : one / 2 - 1;
    const i32 next = (flat[n] * y + half) >> fraction_bits;
    const unsigned corner = (is_x ? 1 : 0) + (is_z ? 4 : 0);
    all[corner] = flat[n] - next;
    all[corner + 2] = next;
  }
  return all;
}

// To the nearest number of so many mantissa bits; what is in the middle goes away from zero.
double rounded_away(double x, int bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double least = std::ldexp(1.0, std::max(std::ilogb(x), -126) - bits);
  return std::copysign(std::floor(std::fabs(x) / least + 0.5) * least, x);
}
// The sum of weighted channels, in the precision that a format has.
float blended(const texture& t, const double* value, const i32* weight, unsigned count) {
  const texel_format& f = t.format;
  double sum = 0;
  for (unsigned n = 0; n < count; ++n)
    if (weight[n] != 0) sum += value[n] * weight[n] / one;
  if (f.kind == texel_kind::floating) {
    if (f.bits == 32) return static_cast<float>(rounded_away(sum, 23));
    return static_cast<float>(rounded_away(sum, 10));
  }
  const double most = f.kind == texel_kind::unsigned_integer ? 65535.0 : 32767.0;
  const bool is_signed = f.kind == texel_kind::signed_integer;
  return static_cast<float>((is_signed ? std::ceil(sum * most - 0.5) : std::floor(sum * most + 0.5)) / most);
}

// The face of a direction, and where on it.
unsigned take_face(std::array<float, 3>& at) {
  const float x = at[0], y = at[1], z = at[2];
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto put = [&](float s, float t, float most) {
    at[0] = (s / most + 1) / 2;
    at[1] = (t / most + 1) / 2;
  };
  if (az >= ax && az >= ay) {
    put(z < 0 ? -x : x, -y, az);
    return z < 0 ? 5 : 4;
  }
  if (ay >= ax) {
    put(x, y < 0 ? -z : z, ay);
    return y < 0 ? 3 : 2;
  }
  put(x < 0 ? z : -z, -y, ax);
  return x < 0 ? 1 : 0;
}

texel sample_level(const texture_bytes& t, const texture_read& asked, unsigned level) {
  const texture& what = *t.what;
  texture_read r = asked;
  const level_reader from(t, level);
  const texture_level& l = from.level();
  const unsigned axes = what.shape == texture_shape::three ? 3 : 2;
  const float size[] = {static_cast<float>(l.width), static_cast<float>(l.height), static_cast<float>(l.depth)};
  i64 at[3] = {0, 0, layer_of(what, l, r.layer)};
  if (what.shape == texture_shape::cube) {
    const u32 cube = what.layered ? std::min(r.layer, l.depth / 6 - 1) : 0;
    at[2] = cube * 6 + take_face(r.at);
  }
  if (!what.linear || gives_integers(what)) {
    for (unsigned a = 0; a < axes; ++a) at[a] = point_coordinate(what, r.at[a], size[a], a) + r.offset[a];
    return from.bits_at(at[0], at[1], at[2]);
  }
  i32 part[3] = {};
  for (unsigned a = 0; a < axes; ++a) {
    const i64 fixed = fixed_coordinate(what, r.at[a], size[a], a) - one / 2;
    at[a] = (fixed >> fraction_bits) + r.offset[a];
    part[a] = static_cast<i32>(fixed & (one - 1));
  }
  std::array<i32, 8> weight{};
  if (axes == 3) {
    weight = weights_of(part[0], part[1], part[2]);
  } else {
    const std::array<i32, 4> flat = weights_of(part[0], part[1]);
    std::copy(flat.begin(), flat.end(), weight.begin());
  }
  double value[4][8] = {};
  for (unsigned corner = 0; corner < 1u << axes; ++corner) {
    i64 p[3] = {at[0], at[1], at[2]};
    for (unsigned a = 0; a < axes; ++a) p[a] += corner >> a & 1;
    if (weight[corner] == 0) continue;
    const channels c = from.at(p[0], p[1], p[2]);
    for (unsigned k = 0; k < what.format.channels; ++k) value[k][corner] = c.value[k];
  }
  texel out{};
  for (unsigned k = 0; k < what.format.channels; ++k)
    out[k] = std::bit_cast<u32>(blended(what, value[k], weight.data(), 1u << axes));
  return out;
}

// The level to read, with fraction bits.
i32 level_of(const texture& t, const texture_read& r) {
  const float most = static_cast<float>(t.levels.size() - 1);
  float level = r.level;
  if (r.has_gradient) {
    const texture_level& l = t.levels[0];
    const float size[] = {static_cast<float>(l.width), static_cast<float>(l.height), static_cast<float>(l.depth)};
    double across = 0, down = 0;
    for (unsigned a = 0; a < 3; ++a) {
      across += std::pow(static_cast<double>(r.across[a]) * size[a], 2);
      down += std::pow(static_cast<double>(r.down[a]) * size[a], 2);
    }
    level = static_cast<float>(std::log2(std::max(std::max(across, down), 0x1p-60)) / 2);
  }
  if (std::isnan(level)) level = 0;
  level = std::clamp(level + t.level_bias, t.first_level, std::max(t.last_level, t.first_level));
  return static_cast<i32>(std::floor(std::clamp(level, 0.0F, most) * one + 0.5F));
}

}  // namespace

texel sample(const texture_bytes& t, const texture_read& r) {
  const texture& what = *t.what;
  const auto levels = static_cast<i32>(what.levels.size());
  if (levels == 1) return sample_level(t, r, 0);
  const i32 fixed = level_of(what, r);
  if (!what.linear_between_levels) return sample_level(t, r, static_cast<unsigned>((fixed + one / 2) >> fraction_bits));
  const i32 upper = fixed & (one - 1);
  const auto level = static_cast<unsigned>(fixed >> fraction_bits);
  const texel a = sample_level(t, r, level);
  if (upper == 0) return a;
  const texel b = sample_level(t, r, level + 1);
  texel out{};
  const i32 weight[] = {one - upper, upper};
  for (unsigned k = 0; k < what.format.channels; ++k) {
    const double value[] = {static_cast<double>(std::bit_cast<float>(a[k])),
                            static_cast<double>(std::bit_cast<float>(b[k]))};
    out[k] = gives_integers(what) ? a[k] : std::bit_cast<u32>(blended(what, value, weight, 2));
  }
  return out;
}

texel fetch(const texture_bytes& t, const texture_read& r, std::int32_t level) {
  const texture& what = *t.what;
  if (level < 0 || level >= static_cast<i32>(what.levels.size())) return {};
  const level_reader from(t, static_cast<unsigned>(level));
  i64 at[3] = {};
  for (unsigned a = 0; a < 3; ++a) at[a] = i64{r.index[a]} + r.offset[a];
  const texture_level& l = from.level();
  if (what.layered) at[2] = layer_of(what, l, r.layer);
  const bool is_flat = what.shape != texture_shape::three && !what.layered;
  if (is_flat) at[2] = 0;
  // What is outside is zero, whatever the modes say.
  const auto inside = [](i64 n, u32 size) { return n >= 0 && n < size; };
  if (!inside(at[0], l.width) || !inside(at[1], l.height) || (!what.layered && !inside(at[2], l.depth))) return {};
  return from.bits_at(at[0], at[1], at[2]);
}

texel gather(const texture_bytes& t, const texture_read& r, unsigned channel) {
  const texture& what = *t.what;
  const level_reader from(t, 0);
  const texture_level& l = from.level();
  const float size[] = {static_cast<float>(l.width), static_cast<float>(l.height)};
  i64 at[2];
  for (unsigned a = 0; a < 2; ++a)
    at[a] = ((fixed_coordinate(what, r.at[a], size[a], a) - one / 2) >> fraction_bits) + r.offset[a];
  if (channel >= what.format.channels) return {};
  const i64 z = layer_of(what, l, r.layer);
  const auto one_of = [&](i64 x, i64 y) { return from.bits_at(at[0] + x, at[1] + y, z)[channel]; };
  return {one_of(0, 1), one_of(1, 1), one_of(1, 0), one_of(0, 0)};
}

}  // namespace bankwise::emulate
