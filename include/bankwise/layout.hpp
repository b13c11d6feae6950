// A tile in shared memory: rows of elements with a pitch, and optionally a swizzle over its bytes.
//
//     __shared__ float tile[32][33];                      tile_layout t{4, 33 * 4};
//     tile[row][column]                                   t(row, column) == row * 132 + column * 4
#pragma once

#include "bankwise/config.hpp"
#include "bankwise/swizzle.hpp"

namespace bankwise {

// The addresses of a tile's elements, in bytes from the beginning of the tile. Rows and columns are not checked,
// because a tile_layout has no size.
struct tile_layout {
  u32 element_bytes;            // bytes of an element
  u32 pitch_bytes;              // bytes from one row to the next
  swizzle permute = {0, 0, 0};  // changes the byte offset; {0, 0, 0} changes nothing

  // The byte offset of an element.
  BANKWISE_HD constexpr u32 operator()(u32 row, u32 column) const {
    return permute(row * pitch_bytes + column * element_bytes);
  }
};

}  // namespace bankwise
