// Tests listeners of a launch: each of several listeners receives the same events as a single listener would.
#include "emulate/launch/listeners.hpp"

#include <gtest/gtest.h>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::wanted_events;

struct heard_events {
  std::uint64_t blocks = 0, accesses = 0, described = 0, asynchronous = 0, orderings = 0, instructions = 0;
  friend bool operator==(const heard_events&, const heard_events&) = default;
};

// Counts the events that the emulator reports.
struct ear : emulate::listener {
  explicit ear(wanted_events w) : wanted(w) {}
  wanted_events wants() const override { return wanted; }
  void on_block(std::uint64_t) override { ++heard.blocks; }
  void on_access(const emulate::shared_access& a) override {
    ++heard.accesses;
    heard.described += a.path != 0 ? 1 : 0;
    if (turns != nullptr) turns->push_back(this);
  }
  void on_async(const emulate::async_event&) override { ++heard.asynchronous; }
  void on_order(const emulate::ordering&) override { ++heard.orderings; }
  void on_instructions(std::uint64_t, std::uint64_t count, std::uint32_t) override { heard.instructions += count; }
  void add(const ear& other) {
    heard.blocks += other.heard.blocks;
    heard.accesses += other.heard.accesses;
  }

  wanted_events wanted;
  heard_events heard;
  std::vector<const ear*>* turns = nullptr;
};

// The kernel uses an mbarrier, so that all kinds of events occur.
const test::kernel_launch kernel{.cubin = "tests/kernels/races.cubin",
                                 .kernel = "hands_over_by_mbarrier",
                                 .grid = {4, 1, 1},
                                 .block = {64, 1, 1},
                                 .arguments = {"out:i32[32]"},
                                 .threads = 1};
const test::kernel_launch long_kernel{
    .cubin = "bench/kernels/speed.cubin",
    .kernel = "matrix_mul",
    .grid = {16, 16, 1},
    .block = {32, 32, 1},
    .arguments = {"out:f32[512*512]", "f32[512*512]=iota", "f32[512*512]=iota", "i32=512", "i32=512"}};

result<emulate::launch_result> run_with(const test::kernel_launch& what, const emulate::launch_hooks& hooks) {
  result<emulate::launch_result> ran = diagnostic{"it was not run"};
  const auto prepared = test::prepare_kernel(
      what, [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) -> result<done> {
        ran = emulate::run_launch(l, memory, hooks);
        return done{};
      });
  if (!prepared) return prepared.error();
  return ran;
}

void listen_with(const std::vector<ear*>& ears) {
  emulate::launch_hooks hooks;
  for (ear* e : ears) hooks.listeners.emplace_back([e](unsigned) { return e; });
  const auto ran = run_with(kernel, hooks);
  ASSERT_TRUE(ran) << to_text(ran.error());
}

heard_events alone(wanted_events wanted) {
  ear e(wanted);
  listen_with({&e});
  return e.heard;
}

constexpr wanted_events everything{true, true, true, true}, nothing{false, false, false, false},
    order_alone{false, false, true, false};

TEST(Listeners, EachHearsWhatItWants) {
  const heard_events all = alone(everything), plain = alone({}), none = alone(nothing), order = alone(order_alone);
  EXPECT_EQ(all.blocks, 4u);
  EXPECT_GT(all.accesses, 0u);
  EXPECT_EQ(all.described, all.accesses);
  EXPECT_GT(all.asynchronous, 0u);
  EXPECT_GT(all.orderings, 0u);
  EXPECT_GT(all.instructions, all.accesses);
  EXPECT_EQ(plain, (heard_events{.blocks = 4, .accesses = all.accesses, .asynchronous = all.asynchronous}));
  EXPECT_EQ(none, heard_events{.blocks = 4});
  EXPECT_EQ(order, (heard_events{.blocks = 4, .orderings = all.orderings}));
}

TEST(Listeners, HearTogetherWhatTheyHearAlone) {
  ear all(everything), plain({}), none(nothing), order(order_alone);
  listen_with({&all, &plain, &none, &order});
  EXPECT_EQ(all.heard, alone(everything));
  heard_events as_told = plain.heard;
  // Other listeners need the order of accesses. So the accesses that `plain` receives also describe the order, which
  // they do not if `plain` is the only listener.
  as_told.described = 0;
  EXPECT_EQ(as_told, alone({}));
  EXPECT_EQ(none.heard, alone(nothing));
  EXPECT_EQ(order.heard, alone(order_alone));
}

TEST(Listeners, HearInTheOrderInWhichTheyRegister) {
  std::vector<const ear*> turns;
  ear first({}), second({}), third({});
  for (ear* e : {&first, &second, &third}) e->turns = &turns;
  listen_with({&second, &third, &first});
  ASSERT_EQ(turns.size(), 3 * first.heard.accesses);
  for (std::size_t i = 0; i < turns.size(); i += 3) {
    ASSERT_EQ(turns[i], &second);
    ASSERT_EQ(turns[i + 1], &third);
    ASSERT_EQ(turns[i + 2], &first);
  }
}

TEST(Listeners, AreNotNeeded) {
  emulate::launch_hooks hooks;
  hooks.listeners.emplace_back([](unsigned) { return nullptr; });
  const auto ran = run_with(kernel, hooks), silent = run_with(kernel, {});
  ASSERT_TRUE(ran && silent);
  EXPECT_EQ(ran->sum.warp_instructions, silent->sum.warp_instructions);
  EXPECT_EQ(ran->blocks, 4u);
}

TEST(Listeners, AreOneForEachWorkerAndAddedUp) {
  std::uint64_t accesses = 0;
  for (const unsigned threads : {1u, 2u}) {
    test::kernel_launch what = long_kernel;
    what.threads = threads;
    emulate::launch_hooks hooks;
    unsigned made = 0;
    emulate::listeners_of<ear> counting(hooks, [&] { return ++made, std::make_unique<ear>(wanted_events{}); });
    emulate::listeners_of<ear> also(hooks, [] { return std::make_unique<ear>(nothing); });
    const auto ran = run_with(what, hooks);
    ASSERT_TRUE(ran) << to_text(ran.error());
    EXPECT_EQ(made, threads);
    const heard_events heard = counting.sum()->heard;
    EXPECT_EQ(heard.blocks, 256u);
    if (threads == 1) accesses = heard.accesses;
    EXPECT_GT(accesses, 256u);
    EXPECT_EQ(heard.accesses, accesses) << threads << " workers";
    EXPECT_EQ(also.sum()->heard, heard_events{.blocks = 256});
  }
}

// Keeps what it hears of the blocks that follow.
struct ear_for_next : emulate::passing_listener {
  wanted_events wants() const override { return nothing; }
  bool has_enough() const override { return blocks.size() >= 2; }
  void on_next(const next_block& b) override { blocks.push_back(b); }
  void on_block(std::uint64_t) override {}
  std::vector<next_block> blocks;
};

TEST(Listeners, HearWhetherTheCodeMixesAccessesBeforeABlock) {
  const auto heard_in = [](test::kernel_launch what) {
    what.threads = 1;
    ear_for_next e;
    emulate::launch_hooks hooks;
    hooks.listeners.emplace_back([&](unsigned) { return &e; });
    const auto ran = run_with(what, hooks);
    EXPECT_TRUE(ran) << to_text(ran.error());
    return e.blocks;
  };
  const auto between_barriers = heard_in(long_kernel);
  ASSERT_EQ(between_barriers.size(), 256u) << "all blocks are announced";
  EXPECT_EQ(between_barriers[0].block, 0u);
  EXPECT_EQ(between_barriers[1].block, 1u);
  EXPECT_FALSE(between_barriers[0].mixes_accesses) << "barriers separate all loads from all stores";
  const auto in_a_loop = heard_in({.cubin = "examples/reduction.cubin",
                                   .kernel = "reduce_interleaved",
                                   .grid = {2, 1, 1},
                                   .block = {256, 1, 1},
                                   .arguments = {"out:f32[2]", "f32[512]=iota", "i32=512"}});
  ASSERT_FALSE(in_a_loop.empty());
  EXPECT_TRUE(in_a_loop[0].mixes_accesses) << "a round of the loop loads and stores before its barrier";
  const auto without_barrier = heard_in({.cubin = "tests/kernels/missing_barriers.cubin",
                                         .kernel = "sum_of_warps",
                                         .grid = {2, 1, 1},
                                         .block = {64, 1, 1},
                                         .arguments = {"out:i32[2]", "i32[128]=iota"}});
  ASSERT_FALSE(without_barrier.empty());
  EXPECT_TRUE(without_barrier[0].mixes_accesses) << "no barrier is between the store and the load";
}

}  // namespace
}  // namespace bankwise
