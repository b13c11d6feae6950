// The textures that are measured, what is in them and where they are read: all of it numbers that a hash gives, so that a
// row of results needs nothing beside its case.
//
//     tex_2d width=37 height=29 format=float_32 channels=1 linear wrap normalized
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "driver_abi.hpp"

namespace bankwise::textures {

// What texels are like: floats of about 1, of many magnitudes, one texel that is not zero, any bits, small integers.
enum class content { plain, wide, single, bits, steps };
enum class shape { linear, pitch_2d, array, layered, cube, layered_cube };

struct texture_case {
  std::string kernel;
  shape form = shape::array;
  unsigned width = 37, height = 0, depth = 0, levels = 1;
  cuda::array_format format = cuda::float_32;
  unsigned channels = 1;
  bool linear = false, between = false;
  int address[3] = {1, 1, 1};
  unsigned flags = 0;
  content holds = content::plain;
  float bias = 0, first = 0, last = 100;
  unsigned anisotropy = 0;
  int view = 0;
  unsigned first_level = 0, last_level = 0, first_layer = 0, last_layer = 0;
  unsigned threads = 1024;
};

inline bool has(const texture_case& c, const char* part) { return c.kernel.find(part) != std::string::npos; }

inline std::uint32_t hash(std::uint32_t a, std::uint32_t b = 0) {
  std::uint64_t x = (std::uint64_t{a} << 32 | b) + 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return static_cast<std::uint32_t>(x ^ x >> 31);
}

inline unsigned bytes_of(cuda::array_format format) {
  using enum cuda::array_format;
  if (format == unsigned_8 || format == signed_8) return 1;
  return format == unsigned_32 || format == signed_32 || format == float_32 ? 4 : 2;
}

inline std::uint32_t channel_bits(const texture_case& c, std::uint32_t index) {
  const std::uint32_t h = hash(index, 77);
  if (c.format == cuda::float_32 && c.holds != content::bits) {
    const std::uint32_t sign = h & 0x80000000, mantissa = h & 0x7fffff;
    if (c.holds == content::plain) return sign | 0x3f000000 | mantissa;
    if (c.holds == content::wide) return sign | (107 + (hash(index, 78) % 40)) << 23 | mantissa;
    if (c.holds == content::steps) return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(h % 17)));
    return index / c.channels % 5 == 2 ? 0x3f800000 | mantissa : 0;
  }
  if (c.format == cuda::half_float && c.holds != content::bits) {
    if (c.holds == content::wide) return (h & 0x83ff) | (hash(index, 78) % 29 + 1) << 10;
    if (c.holds == content::steps) return 0x3c00 | (h & 0x300);
    if (c.holds == content::single) return index / c.channels % 5 == 2 ? 0x3c00 | (h & 0x3ff) : 0;
    return (h & 0x83ff) | 0x3800;
  }
  if (c.holds == content::single) return index / c.channels % 5 == 2 ? 0xffffffff : 0;
  return h;
}

// The words of a texture, level by level: rows of texels without gaps.
inline std::vector<std::uint8_t> texels(const texture_case& c, std::size_t texels, unsigned level) {
  const unsigned bytes = bytes_of(c.format);
  std::vector<std::uint8_t> all(texels * c.channels * bytes);
  for (std::size_t i = 0; i < texels * c.channels; ++i) {
    const std::uint32_t bits = channel_bits(c, static_cast<std::uint32_t>(i) + level * 1000003);
    std::memcpy(&all[i * bytes], &bits, bytes);
  }
  return all;
}

inline float nudge(float x, int ulps) {
  for (; ulps > 0; --ulps) x = std::nextafter(x, std::numeric_limits<float>::infinity());
  for (; ulps < 0; ++ulps) x = std::nextafter(x, -std::numeric_limits<float>::infinity());
  return x;
}

// A coordinate in texels of thread `thread`: at random inside, somewhat outside, close to where the weights change, or special.
inline float coordinate(std::uint32_t thread, std::uint32_t axis, float size, bool normalized) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::uint32_t h = hash(thread, axis), g = hash(thread, axis + 16);
  const float special[] = {
      0.0F,          -0.0F,       inf,         -inf,          std::numeric_limits<float>::quiet_NaN(),
      1e10F,         -1e10F,      3e38F,       -3e38F,        1e-40F,
      -1e-40F,       1.0F,        0.5F,        -0.5F,         size,
      -size,         size - 0.5F, size + 0.5F, 2 * size,      3 * size + 0.25F,
      65536.5F,      -65536.5F,   16777216.0F, 2147483648.0F, -2147483648.0F,
      4294967296.0F, 131072.0F,   0.001953125F};
  const float unit = static_cast<float>(g >> 8) / 16777216.0F;
  float x = 0;
  const unsigned kind = h % 16;
  if (kind < 4) {
    x = unit * size;
  } else if (kind < 8) {
    x = -2 * size + unit * 5 * size;
  } else if (kind < 14) {
    const int spot = static_cast<int>(g % (static_cast<unsigned>(size + 4) * 512)) - 1024;
    x = nudge(static_cast<float>(spot) / 512.0F, static_cast<int>((g >> 20) % 5) - 2);
  } else {
    const float s = special[g % (sizeof special / sizeof *special)];
    return normalized && std::fabs(s) < 1000 && s != 0.5F && s != 1 && s != -0.5F ? s / size : s;
  }
  return normalized ? x / size : x;
}

inline std::int32_t position(std::uint32_t thread, std::uint32_t axis, unsigned size) {
  const std::int32_t special[] = {0,
                                  -1,
                                  static_cast<std::int32_t>(size),
                                  static_cast<std::int32_t>(size) - 1,
                                  INT32_MIN,
                                  INT32_MAX,
                                  1 << 16,
                                  -(1 << 16),
                                  1 << 27,
                                  (1 << 30) + 3};
  const std::uint32_t h = hash(thread, axis), g = hash(thread, axis + 16);
  if (h % 8 == 0) return special[g % (sizeof special / sizeof *special)];
  return static_cast<std::int32_t>(g % (size + 4)) - 2;
}

// The eight words of a thread: what its kernel in textures.cu takes.
inline std::vector<std::uint32_t> inputs(const texture_case& c) {
  std::vector<std::uint32_t> all(std::size_t{8} * c.threads);
  const bool normalized = c.flags & cuda::normalized_coordinates;
  const bool whole = has(c, "fetch") || has(c, "read") || has(c, "write") || has(c, "reduce") || has(c, "format");
  const bool across = !has(c, "fetch");
  const bool cube = has(c, "cube");
  const bool layers = has(c, "_a");
  const unsigned sizes[] = {c.width, c.height ? c.height : 1, c.depth ? c.depth : 1};
  for (unsigned i = 0; i < c.threads; ++i) {
    std::uint32_t* w = &all[std::size_t{8} * i];
    const auto put = [&](int at, float value) { w[at] = std::bit_cast<std::uint32_t>(value); };
    const auto random = [&](unsigned axis) { return static_cast<float>(hash(i, axis) >> 8) / 16777216.0F; };
    if (whole) {
      const unsigned texel = bytes_of(c.format) * c.channels;
      for (unsigned a = 0; a < 3; ++a) {
        std::int32_t at = position(i, a, sizes[a]);
        if (a == 0 && across)
          at = static_cast<std::int32_t>(static_cast<std::uint32_t>(at) * (has(c, "format") ? 1 : texel));
        w[a] = static_cast<std::uint32_t>(at);
      }
      w[3] = hash(i, 40), w[4] = hash(i, 41), w[5] = hash(i, 42), w[6] = hash(i, 43);
      if (has(c, "lod")) w[4] = static_cast<std::uint32_t>(position(i, 5, c.levels));
      if (has(c, "offset")) w[4] = hash(i, 50) % 16 - 8, w[5] = hash(i, 51) % 16 - 8;
      continue;
    }
    if (cube) {
      // Directions: any, with two large parts that are nearly or just equal, and along an axis.
      const unsigned kind = hash(i, 30) % 8;
      for (unsigned a = 0; a < 3; ++a) {
        float part = random(31 + a) * 2 - 1;
        if (kind == 1 && a != hash(i, 34) % 3) part = part < 0 ? -0.75F : 0.75F;
        if (kind == 2 && a != hash(i, 34) % 3)
          part = nudge(part < 0 ? -0.75F : 0.75F, static_cast<int>(hash(i, 35 + a) % 5) - 2);
        if (kind == 3 && a != hash(i, 34) % 3) part = 0;
        if (kind == 4) part = part < 0 ? -1.0F : 1.0F;
        if (kind == 5) part = (part < 0 ? -1.0F : 1.0F) * (1 - random(40 + a) * 0.05F);
        if (kind == 6 && i % 4 == 0) part = coordinate(i, a, 1, false);
        put(static_cast<int>(a), part);
      }
      w[3] = static_cast<std::uint32_t>(position(i, 3, (c.depth + 5) / 6));
    } else {
      for (unsigned a = 0; a < 3; ++a)
        put(static_cast<int>(a), coordinate(i, a, static_cast<float>(sizes[a]), normalized));
      if (layers) w[2] = static_cast<std::uint32_t>(position(i, 2, c.depth));
    }
    // Levels, derivatives (of about a texel to a few levels), offsets.
    const float level = hash(i, 60) % 8 == 0  ? coordinate(i, 61, 4, false)
                        : hash(i, 60) % 8 < 3 ? nudge(static_cast<float>(hash(i, 62) % 2560) / 512.0F - 0.5F,
                                                      static_cast<int>(hash(i, 63) % 5) - 2)
                                              : random(64) * 7 - 1.5F;
    put(4, level);
    if (has(c, "grad")) {
      for (int a = 3; a < 8; ++a)
        put(a, (random(70 + static_cast<unsigned>(a)) - 0.5F) *
                   std::exp2(random(80) * 8 - 2 - (normalized ? std::log2(static_cast<float>(c.width)) : 0)));
      if (!layers && i % 4 == 0) put(5, 0), put(6, 0);
    }
    if (has(c, "offset")) {
      w[4] = hash(i, 50) % 16 - 8, w[5] = hash(i, 51) % 16 - 8;
      put(6, level);
      if (c.kernel == "offset_3d") w[6] = hash(i, 52) % 16 - 8;
    }
  }
  return all;
}

std::vector<texture_case> all_cases();

}  // namespace bankwise::textures
