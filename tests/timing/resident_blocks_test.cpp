// Tests when blocks begin, and where their warps go.
#include "timing/multiprocessor/resident_blocks.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(ResidentBlocks, OneUnitStartsTheBlocksOfAllMultiprocessors) {
  unit_setup u({ffma(1)});
  u.add_warp();
  u.add_warp();
  u.setup.blocks = {{0, 0}, {0, 1}};
  u.setup.free = {};
  u.setup.active = 100;
  quarters of(u.setup.gpu);
  resident_blocks blocks(u.setup);
  const gpu_parameters& p = u.setup.gpu;
  const resident_block& first = blocks.begin(50, of);
  EXPECT_EQ(first.began, 50);
  EXPECT_EQ(first.alive, 2u);
  EXPECT_EQ(first.warps[1]->earliest, 50 + p.warp_gap);
  const resident_block& second = blocks.begin(60, of);
  EXPECT_EQ(second.began, 50 + 100 * p.block_gap);
  EXPECT_EQ(second.copy, 1u);
  EXPECT_FALSE(blocks.has_next());
}

// %warpid on an H200, modulo 4: blocks of 3 warps are in 0 1 2, 3 0 1, 2 3 0; those of 8 warps begin in 0, 1, 2, 3.
TEST(ResidentBlocks, EachBlockBeginsInAnotherQuarter) {
  const auto first_quarters = [](unsigned warps) {
    unit_setup u({ffma(1)});
    for (unsigned w = 0; w < warps; ++w) u.add_warp();
    u.setup.blocks = {{0, 0}, {0, 1}, {0, 2}, {0, 3}};
    quarters of(u.setup.gpu);
    resident_blocks blocks(u.setup);
    std::vector<long> list;
    for (int b = 0; b < 4; ++b) list.push_back(blocks.begin(0, of).warps[0]->home - &*of.begin());
    return list;
  };
  EXPECT_EQ(first_quarters(1), (std::vector<long>{0, 1, 2, 3}));
  EXPECT_EQ(first_quarters(2), (std::vector<long>{0, 2, 0, 2}));
  EXPECT_EQ(first_quarters(3), (std::vector<long>{0, 3, 2, 1}));
  EXPECT_EQ(first_quarters(8), (std::vector<long>{0, 1, 2, 3}));
}

TEST(ResidentBlocks, WarpsWithoutInstructionsDoNotRun) {
  unit_setup u({ffma(1)});
  u.add_warp();
  u.trace.blocks[0].warps.emplace_back();
  quarters of(u.setup.gpu);
  resident_blocks blocks(u.setup);
  EXPECT_EQ(blocks.begin(0, of).warps.size(), 1u);
}

// Warps may wait for blocks that were not traced.
TEST(ResidentBlocks, ReleaseAllWarpsIfNoneCanContinue) {
  unit_setup u({ffma(1)});
  u.add_warp();
  quarters of(u.setup.gpu);
  resident_blocks blocks(u.setup);
  resident_block& b = blocks.begin(0, of);
  EXPECT_FALSE(blocks.release_all()) << "no warp waits";
  b.warps[0]->waits = true;
  b.barriers[3].arrived = 1;
  EXPECT_TRUE(blocks.release_all());
  EXPECT_FALSE(b.warps[0]->waits);
  EXPECT_EQ(b.barriers[3].arrived, 0u);
  blocks.end(b);
  EXPECT_FALSE(blocks.release_all());
}

}  // namespace
}  // namespace bankwise::timing
