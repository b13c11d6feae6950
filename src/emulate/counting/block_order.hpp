// The order in which a sample takes the blocks of a grid: any number of them is spread evenly over the grid, including
// its edges.
//
// Blocks at an edge differ most from the others: incomplete tiles, filled borders. The first, the last and those
// between in each of three directions make up to 27 classes. The order has first one block of each class, beginning
// with the largest class, and then all others in a scrambled van der Corput sequence: halves of the grid, then quarters
// and so on get one block each, at irregular positions, so that no grid width is in step with the sequence.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace bankwise::emulate {

// Numbers are for clusters, which are mostly one block.
inline constexpr unsigned most_block_classes = 27;
using grid_extent = std::array<std::uint64_t, 3>;

inline std::uint64_t size_of(const grid_extent& g) { return g[0] * g[1] * g[2]; }
// 0 to 26.
unsigned class_of(const grid_extent& g, std::uint64_t linear);
// How many clusters are in each class.
std::array<std::uint64_t, most_block_classes> class_sizes(const grid_extent& g);

class block_order {
 public:
  explicit block_order(const grid_extent& g);

  // The n-th block to run, of all blocks of the grid. It remembers the blocks up to n, so only one thread may call it
  // at a time.
  std::uint64_t block_at(std::uint64_t n);

 private:
  std::uint64_t following();

  std::uint64_t blocks_;
  unsigned bits_;
  std::uint64_t next_ = 0;  // of the sequence
  std::vector<std::uint64_t> taken_;
  std::unordered_set<std::uint64_t> representatives_;
};

}  // namespace bankwise::emulate
