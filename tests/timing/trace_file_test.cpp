// Tests that a trace is unchanged after it was written and read back, and that invalid bytes are refused.
#include "timing/trace/trace_file.hpp"

#include <gtest/gtest.h>

namespace bankwise::timing {
namespace {

launch_trace some_trace() {
  launch_trace t;
  t.kernel = "k(int)";
  t.grid = {3, 2, 1};
  t.instructions = 77;
  t.code = {{16, 1, 2}};
  t.accesses = {{.code = 1, .wavefronts = 9, .lines = 1}};
  t.lines = {5 << 4 | 3};
  t.touching = {4};
  t.executed = {1};
  t.touched = {{5 << 4 | 3, 0, 8, true}};
  traced_block& b = t.blocks.emplace_back();
  b.linear = 4;
  b.warps.push_back({{{0, 1, 0, 1, 32}}, 1});
  t.sections = {{"f", 0, 0, 1}};
  return t;
}

TEST(TraceFile, ComesBack) {
  const auto t = trace_of(to_bytes(some_trace()));
  ASSERT_TRUE(t);
  EXPECT_EQ(t->kernel, "k(int)");
  EXPECT_EQ(t->grid, some_trace().grid);
  EXPECT_EQ(t->instructions, 77u);
  ASSERT_EQ(t->blocks.size(), 1u);
  ASSERT_EQ(t->blocks[0].warps.size(), 1u);
  EXPECT_EQ(t->blocks[0].warps[0].runs[0].accesses, 1);
  EXPECT_EQ(t->accesses[0].wavefronts, 9);
  EXPECT_TRUE(t->touched[0].stores);
  EXPECT_EQ(t->code_at("f", 0), 0u);
  EXPECT_EQ(t->executed, std::vector<std::uint64_t>{1});
  EXPECT_FALSE(t->code_at("f", 16));
  EXPECT_FALSE(t->code_at("", 0));
}

TEST(TraceFile, RefusesWhatWasCutOff) {
  const std::string bytes = to_bytes(some_trace());
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(trace_of(std::string_view(bytes).substr(0, n))) << n;
}

// A trace in a report is outside input, so an invalid reference must be found before it is used.
TEST(TraceFile, OnlySoundTracesAreUsed) {
  launch_trace sound = some_trace();
  sound.accesses[0].code = 0;
  ASSERT_TRUE(is_sound(sound));
  const auto is_sound_with = [&](auto change) {
    launch_trace t = sound;
    change(t);
    return is_sound(t);
  };
  EXPECT_FALSE(is_sound(some_trace())) << "a trace with an access of an unknown instruction is unsound";
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.accesses[0].lines = 2; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.accesses[0].space = static_cast<memory_space>(8); }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) {
    t.accesses[0].space = memory_space::mbarrier;
    t.accesses[0].lines = 0;
  })) << "an access of an mbarrier has one element in `lines`";
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.blocks[0].linear = 6; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.touching[0] = 6; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.executed.push_back(1); }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.blocks[0].warps[0].runs[0].count = 2; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.blocks[0].warps[0].runs[0].count = 0; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.blocks[0].warps[0].runs[0].first_access = 1; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.blocks_per_multiprocessor = 1'000'000; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.block = {2048, 1, 1}; }));
  EXPECT_FALSE(is_sound_with([](launch_trace& t) { t.grid[1] = 0; }));
}

}  // namespace
}  // namespace bankwise::timing
