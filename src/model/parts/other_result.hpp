// Results of a launch that depend on the order of its blocks, warps and diverged paths: what another order changes.
#pragma once

#include <cstdint>
#include <string>

namespace bankwise {

struct other_result {
  std::uint64_t seed = 0;  // gives this order again (--seed)
  // Number of bytes of global memory that the launch leaves with other values. 0 if the launch fails in this order.
  std::uint64_t bytes = 0;
  std::string memory;                  // the allocation with the first of these bytes, such as "argument 0"
  std::uint64_t offset = 0;            // of the first word that differs, in the allocation
  std::uint32_t usual = 0, other = 0;  // the values of this word
  // whether all words that differ are floats or doubles of almost the same value, as after sums in another order
  bool only_rounding = false;
  std::string failure;  // the error of the launch in this order; empty if it ends

  friend bool operator==(const other_result&, const other_result&) = default;
};

// Returns what another order changes, and how to repeat the order.
std::string title_of(const other_result& o);
std::string order_of(const other_result& o);

}  // namespace bankwise
