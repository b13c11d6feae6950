// Divides the threads of a block into warps of different shapes. This file lists the rectangles of a block's threads
// that can be warps, and returns the source lines for such warps.
//
//     a block of 16 x 16 threads        the hardware's warps                 warps of 8 x 4 threads
//                                       w0 w0 w0 w0  w0 w0 w0 w0  two        w0 w0  w1 w1    four rows of 8,
//     each letter 4 threads of a row    w1 w1 w1 w1  w1 w1 w1 w1  rows       w0 w0  w1 w1    next to each other
//
// The shape of a warp determines its accesses to shared memory and to global memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulate/launch/warp_shape.hpp"

namespace bankwise::advise {

using block_sides = std::array<std::uint32_t, 3>;

// Returns the shape of the hardware's warps, if they are rectangles of the block's first two dimensions.
std::optional<emulate::warp_shape> own_shape(const block_sides& block);

// Returns all other shapes. For a one-dimensional block, they are rows of 8 threads or of a larger power of two. For
// other blocks, they are rectangles that divide the first dimension. Returns an empty list if the block's last warp is
// not full.
std::vector<emulate::warp_shape> other_shapes(const block_sides& block);

// CUDA code that computes the indices of a thread. `in_place_of` names the indices that the code replaces, such as "tx
// and ty instead of threadIdx.x and threadIdx.y".
struct index_code {
  std::vector<std::string> lines;
  std::string in_place_of;
};
index_code code_of(const emulate::warp_shape& w, const block_sides& block);

// A launch with the kernel's own warps, or with warps of a different shape.
struct warp_trial {
  emulate::warp_shape shape;  // shape of the warps; empty for the kernel's own warps
  std::uint64_t wavefronts = 0, cycles = 0;
  std::uint64_t sectors = 0;
  bool same_memory = true;  // whether memory has the same contents after the launch as with the kernel's own warps
};

// Number of sectors that L2 sends to a multiprocessor in a clock. Measurements from Volta to Hopper show 64 bytes,
// which are two sectors.
inline constexpr std::uint64_t sectors_a_clock = 2;
// Returns the clocks of the shared pipe plus the clocks of the path from L2.
std::uint64_t clocks_of_both(const warp_trial& t);

// Returns the trial with the fewest clocks for shared and global memory together. The trial must leave the same
// contents of memory as `as_it_is`. It must cost less for one memory, and not more for the other. Returns null if there
// is no such trial.
const warp_trial* best_of(const warp_trial& as_it_is, const std::vector<warp_trial>& others);

}  // namespace bankwise::advise
