// The order in which a sample selects the blocks of a grid. A sample of any size is spread evenly over the grid,
// including its edges.
//
// Blocks at an edge differ most from other blocks, because edge blocks have incomplete tiles and filled borders. On
// each of three axes, a block is first, last or in between, so there are up to 27 classes. The order begins with one
// block of each class, the largest class first. All other blocks follow in a scrambled van der Corput sequence: each
// half of the grid gets one block, then each quarter gets one block, and so on. The scrambling makes the positions
// irregular, so that the selected blocks are in different columns, for every width of the grid.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace bankwise::emulate {

// All numbers count clusters, which usually consist of one block.
inline constexpr unsigned most_block_classes = 27;
using grid_extent = std::array<std::uint64_t, 3>;

inline std::uint64_t size_of(const grid_extent& g) { return g[0] * g[1] * g[2]; }
// The class of a cluster, from 0 to 26.
unsigned class_of(const grid_extent& g, std::uint64_t linear);
std::array<std::uint64_t, most_block_classes> class_sizes(const grid_extent& g);

class block_order {
 public:
  explicit block_order(const grid_extent& g);

  // The number of the block that runs as block n. n counts from 0. Only one thread may call this function at a time,
  // because it stores all blocks up to n.
  std::uint64_t block_at(std::uint64_t n);

 private:
  std::uint64_t following();

  std::uint64_t blocks_;
  unsigned bits_;
  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> taken_;
  std::unordered_set<std::uint64_t> representatives_;
};

}  // namespace bankwise::emulate
