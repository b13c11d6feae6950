// The counts of a launch's blocks, by instruction and by class of blocks. They are kept if the launch may be estimated
// from a sample of its blocks.
//
// `Numbers` defines what is counted. It has these members:
//   counts         a struct of numbers that can be added
//   each_member()  a function that visits the numbers in `counts`
//   values         how many values are computed from `counts`; each value gets an interval
//   value()        a function that computes one of these values
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "profile/estimate.hpp"

namespace bankwise {

template <class Numbers>
class block_samples {
 public:
  using counts = typename Numbers::counts;
  // For the blocks of one class: the sum of the counts, and the sums of each value.
  struct sums {
    counts all;
    std::array<emulate::block_sum, Numbers::values> of;
  };
  using by_class = std::map<unsigned, sums>;

  // `cluster` contains the extents of a cluster, in blocks.
  block_samples(const std::array<std::uint32_t, 3>& grid, const std::array<std::uint32_t, 3>& cluster)
      : grid_(grid), cluster_(cluster) {
    for (std::size_t i = 0; i < 3; ++i) clusters_[i] = grid[i] / cluster[i];
  }

  // Call this before the events of a block. `each(f)` calls f(pc, counts) for every instruction. `counts` is the sum of
  // the instruction's counts so far.
  template <class Each>
  void on_block(std::uint64_t block, Each each) {
    const std::uint64_t next = cluster_of(block);
    if (begun_ && next != now_) settle(each);
    begun_ = true;
    now_ = next;
  }
  template <class Each>
  void on_block_end(std::uint64_t times, Each each) {
    settle(each);
    const unsigned number = emulate::class_of(clusters_, now_);
    ended_[number] += times;
    begun_ = false;
    const auto it = pending_.find(now_);
    if (it == pending_.end()) return;
    counts launch;
    for (const auto& [pc, one] : it->second) {
      add_to(sites_[pc][number], one, times);
      launch += one;
    }
    add_to(launch_[number], launch, times);
    pending_.erase(it);
  }
  void add(const block_samples& other) {
    for (const auto& [pc, from] : other.sites_) add_to(sites_[pc], from);
    add_to(launch_, other.launch_);
    for (std::size_t i = 0; i < ended_.size(); ++i) ended_[i] += other.ended_[i];
  }

  const by_class& launch() const { return launch_; }
  // the classes of the blocks that have ended; each class is a stratum
  block_strata strata() const { return {emulate::class_sizes(clusters_), ended_}; }

  // Replaces an instruction's sampled counts with estimates for all blocks. Returns the interval of each value.
  std::vector<interval> estimate_all(counts& c, std::uint64_t pc) const {
    const auto it = sites_.find(pc);
    const by_class sample = it == sites_.end() ? by_class() : it->second;
    const block_strata all = strata();
    Numbers::each_member([&](auto member, auto at_most) {
      class_sums one;
      for (const auto& [number, of] : sample) one[number].sum = of.all.*member;
      c.*member = estimate_of(all, one).value;
      if (at_most != nullptr) c.*member = std::min(c.*member, c.*at_most);
    });
    std::vector<interval> within = intervals_of(sample);
    // A value may be the difference of two rounded estimates, so it may be slightly outside of its interval.
    for (std::size_t i = 0; i < Numbers::values; ++i) include(within[i], Numbers::value(c, i));
    return within;
  }
  std::vector<interval> intervals_of(const by_class& sample) const {
    std::vector<interval> list;
    const block_strata all = strata();
    for (std::size_t i = 0; i < Numbers::values; ++i) {
      class_sums one;
      for (const auto& [number, s] : sample) one[number] = s.of[i];
      list.push_back(estimate_of(all, one).within);
    }
    return list;
  }

 private:
  using by_pc = std::map<std::uint64_t, counts>;

  static void add_to(sums& to, const counts& one, std::uint64_t times) {
    Numbers::each_member([&](auto member, auto) { to.all.*member += one.*member * times; });
    for (std::size_t i = 0; i < Numbers::values; ++i) to.of[i].add(Numbers::value(one, i), times);
  }
  static void add_to(by_class& to, const by_class& from) {
    for (const auto& [number, s] : from) {
      to[number].all += s.all;
      for (std::size_t i = 0; i < Numbers::values; ++i) to[number].of[i].add(s.of[i]);
    }
  }

  std::uint64_t cluster_of(std::uint64_t block) const {
    const std::uint64_t x = block % grid_[0], y = block / grid_[0] % grid_[1], z = block / grid_[0] / grid_[1];
    return x / cluster_[0] + clusters_[0] * (y / cluster_[1] + clusters_[1] * (z / cluster_[2]));
  }
  template <class Each>
  void settle(Each each) {
    each([&](std::uint64_t pc, counts sum) {
      counts& before = before_[pc];
      if (sum == before) return;
      const counts all = sum;
      Numbers::each_member([&](auto member, auto) { sum.*member -= before.*member; });
      before = all;
      pending_[now_][pc] += sum;
    });
  }

  std::array<std::uint32_t, 3> grid_, cluster_;
  emulate::grid_extent clusters_;
  bool begun_ = false;
  std::uint64_t now_ = 0;                   // number of the current cluster
  by_pc before_;                            // for each instruction: the counts at the last call of settle()
  std::map<std::uint64_t, by_pc> pending_;  // counts of clusters that have not ended yet
  std::map<std::uint64_t, by_class> sites_;
  by_class launch_;
  std::array<std::uint64_t, emulate::most_block_classes> ended_{};
};

}  // namespace bankwise
