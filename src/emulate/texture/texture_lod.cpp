#include "emulate/texture/texture_lod.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace bankwise::emulate {

namespace {

using i32 = std::int32_t;

constexpr int whole_level = 1 << level_bits;

// Converts a number to fixed point. Rounds toward zero, as the descriptor's numbers are rounded.
i32 fixed(float x) {
  if (std::isnan(x)) return 0;
  return static_cast<i32>(std::clamp(x, -4096.0F, 4096.0F) * whole_level);
}

// A table of logarithms between two powers of two, indexed by the first eight bits after the leading one. An entry is
// the logarithm at the middle of the entry's interval. The first entry is 0, and the last entry is less than a whole
// level.
std::array<std::uint8_t, whole_level> make_logarithms() {
  std::array<std::uint8_t, whole_level> all{};
  for (int n = 1; n < whole_level; ++n)
    all[static_cast<std::size_t>(n)] = static_cast<std::uint8_t>(
        std::min(255.0, std::floor(std::log2(1 + (n + 0.5) / whole_level) * whole_level + 0.4695)));
  return all;
}
i32 logarithm(double x) {
  static const std::array<std::uint8_t, whole_level> table = make_logarithms();
  if (!(x > 0x1p-30)) return -30 * whole_level;
  if (!(x < 0x1p30)) return 30 * whole_level;
  const int exponent = std::ilogb(x);
  return exponent * whole_level + table[static_cast<std::size_t>((std::ldexp(x, -exponent) - 1) * whole_level)];
}

// Lengths have ten bits. Lower bits of a sum are dropped.
double unit_of(double x) { return std::ldexp(1, std::ilogb(x) - 9); }
double cut(double x) { return x == 0 ? 0 : std::trunc(x / unit_of(x)) * unit_of(x); }
// Multiplies x by a factor. The product is a multiple of u = unit_of(x) * 2^n, where 2^n is the largest power of two
// that is not larger than the factor. If the factor is 11/16 or 11/32, the product is rounded to the nearest multiple.
// If the factor is the width, height or depth of a level, a remainder of at least u / 8 is rounded up.
constexpr double to_nearest = 0.5, up_from_an_eighth = 0.875;
double product(double x, double factor, double rounding) {
  if (x == 0) return 0;
  const double last = unit_of(x) * std::ldexp(1, std::ilogb(factor));
  return std::copysign(std::floor(std::fabs(x) * factor / last + rounding) * last, x);
}

using derivative = std::array<double, 3>;
// An approximate length, without a square root.
double rough_length(const derivative& v) {
  derivative a{std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])};
  std::sort(a.begin(), a.end());
  if (a[2] == 0) return 0;
  const double last = unit_of(a[2]);
  const auto part = [&](double x) { return std::floor(product(x, 11.0 / 32, to_nearest) / last) * last; };
  return a[2] + part(a[1]) + part(a[0]);
}
double in_texels(float x, double size) {
  if (std::isnan(x)) return 0;
  return cut(product(cut(std::clamp(static_cast<double>(x), -0x1p40, 0x1p40)), size, up_from_an_eighth));
}

// Adds numbers of ten bits. The smaller number is truncated at the last bit of the larger number. For a subtraction,
// the smaller number is rounded at this bit instead.
double sum(double x, double y) {
  if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
  if (y == 0) return x;
  const double last = unit_of(x), smaller = std::fabs(y) / last;
  const double size = std::fabs(x);
  return cut(std::signbit(x) == std::signbit(y) ? size + std::floor(smaller) * last
                                                : size - std::floor(smaller + 0.5) * last);
}
// Multiplies two numbers of ten bits. For each bit of x that is one, a shifted copy of y is added. Each copy keeps
// three bits below the last bit of the result, and its lower bits are dropped. The sum is then rounded up at the last
// bit of the result.
double product_of_both(double x, double y) {
  if (x == 0 || y == 0) return 0;
  constexpr int kept = 12;  // number of bits after the point
  const int exponents = std::ilogb(x) + std::ilogb(y);
  const auto mantissa = [](double v) { return static_cast<unsigned>(std::ldexp(std::fabs(v), 9 - std::ilogb(v))); };
  const unsigned a = mantissa(x), b = mantissa(y);
  unsigned all = 0;
  for (unsigned n = 0; n < 10; ++n)
    if ((a >> n & 1) != 0) all += n + kept >= 18 ? b << (n + kept - 18) : b >> (18 - kept - n);
  return std::copysign(std::ldexp((all + 7) >> 3, exponents - 9), x * y);
}

struct axes {
  double longer = 0;  // approximate length
  derivative along{};
  double area = 0;
};
// The ellipse of a pixel, in texels. Its longer axis is approximated by the longest of four vectors: the two
// derivatives, and the same two vectors turned by 45 degrees.
axes axes_of(const texture& t, const texture_read& r) {
  const texture_level& l = t.levels[0];
  const double size[] = {static_cast<double>(l.width), static_cast<double>(l.height), static_cast<double>(l.depth)};
  derivative across{}, down{};
  for (unsigned a = 0; a < 3; ++a) across[a] = in_texels(r.across[a], size[a]), down[a] = in_texels(r.down[a], size[a]);
  const double across_length = rough_length(across), down_length = rough_length(down);
  // the difference is the longer derivative minus the shorter derivative
  const double turn = across_length < down_length ? -1 : 1;
  derivative both{}, difference{};
  for (unsigned a = 0; a < 3; ++a) {
    both[a] = product(cut(across[a] + down[a]), 11.0 / 16, to_nearest);
    difference[a] = turn * product(cut(across[a] - down[a]), 11.0 / 16, to_nearest);
  }
  axes found{across_length, across, 0};
  const auto take = [&](double length, const derivative& along) {
    if (length > found.longer) found.longer = length, found.along = along;
  };
  take(down_length, down);
  take(rough_length(both), both);
  take(rough_length(difference), difference);
  found.area = std::fabs(sum(product_of_both(across[0], down[1]), -product_of_both(across[1], down[0])));
  return found;
}

// The direction of a vector in 64ths, as a table would return it. 2^e is the largest power of two that is not larger
// than the larger component. Both components are replaced by the middles of intervals, which are 2^e / 8 long. A
// component below 2^e / 32 counts as 0.
std::array<i32, 2> direction_of(const derivative& v) {
  const double most = std::max(std::fabs(v[0]), std::fabs(v[1]));
  if (most == 0) return {};
  const double eighth = std::ldexp(1, std::ilogb(most) - 3);
  const auto middle = [&](double part) {
    return std::fabs(part) * 4 < eighth ? 0 : std::floor(std::fabs(part) / eighth) + 0.5;
  };
  const std::array<double, 2> at{middle(v[0]), middle(v[1])};
  const double length = std::hypot(at[0], at[1]);
  const auto part = [&](unsigned n) {
    return static_cast<i32>(std::copysign(std::floor(64 * at[n] / length + 0.5), v[n]));
  };
  return {part(0), part(1)};
}

// The logarithm of the largest permitted ratio of the longer axis to the shorter axis, rounded down to 16ths. The
// permitted ratio is 1, 2, 4, 6, 8, 10, 12 or 16.
i32 ratio_limit_of(unsigned most_anisotropy) {
  const unsigned most = std::clamp(most_anisotropy, 1U, 16U);
  const unsigned ratio = most == 16 ? 16 : most > 12 ? 12 : most == 1 ? 1 : most / 2 * 2;
  return logarithm(ratio) & ~15;
}

}  // namespace

footprint footprint_of(const texture& t, const texture_read& r) {
  footprint f;
  if (r.has_gradient) {
    const axes of = axes_of(t, r);
    const i32 longer = logarithm(of.longer);
    f.level = longer;
    // Layers of one-dimensional textures are read without anisotropic filtering.
    if (t.most_anisotropy > 1 && (t.shape == texture_shape::two || (t.shape == texture_shape::one && !t.layered))) {
      const i32 ratio = std::clamp(2 * longer - logarithm(of.area), 0, ratio_limit_of(t.most_anisotropy));
      f.level -= ratio;
      f.length = std::min(longer - std::max(f.level, 0), ratio);
      f.axis = direction_of(of.along);
    }
  } else {
    f.level = fixed(r.level);
  }
  if (!r.is_base) f.level += fixed(t.level_bias);
  const i32 first = fixed(t.first_level);
  f.level = std::clamp(f.level, first, std::max(first, fixed(t.last_level)));
  f.level = std::clamp(f.level, 0, static_cast<i32>(t.levels.size() - 1) * whole_level);
  return f;
}

}  // namespace bankwise::emulate
