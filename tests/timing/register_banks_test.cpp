// Tests the clocks for which instructions wait for their registers.
#include "timing/multiprocessor/register_banks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

instruction_cost reading(std::array<std::uint8_t, 3> registers, std::uint8_t keeps = 0, std::uint8_t stall = 1) {
  instruction_cost c = ffma(stall);
  c.reads = registers;
  c.keeps = keeps;
  return c;
}

// Returns the clocks of an instruction on one quarter of a multiprocessor. An H100 takes the same number of clocks
// (bench/issue_times.cpp).
double clocks_of_reads(std::vector<instruction_cost> code, unsigned warps) {
  small_launch l;
  for (const instruction_cost& c : code) l.add(c);
  return l.run(warps, 1000) / 1000 / static_cast<double>(code.size()) / (warps / 4.0);
}

TEST(RegisterBanks, ABankOfRegistersGivesOneInAClock) {
  EXPECT_NEAR(clocks_of_reads({reading({2, 3, 255})}, 16), 1, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 3, 4})}, 16), 2, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6})}, 16), 3, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}), reading({3, 5, 7})}, 16), 1.5, 0.05)
      << "the banks work independently";
}

TEST(RegisterBanks, TheCacheOfOperandsHasARegisterForEachPlaceAndBank) {
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1)}, 4), 2, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1), reading({3, 4, 6}, 1)}, 4), 2, 0.02)
      << "R2 and R3 both stay in the cache";
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1), reading({8, 4, 6}, 1)}, 4), 3, 0.02) << "R8 replaces R2";
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1), reading({4, 2, 6}, 1)}, 4), 3, 0.02)
      << "R2 and R4 have changed places";
}

TEST(RegisterBanks, AnotherWarpEmptiesTheCacheOfOperands) {
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 255}, 1)}, 16), 1, 0.02) << "the same warp continues";
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 255}, 1, 4)}, 16), 2, 0.05) << "the warps take turns";
}

TEST(RegisterBanks, ThreeRegistersOfABankFitIntoTheWindow) {
  const gpu_parameters p;
  register_banks banks;
  EXPECT_EQ(banks.read(reading({2, 4, 6}), false, 10, p), 0) << "the bank reads in clocks 10, 11 and 12";
  EXPECT_EQ(banks.read(reading({8, 3, 255}), false, 11, p), 0) << "the bank reads R8 in clock 13";
  EXPECT_EQ(banks.read(reading({8, 255, 255}), false, 11, p), 1) << "the window of clocks 11 to 13 is full";
}

}  // namespace
}  // namespace bankwise::timing
