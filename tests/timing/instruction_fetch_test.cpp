// Tests the instruction cache.
#include "timing/multiprocessor/instruction_fetch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace bankwise::timing {
namespace {

// Measured on an H200: one warp executes 4,096 instructions once, in 514 lines of code, in 9,728 clocks. Code of 1,026
// lines takes 59,407 clocks.
TEST(InstructionFetch, CodeThatFitsIsFetchedBeforeItIsNeeded) {
  const gpu_parameters p;
  const auto clocks = [&](unsigned lines, bool comes_at_once = false) {
    instruction_fetch fetch(p, 8 * lines, 1, false, comes_at_once);
    std::vector<std::uint32_t> of_quarter(16, ~0u);
    instruction_fetch::position at_warp;
    double at = 0;
    for (std::uint32_t code = 0; code < 8 * lines; ++code) at = fetch.code(at_warp, of_quarter, code, at + 1);
    return at;
  };
  EXPECT_NEAR(clocks(514), 9728, 0.05 * 9728);
  EXPECT_GT(clocks(1026), 30000);
  // Only the first line comes from memory. Each line then passes the cache of a quarter.
  EXPECT_NEAR(clocks(514, true), p.code_cold_latency + 514 * p.code_next_gap, 0.05 * 514 * p.code_next_gap);
}

}  // namespace
}  // namespace bankwise::timing
