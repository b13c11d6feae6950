// Textures and surfaces: the objects of handles, and the results of reads.
//
//     tex2D<float>(t, 1.3f, 0.5f)     linear: 1.3 - 0.5 = 0 + 205/256; row 0; (51 * texel 0 + 205 * texel 1) / 256
//
// Coordinates and weights have 8 bits after the point. docs/reference/exactness.md describes how closely the results
// match an H100.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bankwise::emulate {

enum class texel_kind : std::uint8_t { unsigned_integer, signed_integer, floating };
struct texel_format {
  texel_kind kind = texel_kind::unsigned_integer;
  std::uint8_t bits = 8, channels = 1;  // bits of a channel: 8, 16 or 32; number of channels: 1, 2 or 4

  unsigned bytes() const { return bits / 8u * channels; }
};
enum class texture_shape : std::uint8_t { one, two, three, cube };
enum class address_mode : std::uint8_t { wrap, clamp, mirror, border };

// A level: the address of its bytes, and the distances between rows and between slices.
struct texture_level {
  std::uint64_t address = 0;
  std::uint32_t width = 1, height = 1, depth = 1;  // `depth`: number of slices, layers or faces
  std::uint64_t pitch = 0, slice = 0;

  std::uint64_t bytes(unsigned texel_bytes) const {
    return (depth - 1) * slice + (height - 1) * pitch + std::uint64_t{width} * texel_bytes;
  }
};

struct texture {
  texture_shape shape = texture_shape::two;
  bool layered = false, is_surface = false;
  bool is_linear_memory = false;   // linear memory, which can only be read at integer coordinates
  bool is_pitched_memory = false;  // rows of plain memory instead of an array
  texel_format format;
  std::vector<texture_level> levels;
  std::array<address_mode, 3> modes{address_mode::clamp, address_mode::clamp, address_mode::clamp};
  bool linear = false, linear_between_levels = false, normalized = false;
  // for channels of 8 and 16 bits: whether reads return integers instead of floats from 0 to 1, or from -1 to 1
  bool as_integers = false;
  bool srgb = false, seamless = false, trilinear_optimization = true;
  unsigned most_anisotropy = 1;
  float level_bias = 0, first_level = 0, last_level = 0;
  std::array<float, 4> border{};
};

using texel = std::array<std::uint32_t, 4>;  // the contents of the result registers

// The read of one lane.
struct texture_read {
  std::array<float, 3> at{};  // coordinates; reads at integer coordinates use `index` instead
  std::array<std::int32_t, 3> index{};
  std::uint32_t layer = 0;
  float level = 0;
  bool is_base = false;                  // whether level 0 is read, without a bias
  std::array<std::int32_t, 3> offset{};  // in texels
  bool has_gradient = false;
  std::array<float, 3> across{}, down{};  // derivatives of the coordinates
};

// A texel that a read touches.
struct touched_texel {
  std::uint32_t level = 0, x = 0, y = 0, z = 0;
};

// A texture with its bytes, level by level.
struct texture_bytes {
  const texture* what = nullptr;
  std::vector<const std::byte*> levels;
  std::vector<touched_texel>* touched = nullptr;  // if not null, reads add the texels that they touch
};

texel sample(const texture_bytes& t, const texture_read& r);
// Reads the texel at integer coordinates of a level, without a filter.
texel fetch(const texture_bytes& t, const texture_read& r, std::int32_t level);
// Returns one channel of the four texels that a linear filter would blend.
texel gather(const texture_bytes& t, const texture_read& r, unsigned channel);

}  // namespace bankwise::emulate
