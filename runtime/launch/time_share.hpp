// How the time of --time is spread over the launches of a program, of which nobody knows how many are to come.
//
// A kernel with a grid and a block that was not seen before gets a quarter of what is left, and if it needs less the
// others have it. One that was seen gets so many blocks as a 32nd of what is left allows by what they cost before: a
// power of two, and as many as the last time where that is about right, so that equal launches stay equal in the
// report. When nothing is left, launches get a few blocks, and of those that were seen only the first, the second, the
// fourth and so on are executed: the others are taken for equal to the last. Only launches count: what the host does in
// between takes the time that it takes.
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
  static constexpr std::uint64_t least_blocks = 4;  // of each launch, when nothing is left
  explicit time_share(duration all = {}) : limited_(all.count() != 0), left_(all) {}

  bool is_limited() const { return limited_; }
  // Sets how long the launch may run, and how many blocks it may have.
  void limit(emulate::launch& l);
  // Whether it is one of those that are not executed.
  bool skips(const emulate::launch& l);
  bool is_over() const { return limited_ && left_.count() <= 0; }
  // For a launch that ran: its time, with the number of blocks that ran, or that they represent.
  void note(const emulate::launch& l, duration took, std::uint64_t blocks);

 private:
  struct cost {
    double of_a_block = 0;     // nanoseconds
    std::uint64_t chosen = 0;  // blocks, the last time; 0: all
    std::uint64_t late = 0;    // launches that came when nothing was left
  };
  // Counted alone it costs something else.
  using shape = std::tuple<const cubin::kernel*, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, bool>;

  bool limited_;
  duration left_;
  std::map<shape, cost> seen_;
};

}  // namespace bankwise::cuda
