// Tests which block's access reads a line from DRAM.
#include "timing/trace/line_sharing.hpp"

#include <gtest/gtest.h>

namespace bankwise::timing {
namespace {

// The grid has four blocks on four multiprocessors. All blocks were sampled, and the first block was traced.
launch_trace four_blocks() {
  launch_trace t;
  t.grid = {4, 1, 1};
  t.multiprocessors = 4;
  t.blocks_per_multiprocessor = 1;
  t.blocks.emplace_back();
  t.touching = {0, 1, 2, 3};
  return t;
}

TEST(LineSharing, ALineOfOneBlockIsItsOwn) {
  launch_trace t = four_blocks();
  t.touched = {{10 << 4 | 15, 0, 3, false}};
  const auto s = line_sharing(t).of(10);
  EXPECT_TRUE(s.is_known);
  EXPECT_DOUBLE_EQ(s.dram, 1);
  EXPECT_DOUBLE_EQ(s.blocks, 1);
  EXPECT_FALSE(s.is_there);
}

TEST(LineSharing, ALineOfAllIsBroughtOnce) {
  launch_trace t = four_blocks();
  for (std::uint32_t b = 0; b < 4; ++b) t.touched.push_back({10 << 4 | 15, b, 9 - b, false});
  const auto s = line_sharing(t).of(10);
  EXPECT_DOUBLE_EQ(s.dram, 0.25);
  EXPECT_DOUBLE_EQ(s.blocks, 4);
}

// Blocks that execute the same code at the same time all wait for DRAM. If another block accessed the line long before,
// L2 already has the line.
TEST(LineSharing, L2HasALineThatAnotherBlockAccessedLongBefore) {
  launch_trace t = four_blocks();
  for (std::uint32_t b = 0; b < 4; ++b) t.touched.push_back({10 << 4 | 15, b, 5000 + b, false});
  EXPECT_FALSE(line_sharing(t).of(10).is_there);
  t.touched[3].at = 100;
  EXPECT_TRUE(line_sharing(t).of(10).is_there);
}

// In a small grid, the model follows one block. An access of another block does not count as an access of the followed
// block, even if the other block is traced.
TEST(LineSharing, OfASmallGridOneBlockIsFollowed) {
  launch_trace t = four_blocks();
  t.blocks.resize(4);
  for (std::uint32_t b = 0; b < 4; ++b) {
    t.blocks[b].linear = b;
    t.blocks[b].instructions = b == 1 ? 9000 : 8000;
    t.touched.push_back({10 << 4 | 15, b, b == 2 ? 100 : 5000 + b, false});
  }
  EXPECT_TRUE(line_sharing(t).of(10).is_there)
      << "the model follows the longest block, and another block accessed the line earlier";
  t.blocks[2].instructions = 10'000;
  EXPECT_FALSE(line_sharing(t).of(10).is_there) << "the block that accessed the line first is the longest block";
}

TEST(LineSharing, BlocksThatNobodyLookedAtShareAlike) {
  launch_trace t = four_blocks();
  t.touching = {0, 2};
  t.touched = {{10 << 4 | 15, 0, 0, false}, {10 << 4 | 15, 1, 0, false}};
  EXPECT_DOUBLE_EQ(line_sharing(t).of(10).blocks, 4);  // each of the two traced blocks represents two blocks
}

// The traced blocks run on different multiprocessors. Each of these multiprocessors reads its part of the line from
// DRAM.
TEST(LineSharing, TracedBlocksOfFewAreOnDifferentMultiprocessors) {
  launch_trace t = four_blocks();
  t.blocks.resize(4);
  for (std::uint32_t b = 0; b < 4; ++b) {
    t.blocks[b].linear = b;
    t.touched.push_back({10 << 4 | 15, b, 0, false});
  }
  EXPECT_DOUBLE_EQ(line_sharing(t).of(10).dram, 0.25);
}

// 16 blocks run, four at a time. `first` and `all` are the bytes that two and four recorded blocks read.
double read_earlier(double first, double all, double allocated, double l2_bytes = 30e6) {
  launch_trace t = four_blocks();
  t.grid = {16, 1, 1};
  t.instructions = 1600;
  touched_memory m{.blocks = 4, .first_blocks = 2, .instructions = 400, .first_instructions = 200};
  m.regions.push_back({allocated, false, {all, first, all}, {}});
  t.memory = m;
  const line_sharing sharing(t, l2_bytes);
  unsigned n = 0;
  for (std::uint64_t line = 0; line < 1000; ++line) n += sharing.was_read_earlier(line);
  return n / 1000.0;
}

TEST(LineSharing, LaterBlocksFindInL2WhatEarlierBlocksRead) {
  EXPECT_EQ(read_earlier(2000, 4000, 1e9), 0) << "each block reads data of its own";
  EXPECT_EQ(read_earlier(4000, 4000, 1e9), 1) << "all blocks read the same";
  EXPECT_EQ(read_earlier(2000, 4000, 4000), 1) << "the array ends, so later blocks read it again";
  EXPECT_NEAR(read_earlier(3000, 4000, 1e9), 0.5, 0.03) << "half of the data of a block are its own";
  EXPECT_EQ(read_earlier(4000, 4000, 1e9, 3000), 0) << "L2 does not keep the data";
}

TEST(LineSharing, KnowsTheSlicesOfUpdates) {
  launch_trace t = four_blocks();
  t.blocks[0].warps.resize(1);
  t.lines = {8 << 4 | 15, 0, 400 << 4 | 1, 0};  // each update has a line, and the word that most lanes access
  t.accesses = {{.space = memory_space::global, .does = memory_action::update, .lines = 1, .first_line = 0},
                {.space = memory_space::global, .does = memory_action::update, .lines = 1, .first_line = 2}};
  t.blocks[0].warps[0].runs = {{0, 1, 0, 2, 32}};
  const auto parts = line_sharing(t).updates_by_slice(80);
  ASSERT_NE(slice_of(8, 80), slice_of(400, 80));
  EXPECT_DOUBLE_EQ(parts[slice_of(8, 80)], 0.8);
  EXPECT_DOUBLE_EQ(parts[slice_of(400, 80)], 0.2);
}

TEST(LineSharing, HalvesOfALineAreApart) {
  launch_trace t = four_blocks();
  t.touched = {{10 << 4 | 3, 0, 0, false}, {10 << 4 | 12, 1, 0, false}};
  EXPECT_DOUBLE_EQ(line_sharing(t).of(10, 3).blocks, 1);
  EXPECT_DOUBLE_EQ(line_sharing(t).of(10, 3).dram, 1);
}

TEST(LineSharing, ABlockThatComesAgainIsOneBlock) {
  launch_trace t = four_blocks();
  t.touched = {{10 << 4 | 1, 0, 0, false}, {10 << 4 | 2, 0, 5, false}};
  EXPECT_DOUBLE_EQ(line_sharing(t).of(10).blocks, 1);
}

TEST(LineSharing, WhatDoesNotStayInL2ComesAgain) {
  launch_trace t = four_blocks();
  for (std::uint32_t b = 0; b < 4; ++b) {
    t.touched.push_back({10 << 4 | 3, b, b * 250, false});
    for (std::uint32_t i = 1; i < 10; ++i) t.touched.push_back({(100 * (b + 1) + i) << 4 | 15, b, i * 100, false});
  }
  EXPECT_DOUBLE_EQ(line_sharing(t).of(10).dram, 0.25);
  EXPECT_DOUBLE_EQ(line_sharing(t, 200).of(10).dram, 1) << "an L2 of 200 bytes";
}

TEST(LineSharing, WhatSeveralBlocksWriteIsWrittenOnce) {
  launch_trace t = four_blocks();
  for (std::uint32_t b = 0; b < 4; ++b) t.touched.push_back({10 << 4 | 15, b, 0, true});
  EXPECT_DOUBLE_EQ(line_sharing(t).written_bytes(), 128);
}

TEST(LineSharing, CountsWhatIsWritten) {
  launch_trace t = four_blocks();
  t.touched = {{10 << 4 | 15, 0, 0, true}, {11 << 4 | 1, 1, 0, false}};
  EXPECT_DOUBLE_EQ(line_sharing(t).written_bytes(), 128);
  EXPECT_DOUBLE_EQ(line_sharing(t).touched_bytes(), 160);
}

// 64 blocks copy a line to shared memory. Those next to each other in the grid send one request if they are at the same
// place of the code.
TEST(LineSharing, NeighboursRequestALineTogether) {
  const auto part = [](std::uint32_t step, std::uint32_t later, bool copies = true) {
    launch_trace t;
    t.grid = {64, 1, 1};
    t.multiprocessors = 64;
    t.blocks.emplace_back();
    if (copies) t.accesses = {{.space = memory_space::bulk, .does = memory_action::load}};
    for (std::uint32_t b = 0; b < 64; ++b) {
      t.touching.push_back(b);
      if (b % step == 0) t.touched.push_back({10 << 4 | 15, b, 1000 + later * b, false});
    }
    return line_sharing(t).of(10).together;
  };
  EXPECT_DOUBLE_EQ(part(1, 0), 4.0 / 64) << "the GPU has a part for 16 of them";
  EXPECT_DOUBLE_EQ(part(8, 0), 0.5);
  EXPECT_DOUBLE_EQ(part(16, 0), 1) << "there is one in each part";
  EXPECT_DOUBLE_EQ(part(1, 5000), 1) << "they come at other times";
  EXPECT_DOUBLE_EQ(part(1, 0, false), 1) << "loads that pass L1 are not merged";
}

}  // namespace
}  // namespace bankwise::timing
