// The measured textures, their contents, and the coordinates of the reads. All numbers are computed by a hash, so a row
// of results only needs the number of its case.
//
//     tex_2d width=37 height=29 format=float_32 channels=1 linear wrap normalized
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "runtime/device/driver_abi.hpp"

namespace bankwise::textures {

// The contents of texels. The contents from `counting` on only depend on the texel's position.
//   plain     floats around 1
//   wide      floats of many magnitudes
//   single    every fifth texel is not zero, all others are zero
//   bits      any bits
//   steps     few different values, such as small integers
//   counting  the number of the texel times the number of channels, plus the number of the channel
//   levels    the number of the level
//   ramp      the column, the row, the slice and 1, in this order of the channels
//   corners   ones at four of the corners that a filter blends, one corner for each channel
//   each      ones in four texels, one texel for each channel
//   impulse   in each level, a one in the first texel, in the channel whose number is the level's number modulo 4
enum class content { plain, wide, single, bits, steps, counting, levels, ramp, corners, each, impulse };
// The positions that threads read. any: anywhere, and at special positions. inside: inside the texture. centres: at the
// centres of texels, in order. edges: in directions close to the edges of a cube. shifts: at an impulse, shifted by
// whole texels.
enum class places { any, inside, centres, edges, shifts };
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
  places at = places::any;
  unsigned part = 0;    // number of the group of four corners or texels that has ones
  unsigned border = 0;  // which of `borders` (run_case.cpp) is the border colour
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

// Returns the value of a channel for contents that only depend on the texel's position: `counting` and all contents
// after it.
inline float channel_by_place(const texture_case& c, std::size_t texel, unsigned channel, unsigned level) {
  const std::size_t width = std::max(1U, c.width >> level), height = std::max(1U, c.height >> level);
  const std::size_t x = texel % width, y = texel / width % height, z = texel / width / height;
  switch (c.holds) {
    case content::counting: return static_cast<float>(texel * c.channels + channel);
    case content::levels: return static_cast<float>(level);
    case content::ramp: return channel == 3 ? 1.0F : static_cast<float>(channel == 0 ? x : channel == 1 ? y : z);
    case content::corners: {
      const std::size_t corner = (x & 1) | (y & 1) << 1 | (z & 1) << 2 | (level & 1) << 3;
      return corner == c.part * 4 + channel ? 1.0F : 0.0F;
    }
    case content::each: return texel == c.part * 4 + channel ? 1.0F : 0.0F;
    default: return texel == 0 && level % 4 == channel ? 1.0F : 0.0F;
  }
}

// Returns the words of a texture level, in rows of texels without gaps.
inline std::vector<std::uint8_t> texels(const texture_case& c, std::size_t texels, unsigned level) {
  const unsigned bytes = bytes_of(c.format);
  std::vector<std::uint8_t> all(texels * c.channels * bytes);
  if (c.holds >= content::counting) {
    for (std::size_t i = 0; i < texels * c.channels; ++i) {
      const float value = channel_by_place(c, i / c.channels, static_cast<unsigned>(i % c.channels), level);
      const std::uint32_t bits =
          c.format == cuda::float_32 ? std::bit_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value);
      std::memcpy(&all[i * bytes], &bits, bytes);
    }
    return all;
  }
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

// Returns a coordinate of `thread` in texels: a random one inside, slightly outside, close to where the weights change,
// or a special one.
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

// Returns a number with any mantissa and an exponent from `low` to `high`.
inline float magnitude(std::uint32_t h, int low, int high) {
  const int exponent = 127 + low + static_cast<int>((h >> 23) % static_cast<unsigned>(high - low));
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent) << 23 | (h & 0x7fffff));
}
// Writes the input words of thread `i` for a single question.
inline void put_place(const texture_case& c, unsigned i, const unsigned* sizes, std::uint32_t* w) {
  const auto put = [&](int at, float value) { w[at] = std::bit_cast<std::uint32_t>(value); };
  const auto random = [&](unsigned axis) { return static_cast<float>(hash(i, axis) >> 8) / 16777216.0F; };
  const auto level_at = [&](unsigned thread) {
    const float unit = static_cast<float>(hash(thread, 64) >> 8) / 16777216.0F;
    return thread % 4 == 0 ? nudge(static_cast<float>(hash(thread, 62) % 4096) / 512.0F - 1,
                                   static_cast<int>(hash(thread, 63) % 5) - 2)
                           : unit * (static_cast<float>(c.levels) + 1) - 1;
  };
  const bool normalized = c.flags & cuda::normalized_coordinates;
  if (c.at == places::centres) {
    unsigned n = i;
    for (int a = 0; a < 3; ++a) {
      put(a, (static_cast<float>(n % sizes[a]) + 0.5F) / (normalized ? static_cast<float>(sizes[a]) : 1.0F));
      if (has(c, "write") || has(c, "format") || has(c, "reduce")) {
        w[a] = n % sizes[a] * (a == 0 && !has(c, "format") ? bytes_of(c.format) * c.channels : 1);
        for (unsigned k = 0; k < 4; ++k) w[3 + k] = hash(i, 40 + k) >> hash(i, 44 + k) % 32;
        if (i % 4 == 1)
          for (unsigned k = 0; k < 4; ++k)
            w[3 + k] = (hash(i, 40 + k) & 0x80ffffff) | (95 + hash(i, 48 + k) % 52) << 23;
        if (i % 4 == 2)
          for (unsigned k = 0; k < 4; ++k) w[3 + k] = ~w[3 + k];
      }
      n /= sizes[a];
    }
    return;
  }
  if (c.at == places::edges) {
    const unsigned kind = i % 4, axis = hash(i, 30) % 3;
    for (unsigned a = 0; a < 3; ++a) {
      float part = random(31 + a) * 2 - 1;
      const float close = (part < 0 ? -1.0F : 1.0F) * (1 - random(40 + a) * 0.75F);
      if (kind < 2 || (kind == 2 && a != axis)) part = close;
      put(static_cast<int>(a), part * (i % 8 < 4 ? 1.0F : magnitude(hash(i, 50), -20, 20)));
    }
    w[3] = hash(i, 51) % std::max(1U, c.depth / 6);
    put(4, level_at(i));
    return;
  }
  const unsigned same = c.at == places::shifts ? i / (c.width * c.height) : i;
  const unsigned shift = c.at == places::shifts ? i % (c.width * c.height) : 0;
  const auto of_same = [&](unsigned axis) { return static_cast<float>(hash(same, axis) >> 8) / 16777216.0F; };
  for (unsigned a = 0; a < 3; ++a) {
    const auto size = static_cast<float>(sizes[a]);
    float x = of_same(a) * size;
    if (c.at == places::shifts)
      x = std::floor(of_same(a) * 64) / 64 + static_cast<float>(a == 0 ? shift % c.width : shift / c.width % sizes[1]);
    put(static_cast<int>(a), normalized ? x / size : x);
  }
  if (has(c, "_a")) w[2] = hash(i, 2) % std::max(1U, c.depth);
  put(4, level_at(same));
  if (!has(c, "grad")) return;
  // Chooses derivatives: their lengths, the ratio of the lengths, and their directions.
  const float length = magnitude(hash(same, 80), -1, static_cast<int>(c.levels));
  const float ratio = same % 4 == 0 ? 1 : magnitude(hash(same, 81), -5, 0);
  struct direction {
    float x, y;
  };
  const auto turned = [&](unsigned axis) {  // a point of the unit circle
    const float t = of_same(axis) * 4 - 2, d = 1 + t * t;
    return direction{(1 - t * t) / d, 2 * t / d};
  };
  const direction first = same % 4 == 1 ? direction{1, 0} : turned(82);
  const direction second = same % 8 < 4 ? direction{-first.y, first.x} : turned(83);
  const auto by_size = [&](unsigned axis, float x) { return normalized ? x / static_cast<float>(sizes[axis]) : x; };
  float across[3] = {length * first.x, length * first.y, 0},
        down[3] = {length * ratio * second.x, length * ratio * second.y, 0};
  if (same % 16 >= 8) std::swap(across, down);
  for (unsigned a = 0; a < 2; ++a) across[a] = by_size(a, across[a]), down[a] = by_size(a, down[a]);
  if (has(c, "1d"))
    put(4, across[0]), put(5, down[0]);
  else
    put(4, across[0]), put(5, across[1]), put(6, down[0]), put(7, down[1]);
  if (has(c, "3d"))
    put(3, by_size(2, (of_same(84) - 0.5F) * length)), put(4, across[0]), put(5, across[1]), put(6, down[0]),
        put(7, down[1]);
}

// Returns the eight words of each thread. These words are the inputs of the case's kernel in textures.cu.
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
    if (c.at != places::any) {
      put_place(c, i, sizes, w);
      continue;
    }
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
      // Chooses a direction: any direction, a direction with two large parts that are nearly or exactly equal, or a
      // direction along an axis.
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
    // Chooses levels, derivatives (from about a texel to a few levels) and offsets.
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

std::vector<texture_case> read_cases(std::string table);

inline bool writes(const texture_case& c) {
  return c.kernel.starts_with("write") || c.kernel.starts_with("reduce") || c.kernel.starts_with("format");
}
// Returns the number of threads whose results are in data/sm_90/textures.bin.zst. For an impulse, all shifts are
// needed.
inline unsigned kept_threads(const texture_case& c) {
  return writes(c) ? c.threads : std::min(c.threads, c.at == places::shifts ? 4096U : 256U);
}

}  // namespace bankwise::textures
