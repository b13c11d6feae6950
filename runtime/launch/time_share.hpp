// Divides the time of --time among the launches of a program. The number of launches is not known in advance.
//
// A launch shape (kernel, grid and block) seen for the first time gets a quarter of the remaining time. Unused time
// goes to later launches. A known shape gets the number of blocks that fit into a 32nd of the remaining time, estimated
// from the cost of its earlier blocks. This number is a power of two. If it is close to the shape's previous number,
// the previous number is used again, so that equal launches stay equal in the report.
//
// When no time is left, a launch gets a few blocks. A known shape is then executed only at the first, second, fourth,
// eighth and further powers of two of its launches. The report assumes that the other launches equal the last executed
// one. Only launches use up time: work of the host between them does not.
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
  static constexpr std::uint64_t least_blocks = 4;  // minimum for each launch when no time is left
  explicit time_share(duration all = {}) : limited_(all.count() != 0), left_(all) {}

  bool is_limited() const { return limited_; }
  // Sets the time limit of a launch, and the number of its blocks.
  void limit(emulate::launch& l);
  // Whether the launch is not executed, because no time is left.
  bool skips(const emulate::launch& l);
  bool is_over() const { return limited_ && left_.count() <= 0; }
  // Records the time of a launch. If only a sample of its blocks ran, `blocks` is the number of these.
  void note(const emulate::launch& l, duration took, std::uint64_t blocks);

 private:
  struct cost {
    double of_a_block = 0;     // nanoseconds of a block
    std::uint64_t chosen = 0;  // number of blocks in the last launch; 0 means all
    std::uint64_t late = 0;    // number of launches after the time was used up
  };
  // A block costs less if only its counts are wanted, so counting is a shape of its own.
  using shape = std::tuple<const cubin::kernel*, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, bool>;

  bool limited_;
  duration left_;
  std::map<shape, cost> seen_;
};

}  // namespace bankwise::cuda
