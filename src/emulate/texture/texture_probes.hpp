// The probes of an anisotropic filter. Probes are samples along the longer axis of a pixel's ellipse. Each probe has
// its own filter.
//
//     an axis of 3.19 texels     four probes, at half a texel and one and a half texels on both sides; weights:
//                                160/512 for each inner probe, the part of a box of this length that it covers,
//                                and 96/512 for each outer probe
//
// If the axis is shorter than two texels, there are two probes, at a distance of 1 - 1/length on each side. This
// distance grows from 0 (one texel) to half a texel (two texels).
//
// Each texture has a maximum number of probes. If the axis of a pixel needs more probes, a coarser level is read, so
// that the axis has one texel for each probe. All probes then have equal or almost equal weights.
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
