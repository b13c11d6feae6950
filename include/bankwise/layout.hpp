// The layout of a tile in shared memory. The rows of the tile begin at a fixed distance (the pitch). A swizzle can
// change the byte offsets.
//
//     __shared__ float tile[32][33];                      tile_layout t{4, 33 * 4};
//     tile[row][column]                                   t(row, column) == row * 132 + column * 4
#pragma once

#include "bankwise/config.hpp"
#include "bankwise/swizzle.hpp"

namespace bankwise {

// A layout that computes the byte offset of an element from the beginning of the tile. A tile_layout has no size, so
// rows and columns are not checked.
struct tile_layout {
  u32 element_bytes;            // bytes of an element
  u32 pitch_bytes;              // bytes from the beginning of a row to the beginning of the next row
  swizzle permute = {0, 0, 0};  // changes byte offsets; {0, 0, 0} changes nothing

  // Returns the byte offset of an element.
  BANKWISE_HD constexpr u32 operator()(u32 row, u32 column) const {
    return permute(row * pitch_bytes + column * element_bytes);
  }
};

}  // namespace bankwise
