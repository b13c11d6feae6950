// Tests recorders of single blocks: a launch has the same effects and counts with recorders as without, and a rehearsal
// leaves memory unchanged.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "emulate/launch/block_recorders.hpp"
#include "emulate/launch/listeners.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct block_record : emulate::listener {
  emulate::wanted_events wants() const override {
    return {.accesses = true, .asynchronous = true, .instructions = true, .global = true, .warps = true};
  }
  void on_block(std::uint64_t block) override { blocks.insert(block); }
  void on_block_end(std::uint64_t) override { ++ends; }
  void on_access(const emulate::shared_access&) override { ++accesses; }
  void on_global(const emulate::global_access_event&) override { ++globals; }
  void on_warp(std::uint32_t warp) override { warps.insert(warp); }
  void on_instructions(std::uint64_t, std::uint64_t count, std::uint32_t) override { instructions += count; }
  bool has_enough_of_block() const override { return instructions >= most; }

  std::set<std::uint64_t> blocks;
  std::set<std::uint32_t> warps;
  std::uint64_t accesses = 0, globals = 0, instructions = 0, ends = 0, most = ~std::uint64_t{0};
};

struct recorders : emulate::block_recorders {
  explicit recorders(std::set<std::uint64_t> blocks, std::uint64_t limit = ~std::uint64_t{0})
      : wanted(std::move(blocks)), most(limit) {}
  void begin_launch() override { records.clear(); }
  emulate::listener* of_block(std::uint64_t block) override {
    if (!wanted.contains(block)) return nullptr;
    const std::lock_guard lock(mutex);
    auto& made = records[block] = std::make_unique<block_record>();
    made->most = most;
    return made.get();
  }
  std::set<std::uint64_t> wanted;
  std::uint64_t most;
  std::mutex mutex;
  std::map<std::uint64_t, std::unique_ptr<block_record>> records;
};

// Counts accesses, and accepts repetitions of accesses.
struct counter : emulate::listener {
  emulate::wanted_events wants() const override { return {.accesses = true, .asynchronous = false, .repeats = 128}; }
  void on_block(std::uint64_t) override {}
  void on_access(const emulate::shared_access&) override { ++accesses; }
  void on_repeats(const emulate::shared_access&, std::uint64_t times) override { accesses += times; }
  void add(const counter& other) { accesses += other.accesses; }
  std::uint64_t accesses = 0;
};

const test::kernel_launch product{
    .cubin = "bench/kernels/speed.cubin",
    .kernel = "matrix_mul",
    .grid = {8, 8, 1},
    .block = {32, 32, 1},
    .arguments = {"out:f32[256*256]", "f32[256*256]=iota", "f32[256*256]=iota", "i32=256", "i32=256"}};

struct outcome {
  std::string memory;
  std::uint64_t accesses = 0, instructions = 0;
  friend bool operator==(const outcome&, const outcome&) = default;
};
outcome run(recorders* with, unsigned threads, const std::function<void(emulate::launch&)>& change = {}) {
  test::kernel_launch what = product;
  what.threads = threads;
  outcome out;
  const auto ran =
      test::prepare_kernel(what, [&](const emulate::launch& l, emulate::device_memory& memory, const auto& placed) {
        emulate::launch one = l;
        if (change) change(one);
        emulate::launch_hooks hooks;
        hooks.recorders = with;
        emulate::listeners_of<counter> counting(hooks, [] { return std::make_unique<counter>(); });
        const auto done_launch = emulate::run_launch(one, memory, hooks);
        if (!done_launch) return result<done>(done_launch.error());
        out.instructions = done_launch->sum.warp_instructions;
        out.accesses = counting.sum()->accesses;
        std::uint64_t at = 0;
        std::memcpy(&at, placed.parameters.data(), sizeof at);
        const emulate::region* const r = memory.find(at);
        out.memory.assign(reinterpret_cast<const char*>(r->data), r->bytes);
        return result<done>(done{});
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return out;
}

TEST(Recorders, ChangeNothingOfALaunch) {
  const outcome without = run(nullptr, 1);
  ASSERT_GT(without.accesses, 0u);
  for (const unsigned threads : {1u, 3u}) {
    recorders some({0, 7, 40});
    EXPECT_EQ(run(&some, threads), without) << threads;
    ASSERT_EQ(some.records.size(), 3u);
    for (const auto& [block, r] : some.records) {
      EXPECT_EQ(r->blocks, std::set<std::uint64_t>{block});
      EXPECT_EQ(r->ends, 1u);
      EXPECT_EQ(r->warps.size(), 32u);
      EXPECT_EQ(r->instructions * 64, without.instructions) << "all blocks execute the same instructions";
      EXPECT_EQ(r->accesses * 64, without.accesses);
      EXPECT_GT(r->globals, 0u);
    }
  }
}

TEST(Recorders, LeaveABlockOfWhichTheyHaveEnough) {
  const outcome without = run(nullptr, 1);
  recorders some({3, 4}, 1000);
  EXPECT_EQ(run(&some, 1), without);
  for (const auto& [block, r] : some.records) {
    EXPECT_GE(r->instructions, 1000u);
    EXPECT_LT(r->instructions * 64, without.instructions) << "block " << block;
    EXPECT_EQ(r->ends, 0u) << "the end of the block was not recorded";
  }
}

TEST(Recorders, ARehearsalRestoresTheMemory) {
  recorders some({0, 1});
  const outcome rehearsed = run(&some, 1, [](emulate::launch& l) {
    l.rehearses = l.memory_is_private = true;
    l.use = emulate::instruction_use::interpret;
  });
  EXPECT_EQ(rehearsed.memory, std::string(rehearsed.memory.size(), '\0'));
  EXPECT_EQ(some.records.at(0)->ends, 1u);
  EXPECT_NE(run(nullptr, 1).memory, rehearsed.memory);
}

}  // namespace
}  // namespace bankwise
