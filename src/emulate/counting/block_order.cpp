#include "emulate/counting/block_order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/random_numbers.hpp"

namespace bankwise::emulate {

namespace {

// Pseudo-random bits that depend only on the number.
std::uint64_t mixed(std::uint64_t n) { return mixed_bits(n + random_step); }

enum edge : unsigned { low_edge, inner, high_edge };

edge edge_of(std::uint64_t at, std::uint64_t extent) {
  return at == 0 ? low_edge : at + 1 == extent ? high_edge : inner;
}

// The number of positions of this kind on one axis.
std::uint64_t count_in(edge p, std::uint64_t extent) {
  if (p == inner) return extent < 3 ? 0 : extent - 2;
  return p == high_edge && extent < 2 ? 0 : 1;
}

// Returns one of the positions of this kind.
std::uint64_t one_of(edge p, std::uint64_t extent, std::uint64_t random) {
  return p == low_edge ? 0 : p == high_edge ? extent - 1 : 1 + random % (extent - 2);
}

std::array<edge, 3> edges_of(unsigned number) {
  return {static_cast<edge>(number % 3), static_cast<edge>(number / 3 % 3), static_cast<edge>(number / 9)};
}

}  // namespace

unsigned class_of(const grid_extent& g, std::uint64_t linear) {
  return edge_of(linear % g[0], g[0]) + 3 * edge_of(linear / g[0] % g[1], g[1]) +
         9 * edge_of(linear / g[0] / g[1], g[2]);
}

std::array<std::uint64_t, most_block_classes> class_sizes(const grid_extent& g) {
  std::array<std::uint64_t, most_block_classes> sizes{};
  for (unsigned n = 0; n < most_block_classes; ++n) {
    const auto p = edges_of(n);
    sizes[n] = count_in(p[0], g[0]) * count_in(p[1], g[1]) * count_in(p[2], g[2]);
  }
  return sizes;
}

block_order::block_order(const grid_extent& g)
    : blocks_(size_of(g)), bits_(static_cast<unsigned>(std::bit_width(blocks_ - 1))) {
  const auto sizes = class_sizes(g);
  std::array<unsigned, most_block_classes> largest_first{};
  std::iota(largest_first.begin(), largest_first.end(), 0u);
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [&](unsigned a, unsigned b) { return sizes[a] > sizes[b]; });
  for (const unsigned n : largest_first) {
    if (sizes[n] == 0) break;
    const auto p = edges_of(n);
    const std::uint64_t x = one_of(p[0], g[0], mixed(3 * n)), y = one_of(p[1], g[1], mixed(3 * n + 1)),
                        z = one_of(p[2], g[2], mixed(3 * n + 2));
    taken_.push_back(x + g[0] * (y + g[1] * z));
    representatives_.insert(taken_.back());
  }
}

std::uint64_t block_order::block_at(std::uint64_t n) {
  while (taken_.size() <= n) taken_.push_back(following());
  return taken_[n];
}

std::uint64_t block_order::following() {
  for (;;) {
    const std::uint64_t n = next_++;
    std::uint64_t linear = 0;
    // Owen's scrambling: the bits above a bit determine whether this bit is flipped.
    for (unsigned i = 0; i < bits_; ++i) {
      const unsigned to = bits_ - 1 - i;
      const std::uint64_t above = n & ((std::uint64_t{1} << i) - 1);
      linear |= ((n >> i ^ mixed(above << 6 | i)) & 1) << to;
    }
    if (linear < blocks_ && !representatives_.contains(linear)) return linear;
  }
}

}  // namespace bankwise::emulate
