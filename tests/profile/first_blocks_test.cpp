// Tests a listener that only receives the events of the first blocks. Later blocks run without this listener.
#include "profile/first_blocks.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "emulate/counting/counting.hpp"
#include "expr/names/machine_names.hpp"
#include "profile/profile_launch.hpp"
#include "report/json/write_report.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct counter : emulate::listener {
  std::uint64_t blocks = 0, accesses = 0, numbers = 0;  // `numbers`: sum of the blocks' numbers
  void on_block(std::uint64_t block) override { ++blocks, numbers += block; }
  void on_access(const emulate::shared_access&) override { ++accesses; }
  void add(const counter& other) { blocks += other.blocks, accesses += other.accesses, numbers += other.numbers; }
};

// A listener that receives repeated accesses as one event.
struct of_repeats : emulate::listener {
  emulate::wanted_events wants() const override { return {.repeats = 128}; }
  void on_block(std::uint64_t) override {}
};

// Sends a block with one access.
void run_block(of_first_blocks<counter>& l, std::uint64_t block, std::uint64_t order) {
  l.on_next({.block = block, .order = order, .cluster = order});
  if (l.has_enough()) return;
  l.on_block(block);
  l.on_access({});
  l.on_block_end(1);
}

TEST(FirstBlocks, HearsOfTheFirstOnesWhole) {
  of_first_blocks<counter> l(false);
  for (std::uint64_t n = 0; n < 3 * most_first_blocks; ++n) {
    run_block(l, 1000 - n, n);
    EXPECT_EQ(l.has_enough(), n >= most_first_blocks);
  }
  EXPECT_EQ(l.heard().blocks, most_first_blocks);
  EXPECT_EQ(l.heard().accesses, most_first_blocks);
  EXPECT_TRUE(l.is_cut(3 * most_first_blocks));
  EXPECT_FALSE(l.is_cut(most_first_blocks));
}

TEST(FirstBlocks, HearsOfABlockUntilItEnds) {
  of_first_blocks<counter> l(false);
  for (std::uint64_t n = 0; n <= most_first_blocks; ++n) l.on_next({.block = n, .order = n, .cluster = n});
  for (std::uint64_t n = 0; n <= most_first_blocks; ++n) {
    EXPECT_EQ(l.has_enough(), n == most_first_blocks);
    l.on_block(n);
    l.on_access({});
    if (n < most_first_blocks) l.on_block_end(1);
  }
  EXPECT_TRUE(l.has_enough());
  EXPECT_EQ(l.heard().accesses, most_first_blocks);
  EXPECT_FALSE(l.is_cut(most_first_blocks));
}

TEST(FirstBlocks, EndWithTheirCluster) {
  of_first_blocks<counter> l(false);
  for (std::uint64_t n = 0; n < 2 * most_first_blocks; ++n) l.on_next({.block = n, .order = n, .cluster = 0});
  EXPECT_FALSE(l.has_enough());
  l.on_block(2 * most_first_blocks - 1);
  l.on_access({});
  l.on_block_end(1);
  EXPECT_TRUE(l.has_enough());
  EXPECT_EQ(l.heard().accesses, 0u);
}

TEST(FirstBlocks, AreTheLowestOnesWhicheverWorkerRunsThem) {
  // Each block is run by one of two workers, in different orders.
  for (const std::uint64_t step : {1u, 3u, 7u, 11u}) {
    of_first_blocks<counter> sum(true), one(true), other(true);
    for (std::uint64_t i = 0; i < 20; ++i) {
      const std::uint64_t block = i * step % 20;
      run_block(i % 3 == 0 ? one : other, block, block);
    }
    sum.add(one);
    sum.add(other);
    EXPECT_EQ(sum.heard().accesses, most_first_blocks);
    EXPECT_EQ(sum.heard().numbers, most_first_blocks * (most_first_blocks - 1) / 2);
    EXPECT_TRUE(sum.is_cut(20));
  }
}

TEST(FirstBlocks, HearsOfSoManyAccessesOfABlock) {
  of_first_blocks<counter> l(true);
  l.on_next({});
  l.on_block(0);
  for (std::uint64_t i = 0; i < most_accesses_a_block; ++i) l.on_access({});
  EXPECT_FALSE(l.is_cut(1));
  l.on_access({});
  EXPECT_TRUE(l.is_cut(1));
  EXPECT_EQ(l.heard().accesses, most_accesses_a_block);
}

TEST(FirstBlocks, CostsOtherBlocksNothing) {
  of_repeats counts;
  of_first_blocks<counter> looks(true);
  emulate::listener_list list({&counts, &looks});
  EXPECT_EQ(list.repeats(), 0u);
  for (std::uint64_t n = 1; n <= most_first_blocks; ++n) {
    list.announce({.block = n, .order = n, .cluster = n});
    EXPECT_FALSE(list.drop_finished());
    list.blocks()->on_block(n);
    list.block_ends()->on_block_end(1);
  }
  list.announce({.block = 100, .order = 100, .cluster = 100});
  EXPECT_TRUE(list.drop_finished());
  EXPECT_EQ(list.repeats(), 128u);
  EXPECT_EQ(list.accesses(), &counts);
  EXPECT_FALSE(list.drop_finished());
  // Another worker made this block known.
  list.announce({.block = 0, .order = 0, .cluster = 0});
  EXPECT_TRUE(list.drop_finished());
  EXPECT_EQ(list.repeats(), 0u);
}

// The report of a launch whose blocks behave differently. `by_class`: whether only counts are needed.
std::string report_of(unsigned threads, bool by_class, std::uint64_t seed, std::uint64_t ctas) {
  const test::kernel_launch what{.cubin = "tests/kernels/classes.cubin",
                                 .kernel = "bits",
                                 .grid = {4096, 1, 1},
                                 .block = {64, 1, 1},
                                 .arguments = {"out:f32[256K]", "f32[64K]=iota"},
                                 .threads = threads,
                                 .ctas = ctas,
                                 .seed = seed};
  std::string text;
  const auto ran =
      test::prepare_kernel(what, [&](emulate::launch l, emulate::device_memory& memory, const auto&) -> result<done> {
        const sass::code_flow flow = emulate::flow_of(*l.program, *l.kernel);
        if (by_class)
          l.counting =
              std::make_shared<emulate::counting_code>(emulate::code_to_count(flow, emulate::told_global::yes));
        EXPECT_EQ(emulate::runs_by_class(l), by_class);
        const auto on = parse_machine("sm_90");
        auto launched = profile_launch(l, memory, *on, {}, {most_accesses_to_look, traced_blocks::first, {}});
        if (!launched) return launched.error();
        EXPECT_FALSE(launched->sites.empty() || launched->sites[0].accesses.empty());
        text = to_json({"sm_90", "emulated", *on, {std::move(*launched)}, {}, {}});
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return text;
}

TEST(FirstBlocks, AreTheSameForEveryNumberOfThreads) {
  struct {
    bool by_class;
    std::uint64_t seed, ctas;
  } constexpr cases[] = {{true, 0, 0}, {false, 0, 0}, {false, 7, 0}, {false, 0, 500}, {false, 7, 500}};
  for (const auto& [by_class, seed, ctas] : cases) {
    SCOPED_TRACE(testing::Message() << "by class " << by_class << ", seed " << seed << ", ctas " << ctas);
    const std::string one = report_of(1, by_class, seed, ctas);
    for (const unsigned threads : {2u, 8u})
      for (int again = 0; again < 3; ++again)
        ASSERT_EQ(report_of(threads, by_class, seed, ctas), one) << threads << " threads";
  }
}

}  // namespace
}  // namespace bankwise
