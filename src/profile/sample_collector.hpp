// Collectors that also keep the counts of each block. They are for launches that may be estimated from a sample of
// their blocks.
#pragma once

#include <array>
#include <cstdint>

#include "profile/block_samples.hpp"
#include "profile/collect.hpp"
#include "profile/global_counts.hpp"

namespace bankwise {

struct shared_numbers {
  using counts = bankwise::counts;
  static constexpr std::size_t values = std::size(total_rows);
  static std::uint64_t value(const counts& c, std::size_t i) { return total_rows[i].of(c); }
  template <class F>
  static void each_member(F f) {
    for (const count_row& r : count_rows)
      if (r.member != nullptr) f(r.member, r.at_most);
  }
};

struct global_numbers {
  using counts = global_counts;
  static constexpr std::size_t values = std::size(global_count_rows);
  static std::uint64_t value(const counts& c, std::size_t i) { return global_count_rows[i].value(c); }
  template <class F>
  static void each_member(F f) {
    for (const global_count_row& r : global_count_rows)
      if (r.member != nullptr) f(r.member, r.at_most);
  }
};

class sample_collector : public collector {
 public:
  // `cluster` contains the extents of a cluster, in blocks.
  sample_collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes,
                   const std::array<std::uint32_t, 3>& grid, const std::array<std::uint32_t, 3>& cluster);

  emulate::wanted_events wants() const override { return {.block_ends = true}; }
  void on_block(std::uint64_t block) override;
  void on_block_end(std::uint64_t times) override;
  void add(sample_collector& other);

  // Scales the counts of a site in a sample to all blocks, and adds intervals. `pc` is the device address of the site.
  void estimate(site& s, std::uint64_t pc) const;
  const block_samples<shared_numbers>& blocks() const { return blocks_; }

 private:
  block_samples<shared_numbers> blocks_;
};

class global_sample_collector : public global_collector {
 public:
  global_sample_collector(std::uint64_t code_begin, std::uint64_t code_bytes, const std::array<std::uint32_t, 3>& grid,
                          const std::array<std::uint32_t, 3>& cluster);

  emulate::wanted_events wants() const override;
  void on_block(std::uint64_t block) override;
  void on_block_end(std::uint64_t times) override;
  void add(global_sample_collector& other);

  void estimate(global_site& s, std::uint64_t pc) const;
  // Estimated ranges (low, high) of the total counts of all instructions on global memory.
  std::vector<interval> intervals() const;

 private:
  block_samples<global_numbers> global_blocks_, local_blocks_, texel_blocks_;
};

}  // namespace bankwise
