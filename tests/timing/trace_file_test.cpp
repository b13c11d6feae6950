// A trace comes back from its bytes, and from no others.
#include "timing/trace_file.hpp"

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
  t.touched = {{5 << 4 | 3, 0, 8, true}};
  traced_block& b = t.blocks.emplace_back();
  b.linear = 4;
  b.warps.push_back({{{0, 1, 0, 1, 32}}, 1});
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
}

TEST(TraceFile, RefusesWhatWasCutOff) {
  const std::string bytes = to_bytes(some_trace());
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(trace_of(std::string_view(bytes).substr(0, n))) << n;
}

}  // namespace
}  // namespace bankwise::timing
