// The lines of global memory that are in the caches of a block with a clock: in L1, and in L2.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "timing/gpu_parameters.hpp"
#include "timing/multiprocessor/sector_cache.hpp"

namespace bankwise::timing {

class clocked_memory {
 public:
  // `in_l2`: the part of the launch's data that L2 has when the launch begins.
  clocked_memory(const gpu_parameters& p, double l1_bytes, double in_l2)
      : l1(static_cast<std::uint64_t>(l1_bytes)), l2_bytes_(p.l2_own_bytes), in_l2_(in_l2) {}

  sector_cache l1;
  // Whether L2 has the line. Then it is the line that was used last.
  bool use_in_l2(std::uint64_t line) {
    const auto [at, is_new] = brought_.try_emplace(line, 0);
    const bool is_there = is_new ? was_there(line) : kept_ - at->second <= l2_bytes_;
    if (!is_there || is_new) kept_ += line_bytes;
    at->second = kept_;
    return is_there;
  }

 private:
  static constexpr double line_bytes = 128;
  // Chooses as many lines as L2 has.
  bool was_there(std::uint64_t line) const {
    constexpr double steps = 1 << 24;
    return static_cast<double>(line * 0x9e3779b97f4a7c15u >> 40) < in_l2_ * steps;
  }

  double l2_bytes_, in_l2_;
  double kept_ = 0;                                    // bytes of the lines that the block has brought to L2
  std::unordered_map<std::uint64_t, double> brought_;  // value of `kept_` at the last use of each line
};

}  // namespace bankwise::timing
