// The time of a launch that is longer than its trace.
#include "timing/launch/launch_time.hpp"

#include <gtest/gtest.h>

namespace bankwise::timing {
namespace {

// FFMA that stalls for four clocks, without barriers.
constexpr traced_code chain{0, 0x223, std::uint64_t{4} << 41 | std::uint64_t{7} << 46 | std::uint64_t{7} << 49};

// A block of four warps, traced in part. `traced` has the instructions of each warp.
launch_trace long_block(std::initializer_list<std::uint32_t> traced) {
  launch_trace t;
  t.block = {128, 1, 1};
  t.code = {chain};
  t.instructions = 4'000'000;
  traced_block& b = t.blocks.emplace_back();
  b.is_cut = true;
  for (const std::uint32_t n : traced) {
    traced_warp& w = b.warps.emplace_back();
    for (std::uint32_t i = 0; i < n; ++i) w.runs.push_back({0, 1, 0, 0, 32});
    w.instructions = n;
    b.instructions += n;
  }
  t.touching = {0};
  return t;
}

// The recorder executes one warp after another up to a barrier, so the trace of one warp may end before the traces of
// other warps.
TEST(LaunchTime, WarpsWhoseTraceEndsEarlyDoNotSlowTheRest) {
  const double even = predict_cycles(long_block({4000, 4000, 4000, 4000}), {});
  EXPECT_NEAR(predict_cycles(long_block({1500, 4000, 4000, 4000}), {}) / even, 1, 0.03);
  EXPECT_NEAR(predict_cycles(long_block({2000, 2000, 4000, 4000}), {}) / even, 1, 0.03);
}

// A kernel often leaves the last step to its first block. The other blocks end at once.
TEST(LaunchTime, TheFirstBlockDoesTheWorkThatOnlyItDoes) {
  launch_trace t = long_block({4000, 4000, 4000, 4000});
  const double alone = predict_cycles(t, {});
  t.grid = {100, 1, 1};
  for (std::uint64_t n = 1; n < 30; ++n) {
    traced_block& b = t.blocks.emplace_back();
    b.linear = n;
    b.instructions = 1;
    b.warps.emplace_back().runs.push_back({0, 1, 0, 0, 32});
    t.touching.push_back(n);
  }
  EXPECT_NEAR(predict_cycles(t, {}) / alone, 1, 0.03);
}

// Measured on an H200: if one block executes wgmma, the clock of its part of the GPU falls, and the launch takes 1.0975
// clocks of the other parts for each of its clocks. If all parts execute wgmma, all clocks fall.
TEST(LaunchTime, WgmmaLowersTheClock) {
  constexpr traced_code product{0, 0x00e00000041879f0, 0x000fe20008700818};
  const gpu_parameters p;
  launch_trace t = long_block({4000, 4000, 4000, 4000});
  t.blocks[0].is_cut = false;
  t.instructions = 16000;
  const double plain = predict_cycles(t, p) - p.launch_cycles;
  t.code.push_back(product);
  EXPECT_NEAR((predict_cycles(t, p) - p.launch_cycles) / plain, 1.0975, 0.01);
  t.grid = {132, 1, 1};
  t.instructions *= 132;
  EXPECT_NEAR((predict_cycles(t, p) - p.launch_cycles) / plain, 1, 0.03);
}

// A prediction for a choice needs less: it gives the same time, bound and interval, and ends at a limit.
TEST(LaunchTime, APredictionEndsAtALimit) {
  const gpu_parameters p;
  launch_trace t = long_block({4000, 4000, 4000, 4000});
  const launch_time whole = predict_time(t, p), alone = predict_time(t, p, false, 2 * whole.cycles);
  EXPECT_EQ(alone.cycles, whole.cycles);
  EXPECT_EQ(alone.bound, whole.bound);
  EXPECT_EQ(alone.cycles_high, whole.cycles_high);
  EXPECT_FALSE(whole.is_stopped || alone.is_stopped);
  // The replay takes 16,000 clocks, and the launch 4 million. The first limit is reached before the replay ends.
  for (const double limit : {p.launch_cycles + 8000, whole.cycles - 1}) {
    const launch_time stopped = predict_time(t, p, false, limit);
    EXPECT_TRUE(stopped.is_stopped) << limit;
    EXPECT_TRUE(stopped.cycles >= limit && stopped.cycles <= whole.cycles) << stopped.cycles;
    EXPECT_LE(stopped.replayed, whole.replayed);
  }
  EXPECT_LT(predict_time(t, p, false, p.launch_cycles + 8000).replayed, 10'000U);
}

// If the traced block executes more than the average block, only a part of its clocks counts. A limit must then not stop
// a launch that takes less time than the replay.
TEST(LaunchTime, ALimitDoesNotStopALaunchWithFewInstructions) {
  const gpu_parameters p;
  launch_trace t = long_block({4000, 4000, 4000, 4000});
  t.grid = {1000, 1, 1};
  t.instructions = 1000 * 4000;  // a quarter of the instructions of the traced block
  const launch_time whole = predict_time(t, p);
  for (const double more : {1.0001, 1.5, 3.0}) {
    const launch_time limited = predict_time(t, p, false, whole.cycles * more);
    EXPECT_FALSE(limited.is_stopped) << more;
    EXPECT_EQ(limited.cycles, whole.cycles);
  }
  EXPECT_TRUE(predict_time(t, p, false, whole.cycles * 0.9999).is_stopped);
}

// An index function adds arithmetic before each access. The warp waits for each of these instructions.
TEST(LaunchTime, AddedArithmeticTakesTime) {
  launch_trace t = long_block({4000});
  t.blocks[0].is_cut = false;
  t.instructions = 4000;
  const changed_instruction added[] = {{.code = 0, .change = {.added = 2}}};
  changed_launch launch(t, {});
  EXPECT_NEAR((launch.part_with(added) - 1) * predict_cycles(t, {}), 4000 * 2 * 4, 100);
  EXPECT_EQ(launch.part_with({}), 1) << "the launch is as recorded again";
}

TEST(LaunchTime, AChangeDoesNotSaveWhatChanceSaves) {
  EXPECT_EQ(part_beyond_chance(50, 100, 98), 0.5);
  EXPECT_EQ(part_beyond_chance(95, 100, 100), 0.95);
  EXPECT_EQ(part_beyond_chance(95, 100, 95), 1) << "a later begin of the blocks saves as much";
  EXPECT_DOUBLE_EQ(part_beyond_chance(91, 100, 95), 91.0 / 95);
}

// Three blocks fit on a multiprocessor, and each gets four. A chain of dependent instructions is as long alone as with
// others, so the fourth block takes as long as the first three together. Measured on an H200 (tensor_times.csv): products
// of matrices in tiles of 64 x 128, with three blocks on each multiprocessor.
TEST(LaunchTime, TheLastBlocksRunAlone) {
  launch_trace t = long_block({4000, 4000, 4000, 4000});
  const double alone = predict_cycles(t, {});
  for (std::uint64_t n = 1; n < 3; ++n) {
    t.blocks.push_back(t.blocks[0]);
    t.blocks.back().linear = n;
    t.touching.push_back(n);
  }
  t.blocks_per_multiprocessor = 3;
  t.in_order = true;
  t.grid = {4 * 132, 1, 1};
  t.instructions *= t.grid_blocks();
  EXPECT_NEAR(predict_cycles(t, {}) / alone, 2, 0.03);
}

// Each multiprocessor keeps two blocks. Those of one multiprocessor are twice as long, as some are in causal attention.
TEST(LaunchTime, TheLongestBlocksDetermineTheTimeIfAllRunAtOnce) {
  launch_trace t = long_block({4000, 4000, 4000, 4000});
  t.blocks[0].is_cut = false;
  t.blocks.push_back(t.blocks[0]);
  t.blocks[1].linear = 132;
  t.blocks_per_multiprocessor = 2;
  t.grid = {264, 1, 1};
  t.instructions = 264 * 16'000;
  t.touching.clear();
  for (std::uint64_t n = 0; n < 264; ++n) t.touching.push_back(n);
  const gpu_parameters p;
  const auto cycles = [&] { return predict_cycles(t, p) - p.launch_cycles; };
  const double unknown = cycles();
  t.executed.assign(264, 16'000);
  EXPECT_NEAR(cycles() / unknown, 1, 0.01);
  t.executed[7] = t.executed[132 + 7] = 32'000;
  EXPECT_NEAR(cycles() / unknown, 2, 0.03);
  t.blocks_per_multiprocessor = 1;
  const double in_turns = cycles();
  t.executed.clear();
  EXPECT_EQ(cycles(), in_turns) << "the second block of a multiprocessor goes where a place becomes free";
}

}  // namespace
}  // namespace bankwise::timing
