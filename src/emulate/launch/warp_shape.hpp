// Assigns the threads of a block to warps differently from the hardware. The block's threads are arranged in order, in
// rows of `row` threads. Each warp takes a rectangle of `along` x 32 / along threads.
//
//     rows of 16, warps of 8 x 4        w0 w0 w0 w0  w0 w0 w0 w0   w1 w1 w1 w1  w1 w1 w1 w1
//                                       three more rows like this one; then w2 and w3
//
// Only the thread indices change, as if the source computed other indices from threadIdx.
#pragma once

#include <cstdint>

namespace bankwise::emulate {

struct warp_shape {
  std::uint32_t row = 0, along = 0;  // zeros mean the hardware's shape
  friend bool operator==(const warp_shape&, const warp_shape&) = default;
};

// Whether rectangles of this shape cover a block with this number of threads.
constexpr bool covers(const warp_shape& w, std::uint32_t threads) {
  constexpr std::uint32_t lanes = 32;
  if (w.along == 0 || w.along > lanes || lanes % w.along != 0 || w.row == 0 || w.row % w.along != 0) return false;
  return threads % w.row == 0 && threads / w.row % (lanes / w.along) == 0;
}

// The number of the thread whose indices this lane of this warp uses. Threads are numbered from 0 in the hardware's
// order. The shape must cover the block.
constexpr std::uint32_t thread_of(const warp_shape& w, std::uint32_t warp, std::uint32_t lane) {
  const std::uint32_t beside = w.row / w.along,
                      high = 32 / w.along;  // `beside`: warps in a row of rectangles; `high`: rows of threads in a warp
  const std::uint32_t x = warp % beside * w.along + lane % w.along, y = warp / beside * high + lane / w.along;
  return y * w.row + x;
}

}  // namespace bankwise::emulate
