#include "emulate/texture_lod.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bankwise::emulate {

namespace {

using i32 = std::int32_t;

constexpr int whole_level = 1 << level_bits;

// Toward zero, as the descriptor's numbers are, too.
i32 fixed(float x) {
  if (std::isnan(x)) return 0;
  return static_cast<i32>(std::clamp(x, -4096.0F, 4096.0F) * whole_level);
}

// The logarithm of what lies between two powers of two, by its eight bits: of the middle of the interval, but none of the
// first, and less than a whole level of the last.
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

// Lengths are numbers of ten bits. What a sum has behind them is cut.
double unit_of(double x) { return std::ldexp(1, std::ilogb(x) - 9); }
double cut(double x) { return x == 0 ? 0 : std::trunc(x / unit_of(x)) * unit_of(x); }
// A product is rounded where the last bit would be, were both mantissas one: by 11/16 and 11/32 to the nearest; by a size up,
// from an eighth on.
constexpr double to_nearest = 0.5, up_from_an_eighth = 0.875;
double product(double x, double factor, double rounding) {
  if (x == 0) return 0;
  const double last = unit_of(x) * std::ldexp(1, std::ilogb(factor));
  return std::copysign(std::floor(std::fabs(x) * factor / last + rounding) * last, x);
}

using derivative = std::array<double, 3>;
// About the length: never the root of anything.
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

// About the longer axis of the ellipse that a pixel covers, in texels: of both derivatives, and of them turned by 45 degrees.
double longer_axis(const texture& t, const texture_read& r) {
  const texture_level& l = t.levels[0];
  const double size[] = {static_cast<double>(l.width), static_cast<double>(l.height), static_cast<double>(l.depth)};
  derivative across{}, down{}, sum{}, difference{};
  for (unsigned a = 0; a < 3; ++a) {
    across[a] = in_texels(r.across[a], size[a]), down[a] = in_texels(r.down[a], size[a]);
    sum[a] = product(cut(across[a] + down[a]), 11.0 / 16, to_nearest);
    difference[a] = product(cut(across[a] - down[a]), 11.0 / 16, to_nearest);
  }
  return std::max({rough_length(across), rough_length(down), rough_length(sum), rough_length(difference)});
}

}  // namespace

i32 level_of(const texture& t, const texture_read& r) {
  i32 level = r.has_gradient ? logarithm(longer_axis(t, r)) : fixed(r.level);
  if (!r.is_base) level += fixed(t.level_bias);
  const i32 first = fixed(t.first_level);
  level = std::clamp(level, first, std::max(first, fixed(t.last_level)));
  return std::clamp(level, 0, static_cast<i32>(t.levels.size() - 1) * whole_level);
}

}  // namespace bankwise::emulate
