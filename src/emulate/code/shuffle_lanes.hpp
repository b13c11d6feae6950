// Finds the source lane of each lane in a shuffle.
//
//     SHFL.DOWN R1, R0, 16, 0x1f        lane 3 gets lane 19's value; lane 20 keeps its own (36 is out of range)
#pragma once

#include <cstdint>

#include "sass/modifiers.hpp"

namespace bankwise::emulate {

struct shuffled_lane {
  std::uint32_t from = 0;
  bool in_range = false;  // whether the lane gets a value from another lane; if not, the lane keeps its own value
};

// `limit`: bits 0-4 are the last source lane. Bits 8-12 are a mask of lane-number bits. Lanes that agree in these bits
// form a segment. A lane reads only lanes of its own segment.
constexpr shuffled_lane shuffled(sass::shuffle_mode mode, std::uint32_t lane, std::uint32_t by, std::uint32_t limit) {
  by &= 31;
  const std::uint32_t segment = limit >> 8 & 31, first = lane & segment, last = first | (limit & 31 & ~segment);
  std::uint32_t from = 0;
  bool in_range = false;
  switch (mode) {
    case sass::shuffle_mode::by_index: from = first | (by & ~segment), in_range = from <= last; break;
    case sass::shuffle_mode::up:
      from = lane - by, in_range = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
      break;
    case sass::shuffle_mode::down: from = lane + by, in_range = from <= last; break;
    case sass::shuffle_mode::butterfly: from = lane ^ by, in_range = from <= last; break;
  }
  return {in_range ? from & 31 : lane, in_range};
}

}  // namespace bankwise::emulate
