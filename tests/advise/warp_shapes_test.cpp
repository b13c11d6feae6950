// Tests the possible shapes of warps, and compares the suggested source lines with the emulator.
#include "advise/warp_shapes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bankwise/config.hpp"

namespace bankwise::advise {
namespace {

using emulate::thread_of;
using emulate::warp_shape;

std::vector<u32> threads(const warp_shape& w, u32 count) {
  std::vector<u32> all;
  for (u32 t = 0; t < count; ++t) all.push_back(thread_of(w, t / lanes_per_warp, t % lanes_per_warp));
  return all;
}

TEST(WarpShapes, AWarpIsARectangle) {
  const warp_shape w{16, 8};
  EXPECT_EQ(thread_of(w, 0, 0), 0u);
  EXPECT_EQ(thread_of(w, 0, 7), 7u);
  EXPECT_EQ(thread_of(w, 0, 8), 16u);   // lane 8 is in the next row of threads
  EXPECT_EQ(thread_of(w, 0, 31), 55u);  // the last lane is in the last of the warp's four rows
  EXPECT_EQ(thread_of(w, 1, 0), 8u);    // warp 1 begins next to warp 0
  EXPECT_EQ(thread_of(w, 2, 0), 64u);   // below both
}

TEST(WarpShapes, EveryThreadIsInOneLane) {
  for (const block_sides block :
       {block_sides{16, 16, 1}, {32, 8, 1}, {8, 8, 8}, {256, 1, 1}, {1024, 1, 1}, {96, 1, 1}, {4, 8, 3}})
    for (const warp_shape& w : other_shapes(block)) {
      const u32 count = block[0] * block[1] * block[2];
      const std::vector<u32> all = threads(w, count);
      EXPECT_EQ(std::set<u32>(all.begin(), all.end()).size(), count) << w.row << " " << w.along;
      EXPECT_LT(*std::max_element(all.begin(), all.end()), count);
    }
}

TEST(WarpShapes, OthersAreOthersAndDifferFromEachOther) {
  for (const block_sides block : {block_sides{16, 16, 1}, {32, 32, 1}, {64, 4, 2}, {512, 1, 1}}) {
    const u32 count = block[0] * block[1] * block[2];
    std::set<std::vector<u32>> seen = {threads({count, lanes_per_warp}, count)};  // the hardware's
    for (const warp_shape& w : other_shapes(block))
      EXPECT_TRUE(seen.insert(threads(w, count)).second) << w.row << " " << w.along;
    EXPECT_GT(seen.size(), 1u);
  }
}

TEST(WarpShapes, SomeBlocksHaveNone) {
  EXPECT_TRUE(other_shapes({32, 1, 1}).empty() || threads(other_shapes({32, 1, 1})[0], 32) != threads({32, 32}, 32));
  EXPECT_TRUE(other_shapes({33, 1, 1}).empty());  // the last warp of the block is not full
  EXPECT_TRUE(other_shapes({7, 5, 1}).empty());
  EXPECT_FALSE(emulate::covers({16, 3}, 256));
  EXPECT_FALSE(emulate::covers({16, 0}, 256));
  EXPECT_FALSE(emulate::covers({0, 8}, 256));
  EXPECT_FALSE(emulate::covers({16, 8}, 48));  // the block has three rows, but a warp needs four
}

TEST(WarpShapes, TheCodeIsInTheWordsOfTheBlock) {
  EXPECT_EQ(code_of({16, 8}, {16, 16, 1}).lines,
            (std::vector<std::string>{
                "const unsigned thread = threadIdx.y * 16 + threadIdx.x, warp = thread / 32, lane = thread % 32;",
                "const unsigned tx = warp % 2 * 8 + lane % 8, ty = warp / 2 * 4 + lane / 8;"}));
  EXPECT_EQ(code_of({32, 1}, {32, 32, 1}).lines[1], "const unsigned tx = warp % 32, ty = warp / 32 * 32 + lane;");
  EXPECT_EQ(
      code_of({8, 8}, {8, 8, 8}).lines,
      (std::vector<std::string>{
          "const unsigned thread = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x, warp = thread / 32, lane = thread % 32;",
          "const unsigned tx = lane % 8, row = warp * 4 + lane / 8, ty = row % 8, tz = row / 8;"}));
  EXPECT_EQ(code_of({64, 16}, {256, 1, 1}).lines[1],
            "const unsigned t = (warp / 4 * 2 + lane / 16) * 64 + warp % 4 * 16 + lane % 16;");
  EXPECT_EQ(code_of({64, 16}, {256, 1, 1}).in_place_of, "t instead of threadIdx.x");
}

TEST(WarpShapes, TheBestTakesLessOfOneMemoryAndNoMoreOfTheOther) {
  const warp_trial now{{}, 100, 100, 50, true};
  const warp_trial wrong{{16, 1}, 10, 10, 50, false}, spread{{16, 2}, 20, 20, 51, true},
      slow{{16, 2}, 101, 101, 1, true}, same{{16, 2}, 90, 100, 50, true}, good{{16, 4}, 40, 40, 50, true},
      better{{16, 8}, 40, 40, 40, true}, fewer{{16, 16}, 100, 100, 10, true};
  EXPECT_EQ(best_of(now, {wrong, spread, slow, same}), nullptr);
  const std::vector<warp_trial> all = {wrong, spread, good, better, fewer};
  EXPECT_EQ(best_of(now, all), &all[3]);
  // this shape takes as many clocks of the shared pipe, but accesses fewer sectors
  const std::vector<warp_trial> only_fewer = {spread, fewer};
  EXPECT_EQ(best_of(now, only_fewer), &only_fewer[1]);
  // 60 sectors take 30 clocks, so saving 60 sectors is better than saving 20 clocks of the pipe.
  const warp_trial far{{}, 100, 100, 100, true};
  const std::vector<warp_trial> two = {{{16, 2}, 80, 80, 100, true}, {{16, 4}, 100, 100, 40, true}};
  EXPECT_EQ(best_of(far, two), &two[1]);
}

}  // namespace
}  // namespace bankwise::advise
