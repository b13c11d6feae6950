// Divides the time of --time among the launches of a program, whose number is not known in advance.
//
// A launch shape (kernel, grid and block) seen for the first time gets a quarter of the remaining time; unused time
// goes to the others. A known shape gets the number of blocks that fit into a 32nd of the remaining time, by their
// earlier cost. This number is a power of two. It stays the same if the previous number is still about right, so that
// equal launches stay equal in the report. When no time is left, launches get a few blocks. Then the launches of a
// known shape are executed only at powers of two: the first, the second, the fourth and so on. The others are assumed
// to equal the last executed one. Only the time of launches counts: work of the host in between is not limited.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <tuple>

#include "emulate/launch/launch.hpp"

namespace bankwise::cuda {

class time_share {
 public:
  using duration = std::chrono::nanoseconds;
  static constexpr std::uint64_t least_blocks = 4;  // for each launch, when no time is left
  explicit time_share(duration all = {}) : limited_(all.count() != 0), left_(all) {}

  bool is_limited() const { return limited_; }
  // Sets how long the launch may run, and how many blocks it may have.
  void limit(emulate::launch& l);
  // Whether the launch is not executed.
  bool skips(const emulate::launch& l);
  bool is_over() const { return limited_ && left_.count() <= 0; }
  // Records the time of a launch, and the number of its blocks. A sample only has the blocks that ran.
  void note(const emulate::launch& l, duration took, std::uint64_t blocks);

 private:
  struct cost {
    double of_a_block = 0;     // nanoseconds
    std::uint64_t chosen = 0;  // blocks in the last launch; 0 means all
    std::uint64_t late = 0;    // launches after the time was used up
  };
  // Counting without results has another cost, so it is a separate shape.
  using shape = std::tuple<const cubin::kernel*, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, bool>;

  bool limited_;
  duration left_;
  std::map<shape, cost> seen_;
};

}  // namespace bankwise::cuda
