// A collector that also counts each block separately, for a launch whose blocks may become a sample.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "profile/collect.hpp"
#include "profile/estimate.hpp"

namespace bankwise {

class sample_collector : public collector {
 public:
  // `cluster`: the number of blocks in each direction.
  sample_collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes,
                   const std::array<std::uint32_t, 3>& grid, const std::array<std::uint32_t, 3>& cluster);

  emulate::wanted_events wants() const override { return {.block_ends = true}; }
  void on_block(std::uint64_t block) override;
  void on_block_end(std::uint64_t times) override;
  void add(sample_collector& other);

  // For the blocks of each class: the sums of all counts, and the values of each total.
  struct sums {
    counts all;
    std::array<emulate::block_sum, std::size(total_rows)> totals;
  };
  using by_class = std::map<unsigned, sums>;
  const std::map<std::uint64_t, by_class>& sites() const { return sites_; }  // by device address
  const by_class& launch() const { return launch_; }
  block_strata strata() const;  // that have ended

 private:
  using by_pc = std::map<std::uint64_t, counts>;
  std::uint64_t cluster_of(std::uint64_t block) const;
  void settle();

  std::array<std::uint32_t, 3> grid_, cluster_;
  emulate::grid_extent clusters_;
  bool begun_ = false;
  std::uint64_t now_ = 0;                   // the last reported cluster
  by_pc before_;                            // the counts when the next one was reported, or when it ended
  std::map<std::uint64_t, by_pc> pending_;  // of clusters that have not ended
  std::map<std::uint64_t, by_class> sites_;
  by_class launch_;
  std::array<std::uint64_t, emulate::most_block_classes> ended_{};
};

// Estimates a site's counts from those of the sample, with their intervals. `sample`: for its instruction.
void estimate_site(site& s, const block_strata& strata, const sample_collector::by_class& sample);
// Intervals of sums over the sites of a launch.
std::vector<interval> intervals_of(const block_strata& strata, const sample_collector::by_class& launch);

}  // namespace bankwise
