// Boxes of block indices, and the largest part of a box in which a linear condition holds.
//
//     grid 5 x 4, row = 32 * blockIdx.y + 31 < 100 holds for all blocks of the first three rows:
//
//         (0,0) . . . .
//           .   . . . .       keep_at_least_zero(box, 100 - 1 - 31, {0, -32, 0}): `last` becomes (4, 2, 0)
//           .   . . . .
//
//           .   . . . .       rest_of(grid, box): the fourth row
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bankwise::emulate {

// In a linear value: the factors of blockIdx.x, .y and .z.
using block_factors = std::array<std::int64_t, 3>;

struct block_box {
  std::array<std::uint32_t, 3> first{}, last{};

  std::uint64_t blocks() const {
    std::uint64_t n = 1;
    for (int i = 0; i < 3; ++i) n *= last[i] - first[i] + std::uint64_t{1};
    return n;
  }
  std::int64_t reach(int axis) const { return std::int64_t{last[axis]} - first[axis]; }
  friend bool operator==(const block_box&, const block_box&) = default;
};

// Shrinks the box until a linear value is at least 0 in all of its blocks. In the first block, the value is `at_first`,
// which is at least 0, so this block stays in the box. In other blocks, the value is `at_first` plus the sum of by[i] *
// (index[i] - first[i]). All numbers are below 2^62.
void keep_at_least_zero(block_box& box, std::int64_t at_first, const block_factors& by);

// The blocks of `whole` that are not in `part`, as at most three disjoint boxes. `whole` and `part` must begin with the
// same block.
std::vector<block_box> rest_of(const block_box& whole, const block_box& part);

}  // namespace bankwise::emulate
