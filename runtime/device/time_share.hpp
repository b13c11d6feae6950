// Divides the time of --time among the launches of a program. The number of launches is not known in advance.
//
// A launch shape (kernel, grid and block) seen for the first time gets a quarter of the remaining time. Unused time is
// kept for later launches. A known shape gets as many blocks as fit into a 32nd of the remaining time, estimated from
// the cost of its earlier blocks. This number is rounded down to a power of two. If the result is close to the shape's
// previous number, the previous number is used again. So equal launches stay equal in the report.
//
// When no time remains, a launch gets a few blocks. From then on, a known shape is executed only at its first, second,
// fourth, eighth launch and so on. The report assumes that each skipped launch equals the last executed launch of the
// shape. These late executions have one second in all. Then no launch is executed, and launches of unknown shapes are
// left out of the report. Executing and predicting launches uses up time, and writing reports does. Work of the host
// between launches does not.
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
  static constexpr std::uint64_t least_blocks = 4;  // number of blocks of each launch when no time remains
  using milliseconds = std::chrono::duration<std::uint32_t, std::milli>;
  static constexpr milliseconds late_time{1000};  // for all launches together when no time remains
  explicit time_share(duration all = {}) : limited_(all.count() != 0), left_(all) {}

  bool is_limited() const { return limited_; }
  // Sets the time limit and the number of blocks of a launch.
  void limit(emulate::launch& l);
  // Whether the launch is skipped because no time remains.
  bool skips(const emulate::launch& l);
  bool is_over() const { return limited_ && left_.count() <= 0; }
  // Whether no launch is executed any more.
  bool is_closed() const { return is_over() && late_.count() == 0; }
  // Whether enough time is left for the prediction of a launch, which cannot be stopped.
  bool has_time_to_predict() const;
  // Uses up time without executing a launch.
  void spend(duration took);
  // Records the time of a launch. `blocks` is the number of blocks that ran.
  void note(const emulate::launch& l, duration took, std::uint64_t blocks);

 private:
  struct cost {
    double of_a_block = 0;     // mean time of a block in nanoseconds
    std::uint64_t chosen = 0;  // number of blocks of the last launch; 0 means all
    std::uint64_t late = 0;    // number of launches after the time was used up
  };
  // The last member of a shape is true if only counts are computed. A block then costs less time.
  using shape = std::tuple<const cubin::kernel*, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, bool>;

  bool limited_;
  milliseconds late_ = late_time;
  duration left_;
  std::map<shape, cost> seen_;
};

}  // namespace bankwise::cuda
