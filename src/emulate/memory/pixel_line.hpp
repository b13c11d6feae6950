// The pixels of .im2col::w and .im2col::w::128. The pixels begin at the first pixel and continue along W, in steps of
// the element stride. After the upper corner, the next image begins at the lower corner. D and H do not change.
//
// A halo consists of pixels that are loaded after the column:
//   .im2col::w       The halo continues the column by `halo` pixels.
//   .im2col::w::128  The column has four groups of 32 pixels. The halo begins with the first pixel after each group.
//                    The second pixel after each group follows, and so on, up to `halo` pixels for each group.
// The manual says which pixels are loaded, but shows their order only in pictures. bankwise assumes the order above,
// because tcgen05 needs it: after tcgen05.shift, tcgen05.cp.4x256b copies four such rows to the last lanes of the four
// groups.
#pragma once

#include <cstdint>

#include "emulate/memory/tensor_map.hpp"

namespace bankwise::emulate {

struct pixel_line {
  static constexpr unsigned group = 32, groups = 4;

  std::int64_t first = 0, lower = 0, upper = 0;  // positions along W; `upper` is the last pixel of an image
  std::int64_t stride = 1;
  std::uint32_t pixels = 0, halo = 0;
  bool in_groups = false;  // whether the mode is .im2col::w::128

  std::uint32_t count() const { return pixels + halo * (in_groups ? groups : 1); }

  struct place {
    std::int64_t w = 0;
    std::int64_t images = 0;  // number of further images after the first image
  };
  place at(std::uint32_t number) const {
    std::int64_t n = number;
    if (in_groups && number >= pixels) {
      const std::uint32_t extra = number - pixels;
      n = group * (extra % groups + 1) + extra / groups;
    }
    const std::int64_t in_first = first > upper ? 0 : (upper - first) / stride + 1;
    if (n < in_first) return {first + n * stride, 0};
    const std::int64_t in_image = (upper - lower) / stride + 1;
    n -= in_first;
    return {lower + n % in_image * stride, n / in_image + 1};
  }
};

// `offset` moves the corners and the first pixel.
inline pixel_line line_of(const tensor_map& t, std::int64_t w, std::uint32_t halo, std::int64_t offset,
                          bool in_groups) {
  pixel_line l;
  l.first = w + offset;
  l.lower = t.lower[0] + offset;
  l.upper = static_cast<std::int64_t>(t.size[1]) - 1 + t.upper[0] + offset;
  l.stride = t.element_stride[1];
  l.pixels = in_groups ? pixel_line::group * pixel_line::groups : t.pixels;
  l.halo = halo;
  l.in_groups = in_groups;
  return l;
}

}  // namespace bankwise::emulate
