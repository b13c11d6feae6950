// Texels, coordinates and weights, as in the texture units of an H100.
#include "emulate/texture/texture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "emulate/texture/texel_blend.hpp"
#include "emulate/texture/texture_lod.hpp"
#include "emulate/texture/texture_probes.hpp"

namespace bankwise::emulate {

namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr i32 one = whole_weight;

// --- Coordinates

// Replaces an index outside the level as the address mode requires. Returns false if the index is in the border.
bool place(i64& n, i64 size, address_mode mode) {
  if (n >= 0 && n < size) return true;
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
  const address_mode m = t.modes[axis];
  if (t.shape == texture_shape::cube) return t.seamless ? address_mode::clamp : m;
  // Wrapping modes exist only for normalised coordinates.
  return !t.normalized && (m == address_mode::wrap || m == address_mode::mirror) ? address_mode::clamp : m;
}

// The hardware first replaces very small coordinates by 0. In wrapping modes, the hardware then keeps only the
// fraction.
double without_tiny(double x) { return std::fabs(x) < 0x1p-126 || std::isnan(x) ? 0.0 : x; }
double scaled(double x, float size, bool normalized, address_mode mode) {
  x = without_tiny(x);
  if (!normalized) return std::clamp(x, -0x1p24, 0x1p24);
  double part = x;
  if (mode == address_mode::wrap || mode == address_mode::mirror) {
    if (std::isinf(x)) return 0;
    part = mode == address_mode::wrap ? part - std::floor(part) : part - 2 * std::floor(part / 2);
  }
  part = std::clamp(part, -0x1p8, 0x1p8);
  // The number of bits after the point of a normalised coordinate depends on the size of the texture. The numbers of
  // bits were measured.
  const double bits = size > 65536 ? 0x1p23 : size > 8192 ? 0x1p22 : 0x1p21;
  return std::floor(part * bits) / bits * size;
}
bool is_relative(const texture& t) { return t.normalized || t.shape == texture_shape::cube; }
i64 fixed_coordinate(const texture& t, double x, float size, unsigned axis) {
  return static_cast<i64>(std::floor(scaled(x, size, is_relative(t), mode_of(t, axis)) * one + 0.5));
}
i64 point_coordinate(const texture& t, double x, float size, unsigned axis, i32 by) {
  return static_cast<i64>(
      std::floor(scaled(x, size, is_relative(t), mode_of(t, axis)) + static_cast<double>(by) / one));
}

class level_reader {
 public:
  level_reader(const texture_bytes& t, unsigned level)
      : t_(*t.what), l_(t_.levels[level]), bytes_(t.levels[level]), touched_(t.touched), number_(level) {}

  const texture_level& level() const { return l_; }
  const std::byte* texel_at(i64 x, i64 y, i64 z) const {
    if (touched_ != nullptr)
      touched_->push_back({number_, static_cast<u32>(x), static_cast<u32>(y), static_cast<u32>(z)});
    return bytes_ + static_cast<std::uint64_t>(z) * l_.slice + static_cast<std::uint64_t>(y) * l_.pitch +
           static_cast<std::uint64_t>(x) * t_.format.bytes();
  }
  // The texel at any index. Null if the index is in the border.
  const std::byte* at(i64 x, i64 y, i64 z) const {
    bool in = place(x, l_.width, mode_of(t_, 0));
    in &= place(y, l_.height, mode_of(t_, 1));
    if (t_.shape == texture_shape::three) in &= place(z, l_.depth, mode_of(t_, 2));
    if (in) return texel_at(x, y, z);
    // For a texel in the border, the texture unit looks up the nearest texel of the level.
    if (touched_ != nullptr)
      texel_at(std::clamp<i64>(x, 0, l_.width - 1), std::clamp<i64>(y, 0, l_.height - 1),
               std::clamp<i64>(z, 0, l_.depth - 1));
    return nullptr;
  }

 private:
  const texture& t_;
  const texture_level& l_;
  const std::byte* bytes_;
  std::vector<touched_texel>* touched_;
  unsigned number_;
};

i64 layer_of(const texture& t, const texture_level& l, u32 layer) {
  if (!t.layered) return 0;
  return std::min(layer, l.depth - 1);
}

// --- Cubes

// Returns the face of a direction, and replaces `at` by the position on the face. NaN counts as smaller than all
// numbers, and its position is the middle of the face.
unsigned take_face(std::array<double, 3>& at) {
  const auto size = [](double part) { return std::isnan(part) ? -1.0 : std::fabs(part); };
  const double x = at[0], y = at[1], z = at[2];
  const double ax = size(x), ay = size(y), az = size(z);
  const auto put = [&](double s, double t, double most) {
    const auto place = [&](double part) { return std::isnan(part / most) ? 0.5 : (part / most + 1) / 2; };
    at[0] = place(s);
    at[1] = place(t);
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

// The texel next to an edge of a face. The position is computed in the doubled coordinates of a cube whose faces are at
// the distance `size` from its centre.
struct face_place {
  i64 face, x, y;
};
face_place across_edge(i64 face, i64 x, i64 y, i64 size) {
  const i64 a = 2 * x + 1 - size, b = 2 * y + 1 - size;
  const std::array<std::array<i64, 3>, 6> points{
      {{size, -b, -a}, {-size, -b, a}, {a, size, b}, {a, -size, -b}, {a, -b, size}, {-a, -b, -size}}};
  std::array<i64, 3> p = points[static_cast<std::size_t>(face)];
  const auto axis = static_cast<std::size_t>(face / 2);
  for (std::size_t n = 0; n < 3; ++n)
    if (n != axis && std::abs(p[n]) > size) {
      p[axis] = p[axis] < 0 ? 1 - size : size - 1;
      p[n] = p[n] < 0 ? -size : size;
    }
  std::array<double, 3> at{static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
  const unsigned other = take_face(at);
  return {other, static_cast<i64>(at[0] * static_cast<double>(size)),
          static_cast<i64>(at[1] * static_cast<double>(size))};
}

// --- Inputs of a filter

// The largest number of texels of a read. `few_taps` is for two levels of a three-dimensional texture. `many_taps` is
// for two levels of a two-dimensional texture with probes.
constexpr unsigned few_taps = 16, many_taps = 2 * max_probes * 4;
struct taps {
  tap* all;  // an array of few_taps or many_taps elements
  unsigned count = 0;
  std::uint8_t quad = 0;

  void add(const std::byte* at, i32 weight) { all[count++] = {at, weight, quad}; }
};

// Adds four texels of a cube's face or of its neighbouring faces. At a corner of the cube, there are only three texels,
// which share the weight of the missing texel. The texel of this face gets the remainder of the division.
void take_seamless(const level_reader& from, i64 cube, i64 face, i64 x, i64 y, const i32* weight, taps& to) {
  const i64 size = from.level().width;
  const auto outside = [&](i64 n) { return n < 0 || n >= size; };
  i32 shared = 0, share = 0;
  for (unsigned n = 0; n < 4; ++n)
    if (outside(x + (n & 1)) && outside(y + (n >> 1))) shared = weight[n], share = (2 * shared + 3) / 6;
  for (unsigned n = 0; n < 4; ++n) {
    const i64 i = x + (n & 1), j = y + (n >> 1);
    if (outside(i) && outside(j)) continue;
    const bool is_inside = !outside(i) && !outside(j);
    const face_place p = is_inside ? face_place{face, i, j} : across_edge(face, i, j, size);
    to.add(from.texel_at(p.x, p.y, cube * 6 + p.face), weight[n] + (is_inside ? shared - 2 * share : share));
  }
}

// A distance in 256ths of a texel.
using shift = std::array<i32, 2>;

// Adds the texels of a level. The weights add up to `total`, which is divided along z, then along x, then along y. Each
// division computes the weight of one part, and the other part gets the rest. A weight in the middle between two
// integers is rounded:
//   - down for the slice at z + 1
//   - up for the column at x + 1
//   - down for the texel (x, y + 1)
//   - up for the texel (x + 1, y + 1)
void take_level(const texture_bytes& t, const texture_read& r, unsigned level, i32 total, const shift& by, taps& to) {
  const texture& what = *t.what;
  const level_reader from(t, level);
  const texture_level& l = from.level();
  const unsigned axes = what.shape == texture_shape::three ? 3 : 2;
  const float size[] = {static_cast<float>(l.width), static_cast<float>(l.height), static_cast<float>(l.depth)};
  i64 at[3] = {0, 0, layer_of(what, l, r.layer)};
  i64 cube = 0, face = 0;
  std::array<double, 3> coordinate{r.at[0], r.at[1], r.at[2]};
  if (what.shape == texture_shape::cube) {
    cube = what.layered ? std::min(r.layer, l.depth / 6 - 1) : 0;
    face = take_face(coordinate);
    at[2] = cube * 6 + face;
  }
  if (!what.linear || gives_integers(what)) {
    for (unsigned a = 0; a < axes; ++a)
      at[a] = point_coordinate(what, coordinate[a], size[a], a, a < 2 ? by[a] : 0) + r.offset[a];
    to.add(from.at(at[0], at[1], at[2]), total);
    ++to.quad;
    return;
  }
  const bool is_seamless = what.shape == texture_shape::cube && what.seamless;
  i32 part[3] = {};
  for (unsigned a = 0; a < axes; ++a) {
    i64 fixed =
        fixed_coordinate(what, coordinate[a], size[a], a) - one / 2 + i64{r.offset[a]} * one + (a < 2 ? by[a] : 0);
    // Texels outside the clamped range are not blended. This matters if weights are rounded.
    if (mode_of(what, a) == address_mode::clamp && !is_seamless)
      fixed = std::clamp<i64>(fixed, 0, (static_cast<i64>(size[a]) - 1) * one);
    at[a] = fixed >> weight_bits;
    part[a] = static_cast<i32>(fixed & (one - 1));
  }
  const i32 after = (total * part[2] + one / 2 - 1) >> weight_bits;
  for (unsigned z = 0; z < axes - 1; ++z) {
    const i32 slice = z == 0 ? total - after : after;
    if (slice == 0) continue;
    ++to.quad;
    const i32 right = (slice * part[0] + one / 2) >> weight_bits;
    const i32 left = slice - right;
    const i32 below_left = (left * part[1] + one / 2 - 1) >> weight_bits;
    const i32 below_right = (right * part[1] + one / 2) >> weight_bits;
    const i32 weight[] = {left - below_left, right - below_right, below_left, below_right};
    if (is_seamless) {
      take_seamless(from, cube, face, at[0], at[1], weight, to);
      continue;
    }
    for (unsigned n = 0; n < 4; ++n)
      if (weight[n] != 0) to.add(from.at(at[0] + (n & 1), at[1] + (n >> 1), at[2] + z), weight[n]);
  }
}

// Adds the texels of all probes on a level. The weights add up to `total`. The running sum of the weights is rounded
// after each probe. Returns the number of bits of the weights.
int take_probes(const texture_bytes& t, const texture_read& r, unsigned level, i32 total, const probes& at, taps& to) {
  i32 sum = 0, used = 0;
  for (unsigned n = 0; n < at.count; ++n) {
    const probe& p = at.all[n];
    sum += p.weight * total;
    const i32 here = ((sum + one / 2) >> weight_bits) - used;
    used += here;
    take_level(t, r, level, here, {2 * p.offset[0], 2 * p.offset[1]}, to);
  }
  return at.bits;
}
// On the first level, steps between probes are in texels of the requested level. On the second level, steps are in
// texels of the second level.
texel sample_along_axis(const texture_bytes& t, const texture_read& r, const footprint& f) {
  const texture& what = *t.what;
  std::array<tap, many_taps> many;
  taps found{many.data()};
  const i32 after = what.linear_between_levels ? f.level & (one - 1) : 0;
  const i32 level = (what.linear_between_levels ? f.level : f.level + one / 2) >> weight_bits;
  // With trilinear optimization, only the nearest level is read if the distance to this level is at most a quarter of a
  // level.
  const i32 upper = what.trilinear_optimization ? std::clamp(2 * after - one / 2, 0, one) : after;
  int bits = weight_bits;
  if (upper != one)
    bits = take_probes(t, r, static_cast<unsigned>(level), one - upper, probes_of(f.axis, f.length, upper), found);
  if (upper == 0) return blend(what, many.data(), found.count, bits);
  const unsigned first = found.count;
  const int more =
      take_probes(t, r, static_cast<unsigned>(level) + 1, upper, probes_of(f.axis, f.length + upper - one, 0), found);
  const int all = std::max(bits, more);
  for (unsigned n = 0; n < found.count; ++n) many[n].weight <<= all - (n < first ? bits : more);
  return blend(what, many.data(), found.count, all);
}

// Whether the texture has no texels. Its memory may be described as empty.
bool is_empty(const texture& t) { return t.levels[0].width == 0; }

}  // namespace

texel sample(const texture_bytes& t, const texture_read& r) {
  const texture& what = *t.what;
  if (what.is_linear_memory || is_empty(what)) return {};
  std::array<tap, few_taps> few;
  taps found{few.data()};
  const bool is_along_axis = r.has_gradient && what.most_anisotropy > 1 && !gives_integers(what);
  if (what.levels.size() == 1 && !is_along_axis) {
    take_level(t, r, 0, one, {}, found);
  } else {
    const footprint f = footprint_of(what, r);
    if (is_along_axis && (f.axis[0] != 0 || f.axis[1] != 0)) return sample_along_axis(t, r, f);
    const i32 fixed = f.level;
    const i32 upper = what.linear_between_levels ? fixed & (one - 1) : 0;
    const auto level = static_cast<unsigned>((what.linear_between_levels ? fixed : fixed + one / 2) >> weight_bits);
    take_level(t, r, level, one - upper, {}, found);
    if (upper != 0 && !gives_integers(what)) take_level(t, r, level + 1, upper, {}, found);
  }
  const bool is_blended = what.linear || (what.linear_between_levels && what.levels.size() > 1);
  if (gives_integers(what) || !is_blended) return read_texel(what, few[0].at);
  return blend(what, few.data(), found.count, weight_bits);
}

texel fetch(const texture_bytes& t, const texture_read& r, std::int32_t level) {
  const texture& what = *t.what;
  if (level < 0 || level >= static_cast<i32>(what.levels.size()) || is_empty(what)) return {};
  const level_reader from(t, static_cast<unsigned>(level));
  i64 at[3] = {};
  for (unsigned a = 0; a < 3; ++a) at[a] = i64{r.index[a]} + r.offset[a];
  const texture_level& l = from.level();
  if (what.layered) at[2] = r.layer;
  if (what.shape != texture_shape::three && !what.layered) at[2] = 0;
  // The address mode does not matter. If the texture has one level, texels outside this level are zero. If the texture
  // has several levels, the nearest texel of the level is read instead. All texels are zero if the texture is
  // one-dimensional, without layers, and not in linear memory.
  const i64 size[] = {l.width, l.height, l.depth};
  const bool is_row = what.shape == texture_shape::one && !what.layered;
  if (is_row && !what.is_linear_memory) return {};
  for (unsigned a = 0; a < 3; ++a) {
    const i64 nearest = std::clamp<i64>(at[a], 0, size[a] - 1);
    if (nearest != at[a] && (what.levels.size() == 1 || is_row)) return {};
    at[a] = nearest;
  }
  return read_texel(what, from.at(at[0], at[1], at[2]));
}

texel gather(const texture_bytes& t, const texture_read& r, unsigned channel) {
  const texture& what = *t.what;
  const level_reader from(t, 0);
  const texture_level& l = from.level();
  const float size[] = {static_cast<float>(l.width), static_cast<float>(l.height)};
  i64 at[2];
  for (unsigned a = 0; a < 2; ++a)
    at[a] = ((fixed_coordinate(what, r.at[a], size[a], a) - one / 2) >> weight_bits) + r.offset[a];
  if (channel >= what.format.channels || is_empty(what)) return {};
  const i64 z = layer_of(what, l, r.layer);
  const auto one_of = [&](i64 x, i64 y) {
    return without_specials(what, read_texel(what, from.at(at[0] + x, at[1] + y, z)))[channel];
  };
  return {one_of(0, 1), one_of(1, 1), one_of(1, 0), one_of(0, 0)};
}

}  // namespace bankwise::emulate
