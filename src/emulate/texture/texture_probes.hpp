// The probes of an anisotropic filter. Probes are samples along the longer axis of a pixel's ellipse. Each probe has
// its own filter.
//
//     an axis of 3.19 texels     four probes, at half a texel and one and a half texels on both sides; weights:
//                                160/512 for each inner probe, the part of a box of this length that it covers,
//                                and 96/512 for each outer probe
//
// Up to a length of two texels, there are two probes, at a distance of 1 - 1/length on each side. At the texture's
// maximum number of probes, all probes have equal weights. The level is then so coarse that the probes need not be
// further apart.
#pragma once

#include <array>
#include <cstdint>

namespace bankwise::emulate {

inline constexpr unsigned max_probes = 16;

struct probe {
  std::array<std::int32_t, 2> offset{};  // offsets in 128ths of a texel
  std::int32_t weight = 0;
};
struct probes {
  std::array<probe, max_probes> all;
  unsigned count = 0;
  int bits = 8;  // number of bits of the weights; all weights add up to 1 << bits
};

// The probes for a direction in 64ths and two logarithms in 256ths. `length`: the length of the axis in steps between
// probes. `step`: the length of a step in texels.
probes probes_of(const std::array<std::int32_t, 2>& direction, std::int32_t length, std::int32_t step);

}  // namespace bankwise::emulate
