// What is executed where only counts are wanted: boxes of blocks, classes of real kernels, and all kernels of tests/paths and the
// probes counted alone as in a whole run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "emulate/block_box.hpp"
#include "emulate/counting.hpp"
#include "support/counting_check.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::block_box;
using emulate::block_factors;

template <class F>
void each_block(const block_box& b, F f) {
  for (std::uint32_t z = b.first[2]; z <= b.last[2]; ++z)
    for (std::uint32_t y = b.first[1]; y <= b.last[1]; ++y)
      for (std::uint32_t x = b.first[0]; x <= b.last[0]; ++x) f(std::array<std::uint32_t, 3>{x, y, z});
}

TEST(BlockBox, HoldsWhereTheConditionHolds) {
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    block_box all;
    for (int i = 0; i < 3; ++i) {
      all.first[i] = static_cast<std::uint32_t>(number(0, 3));
      all.last[i] = all.first[i] + static_cast<std::uint32_t>(number(0, 6));
    }
    const block_factors by{number(-9, 9), number(-9, 9), number(-9, 9)};
    const std::int64_t at_first = number(0, 60);
    block_box part = all;
    emulate::keep_at_least_zero(part, at_first, by);
    const auto value = [&](const std::array<std::uint32_t, 3>& at) {
      std::int64_t v = at_first;
      for (int i = 0; i < 3; ++i) v += by[i] * (std::int64_t{at[i]} - all.first[i]);
      return v;
    };
    EXPECT_EQ(part.first, all.first);
    each_block(part, [&](const auto& at) { EXPECT_GE(value(at), 0); });
    // Of one axis all of it.
    const int moving = (by[0] != 0) + (by[1] != 0) + (by[2] != 0);
    bool whole = true;
    each_block(all, [&](const auto& at) { whole &= value(at) >= 0; });
    EXPECT_EQ(part == all, whole);
    if (moving == 1) {
      std::uint64_t good = 0;
      each_block(all, [&](const auto& at) { good += value(at) >= 0; });
      EXPECT_EQ(part.blocks(), good);
    }
    // With what is left: each block once.
    std::uint64_t blocks = part.blocks();
    for (const block_box& r : emulate::rest_of(all, part)) {
      blocks += r.blocks();
      each_block(r, [&](const auto& at) {
        bool inside = true;
        for (int i = 0; i < 3; ++i) inside &= at[i] >= part.first[i] && at[i] <= part.last[i];
        EXPECT_FALSE(inside);
      });
    }
    EXPECT_EQ(blocks, all.blocks());
  }
}

// Blocks that are executed, of a launch.
test::counting_outcome count(const test::kernel_launch& what) {
  return test::count_without_results([&](const test::launch_use& use) {
    const auto ran = test::prepare_kernel(
        what, [&](const emulate::launch& l, emulate::device_memory& m, const auto&) -> result<done> {
          use(l, m);
          return done{};
        });
    ASSERT_TRUE(ran) << to_text(ran.error());
  });
}

struct counted {
  const char* what;
  test::kernel_launch launch;
  std::uint64_t classes;
};

TEST(Counting, ExecutesABlockOfEachClass) {
  const std::vector<counted> all = {
      {"nothing depends on the block",
       {"examples/transpose.cubin",
        "transpose_plain",
        {8, 8, 1},
        {32, 8, 1},
        0,
        {"out:f32[64K]", "f32[64K]=iota", "i32=256"}},
       1},
      {"left edge, inside, right edge",
       {"examples/stencil.cubin",
        "stencil",
        {16, 1, 1},
        {128, 1, 1},
        528,
        {"out:f32[2048]", "f32[2048]=iota", "i32=2000", "i32=2"}},
       3},
  };
  for (const counted& c : all) {
    SCOPED_TRACE(c.what);
    const test::counting_outcome o = count(c.launch);
    EXPECT_EQ(o.difference, "");
    EXPECT_TRUE(o.was_possible);
    EXPECT_EQ(o.blocks_executed, c.classes);
  }
}

}  // namespace
}  // namespace bankwise
