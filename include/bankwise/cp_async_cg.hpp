// cp.async.cg: copies 16 bytes for each lane from L2 into shared memory, without L1. The cost depends on where each
// piece of 16 bytes is in its line of global memory and in its row of shared memory. Banks have almost no effect.
//
// A line has four sectors of 32 bytes, and a sector has two pieces of 16 bytes. A wavefront moves pieces from one line
// to one 128-byte row of shared memory. It moves all sectors of the line in the same way. In the example, eight lanes
// copy a line. The first column is the distance in bytes by which the destination is shifted.
//
//     source              0 1 | 2 3 | 4 5 | 6 7         pieces 0..7 of a line; | separates sectors, || rows
//     by   0 bytes        0 1 | 2 3 | 4 5 | 6 7         one row                                  1 wavefront
//     by  32 bytes            | 0 1 | 2 3 | 4 5 || 6 7  two rows                                 2 wavefronts
//     by  16 bytes          0 | 1 2 | 3 4 | 5 6 || 7    even pieces, odd pieces, piece 7         3 wavefronts
//     by  48 bytes            |   0 | 1 2 | 3 4 || 5 6 | 7                                       4 wavefronts
//
// Padding of 16 bytes shifts the rows of a tile in this way. A copy to such rows costs three or four times as much as a
// copy to rows that are shifted by 128 bytes.
//
// The rule gives the numbers of Nsight Compute's source page for all copies of data/sm_90/cp_async_cg.csv.zst, and for
// the 40 copies of data/sm_90/wavefronts.csv. If lanes write zeros, the page adds the number that source_page.hpp
// describes in its point 6.
//   1. If several lanes write to the same 16 bytes, only the lowest lane counts, even if it writes zeros.
//   2. Each copy has a waiting number. Number the 16-byte pieces of a row from 0. Two copies compete if they copy the
//      same source piece to one row, and the numbers of their destinations are both even or both odd. The waiting
//      number of a lane's copy is the number of competing copies by higher lanes.
//   3. Two copies share a wavefront if three conditions are met. First, the copies have the same source line, the same
//      row and the same waiting number. Second, number the four sectors of a line and of a row from 0. The numbers of
//      the source sector and of the destination sector are both even or both odd, either for both copies or for neither
//      copy. Third, the sectors of both copies move in the same way. There are two ways to move both pieces of a sector
//      to one sector of the row: in order, or swapped. There are four ways to move only one piece: from the first or
//      second half of the source sector, to the first or second half of the destination sector.
#pragma once

#include "bankwise/lanes.hpp"

namespace bankwise {

// Sizes in bytes: a cache line, a sector of a line, and the piece that one lane of cp.async.cg copies.
inline constexpr u32 line_bytes = 128;
inline constexpr u32 sector_bytes = 32;
inline constexpr u32 piece_bytes = 16;

namespace detail {

// Returns the lanes whose pieces are written: for each destination, the lowest lane.
BANKWISE_HD constexpr u32 writing_lanes(u32 mask, const u32 (&to)[lanes_per_warp]) {
  u32 writing = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(mask, i)) continue;
    bool is_first = true;
    for (u32 j = 0; j < i && is_first; ++j)
      is_first = !has_lane(writing, j) || to[j] / piece_bytes != to[i] / piece_bytes;
    if (is_first) writing |= 1u << i;
  }
  return writing;
}

// Returns the lanes that read a piece, except those whose piece is replaced by the zeros of a lower lane.
BANKWISE_HD constexpr u32 moving_lanes(u32 mask, u32 reads, const u32 (&to)[lanes_per_warp]) {
  const u32 filled = writing_lanes(mask, to) & ~reads;
  u32 moving = mask & reads;
  for (u32 i = 0; i < lanes_per_warp && filled != 0; ++i)
    for (u32 j = 0; j < i; ++j)
      if (has_lane(filled, j) && to[j] / piece_bytes == to[i] / piece_bytes) moving &= ~(1u << i);
  return moving;
}

// For each writing lane, sets turn[lane] to the number of the wavefront that moves its piece. The first wavefront is 1.
// For other lanes, turn[lane] stays 0. Before the call, all elements of `turn` must be 0. Returns the number of
// wavefronts.
BANKWISE_HD constexpr u32 cg_turns(u32 mask, const u32 (&to)[lanes_per_warp], const u32 (&from)[lanes_per_warp],
                                   u8 (&turn)[lanes_per_warp]) {
  const u32 writing = writing_lanes(mask, to);
  u8 wait[lanes_per_warp] = {};  // the waiting number of each lane's copy (point 2)
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(writing, i)) continue;
    for (u32 j = i + 1; j < lanes_per_warp; ++j)
      if (has_lane(writing, j) && from[j] / piece_bytes == from[i] / piece_bytes &&
          to[j] / line_bytes == to[i] / line_bytes && (to[j] / piece_bytes ^ to[i] / piece_bytes) % 2 == 0)
        ++wait[i];
  }
  // How a piece moves: its positions in the source sector and in the destination sector, and whether the other piece of
  // the sector also moves.
  u8 way[lanes_per_warp] = {};
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(writing, i)) continue;
    const u32 begin = from[i] / piece_bytes % 2, end = to[i] / piece_bytes % 2;
    way[i] = static_cast<u8>(2 * begin + end);
    for (u32 j = 0; j < lanes_per_warp; ++j)
      if (has_lane(writing, j) && wait[j] == wait[i] && from[j] / piece_bytes == (from[i] / piece_bytes ^ 1u) &&
          to[j] / piece_bytes == (to[i] / piece_bytes ^ 1u))
        way[i] = static_cast<u8>(4 + (begin ^ end));
  }
  u32 turns = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(writing, i)) continue;
    for (u32 j = 0; j < i && turn[i] == 0; ++j)
      if (has_lane(writing, j) && wait[j] == wait[i] && way[j] == way[i] &&
          from[j] / line_bytes == from[i] / line_bytes && to[j] / line_bytes == to[i] / line_bytes &&
          ((from[j] ^ from[i] ^ to[j] ^ to[i]) / sector_bytes) % 2 == 0)
        turn[i] = turn[j];
    if (turn[i] == 0) turn[i] = static_cast<u8>(++turns);
  }
  return turns;
}

// Returns the fewest wavefronts that these sources need with any destinations. The two pieces of a sector move together
// or separately. For each line, this function tries all numbers of wavefronts that move both pieces, and uses the best
// number.
BANKWISE_HD constexpr u32 cg_floor(u32 mask, const u32 (&to)[lanes_per_warp], const u32 (&from)[lanes_per_warp]) {
  constexpr u32 sectors = line_bytes / sector_bytes;
  u32 left = writing_lanes(mask, to), sum = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(left, i)) continue;
    u32 uses[sectors][2] = {};
    for (u32 j = i; j < lanes_per_warp; ++j) {
      if (!has_lane(left, j) || from[j] / line_bytes != from[i] / line_bytes) continue;
      ++uses[from[j] / sector_bytes % sectors][from[j] / piece_bytes % 2];
      left &= ~(1u << j);
    }
    u32 best = lanes_per_warp;
    for (u32 both = 0; both <= lanes_per_warp; ++both) {  // number of wavefronts that move both pieces of their sectors
      u32 first = 0, second = 0;
      for (const auto& u : uses) {
        u32 pairs = u[0] < u[1] ? u[0] : u[1];
        if (both < pairs) pairs = both;
        first = u[0] - pairs > first ? u[0] - pairs : first;
        second = u[1] - pairs > second ? u[1] - pairs : second;
      }
      if (both + first + second < best) best = both + first + second;
    }
    sum += best;
  }
  return sum;
}

}  // namespace detail
}  // namespace bankwise
