// Tests which blocks are executed if only counts are needed: boxes of blocks, classes of blocks in real kernels, and
// all kernels of tests/paths and of the probes. The counts must equal the counts of a complete run.
#include <gtest/gtest.h>

#include <random>

#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "emulate/counting/block_box.hpp"
#include "emulate/counting/counting.hpp"
#include "sass/flow/code_flow.hpp"
#include "sass/isa.hpp"
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
    // The number of axes along which the value changes. If there is only one such axis, the box must contain every
    // block whose value is at least 0.
    const int moving = (by[0] != 0) + (by[1] != 0) + (by[2] != 0);
    bool whole = true;
    each_block(all, [&](const auto& at) { whole &= value(at) >= 0; });
    EXPECT_EQ(part == all, whole);
    if (moving == 1) {
      std::uint64_t good = 0;
      each_block(all, [&](const auto& at) { good += value(at) >= 0; });
      EXPECT_EQ(part.blocks(), good);
    }
    // Each block must be in `part` or in the rest, but not in both.
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

// Executes the blocks that counting needs.
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

// Makes a launch of a kernel in tests/kernels/classes.cu.
test::kernel_launch classes_kernel(const std::string& name, std::uint32_t blocks, std::uint32_t threads,
                                   std::vector<std::string> arguments) {
  return {"tests/kernels/classes.cubin", name, {blocks, 1, 1}, {threads, 1, 1}, 0, std::move(arguments)};
}

// Returns the number of executed blocks. The counts must equal the counts of a complete run.
std::uint64_t classes_of(const test::kernel_launch& what) {
  const test::counting_outcome o = count(what);
  EXPECT_EQ(o.difference, "");
  EXPECT_TRUE(o.was_possible);
  return o.blocks_executed;
}

TEST(Counting, DoesNotNeedWhereInGlobalMemoryATileIs) {
  // The kernel has 64 tiles. Blocks in different rows of tiles only differ in the condition of the loop.
  for (const auto& [blocks, classes] : {std::pair{28u, 6u}, {64u, 4u}, {60u, 8u}, {80u, 5u}, {1u, 1u}}) {
    SCOPED_TRACE(blocks);
    EXPECT_EQ(
        classes_of(classes_kernel("tiles", blocks, 256, {"out:f32[64K]", "f32[256K]=iota", "u32=128", "u32=512"})),
        classes);
  }
  // The length of a row is not a multiple of a cache line of 128 bytes.
  EXPECT_GT(classes_of(classes_kernel("tiles", 28, 256, {"out:f32[64K]", "f32[256K]=iota", "u32=128", "u32=524"})), 2u);
  for (const std::uint32_t blocks : {1u, 7u, 12u, 40u}) {
    SCOPED_TRACE(blocks);
    EXPECT_LE(classes_of(classes_kernel("uneven_tiles", blocks, 256,
                                        {"out:f32[64K]", "f32[256K]=iota", "u32=100", "u32=416"})),
              blocks);
  }
}
TEST(Counting, NeedsBitsOfBlockIdxWhereTheyMatter) {
  for (const std::uint32_t blocks : {1u, 2u, 31u, 64u, 100u, 130u}) {
    SCOPED_TRACE(blocks);
    EXPECT_LE(classes_of(classes_kernel("bits", blocks, 64, {"out:f32[64K]", "f32[64K]=iota"})), blocks);
  }
}
TEST(Counting, FollowsPointersThatMayBeShared) {
  EXPECT_EQ(classes_of(classes_kernel("generic", 20, 128, {"out:f32[64K]", "f32[64K]=iota", "i32=0", "i32=3"})), 1u);
  EXPECT_EQ(classes_of(classes_kernel("generic", 20, 128, {"out:f32[64K]", "f32[64K]=iota", "i32=1", "i32=4"})), 1u);
}
TEST(Counting, FollowsSpilledRegisters) {
  const auto all = test::read_bytes(test::source_path("tests/kernels/classes.cubin"));
  const auto p = cubin::load(all, "classes.cubin", 0);
  ASSERT_TRUE(p);
  const auto kernel = cubin::find_kernel(*p, "spills");
  ASSERT_TRUE(kernel);
  const cubin::code_section& section = p->sections[(*kernel)->section];
  const sass::code_flow flow =
      sass::flow_of_code(section.bytes, sass::isa_of(p->sm), (*kernel)->offset, section.address);
  EXPECT_TRUE(flow.spills);
  std::size_t spilled = 0, needed = 0;
  const emulate::counting_code code = emulate::code_to_count(*p, **kernel);
  for (const std::uint32_t n : flow.order) {
    spilled += flow.nodes[n].is_spill;
    needed += flow.nodes[n].is_spill && code.needed.needed[n];
  }
  EXPECT_GT(needed, 0u);       // addresses
  EXPECT_LT(needed, spilled);  // sums
  EXPECT_TRUE(code.leaves_global && code.leaves_shared);
  for (const char* step : {"i32=1", "i32=8", "i32=5"}) {
    SCOPED_TRACE(step);
    EXPECT_EQ(classes_of(classes_kernel("spills", 20, 1024, {"out:f32[480K]", "f32[64K]=iota", "i32=3", step})), 1u);
  }
}

TEST(Counting, FollowsWhatLanesHaveUnderAGuard) {
  EXPECT_EQ(classes_of(classes_kernel("reduces", 20, 256, {"out:i32[64]", "i32[8K]=iota", "u32=5120"})), 1u);
  // Some lanes of the last block do not load.
  EXPECT_LE(classes_of(classes_kernel("reduces", 20, 256, {"out:i32[64]", "i32[8K]=iota", "u32=5000"})), 3u);
}

// All heads behave alike, and so do the rows of each head.
TEST(Counting, ExecutesABlockOfAttention) {
  const std::string words = "f16[32K]=random:1";
  EXPECT_EQ(classes_of({"bench/kernels/attention.cubin",
                        "attention_64",
                        {4, 2, 1},
                        {128, 1, 1},
                        40960,
                        {"out:f16[32K]", words, words, words, "i32=256", "f32=0.18"}}),
            1u);
}

}  // namespace
}  // namespace bankwise
