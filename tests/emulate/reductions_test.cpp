// Tests reductions in global memory. With any number of workers, memory and counts must be the same as in a run of the
// blocks in sequence.
#include "emulate/memory/reductions.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr const char* cubin = "tests/kernels/reductions.cubin";

struct outcome {
  std::vector<std::string> buffers;
  std::uint64_t instructions = 0, active_lanes = 0, accesses = 0;
  friend bool operator==(const outcome&, const outcome&) = default;
};
struct counting_ear : emulate::listener {
  emulate::wanted_events wants() const override { return {.accesses = true}; }
  void on_access(const emulate::shared_access&) override { ++accesses; }
  void on_block(std::uint64_t) override {}
  std::uint64_t accesses = 0;
};

// Returns the results, and the number of workers.
std::pair<outcome, std::size_t> run_with(
    test::kernel_launch what, unsigned threads,
    const std::function<void(emulate::device_memory&, const placed_arguments&)>& prepare = {}) {
  what.threads = threads;
  outcome o;
  std::deque<counting_ear> ears;
  const auto ran = test::prepare_kernel(
      what,
      [&](const emulate::launch& l, emulate::device_memory& memory, const placed_arguments& placed) -> result<done> {
        if (prepare) prepare(memory, placed);
        emulate::launch_hooks hooks;
        hooks.listeners.push_back([&](unsigned) -> emulate::listener* { return &ears.emplace_back(); });
        const auto result = emulate::run_launch(l, memory, hooks);
        if (!result) return result.error();
        o.instructions = result->sum.warp_instructions;
        o.active_lanes = result->sum.active_lanes;
        for (const placed_argument& a : placed.each)
          if (a.address != 0)
            o.buffers.emplace_back(reinterpret_cast<const char*>(memory.bytes_at(a.address, a.bytes)), a.bytes);
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  for (const counting_ear& e : ears) o.accesses += e.accesses;
  return {o, ears.size()};
}

test::kernel_launch random_launch(const std::string& kernel, unsigned seed) {
  return {.cubin = cubin,
          .kernel = kernel,
          .grid = {150, 1, 1},
          .block = {64, 1, 1},
          .arguments = {"i32[256]=random:" + std::to_string(seed), "f32[256]=random:1", "f64[256]=random:2",
                        "i64[256]=random:3", "i32[150*64]=random:4", "i32=" + std::to_string(seed), "i32=60"}};
}

TEST(Reductions, OfRandomKernelsAreThoseOfOneBlockAfterAnother) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const test::kernel_launch what = random_launch("reduces", seed);
    const auto [expected, one] = run_with(what, 1);
    EXPECT_EQ(one, 1u);
    EXPECT_GT(expected.accesses, 0u);
    for (const unsigned threads : {2u, 3u, 8u}) {
      const auto [found, workers] = run_with(what, threads);
      EXPECT_EQ(workers, threads) << seed;
      EXPECT_TRUE(found == expected) << seed << ", " << threads << " workers";
    }
  }
}

TEST(Reductions, AreThereForLoadsOfLaterBlocks) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const test::kernel_launch what = random_launch("reduces_and_loads", seed);
    const outcome expected = run_with(what, 1).first;
    for (const unsigned threads : {2u, 8u}) {
      const auto [found, workers] = run_with(what, threads);
      EXPECT_EQ(workers, threads) << seed;
      EXPECT_TRUE(found == expected) << seed << ", " << threads << " workers";
    }
  }
}

// For small allocations, each worker adds separately. For large allocations, reductions change memory immediately.
TEST(Reductions, ThatCommuteComeToTheSame) {
  for (const unsigned words : {128u, 300'000u}) {
    const std::string i32 = "i32[" + std::to_string(words) + "]", i64 = "i64[" + std::to_string(words) + "]";
    test::kernel_launch what{
        .cubin = cubin,
        .kernel = "commutes",
        .grid = {150, 1, 1},
        .block = {64, 1, 1},
        .arguments = {"out:" + i32, i32 + "=random:6", i32 + "=random:7", i32 + "=iota", "out:" + i32,
                      i32 + "=random:8", i64 + "=random:9", "out:" + i64, "i32=5", "i32=40"}};
    const outcome expected = run_with(what, 1).first;
    for (const unsigned threads : {2u, 8u}) {
      const auto [found, workers] = run_with(what, threads);
      EXPECT_EQ(workers, threads);
      for (std::size_t i = 0; i < expected.buffers.size(); ++i)
        EXPECT_TRUE(found.buffers[i] == expected.buffers[i]) << i << ", " << threads << " workers, " << words;
    }
  }
}

TEST(Reductions, FollowWhatTheBlockItselfStored) {
  const unsigned blocks = 64, each = 40;
  const test::kernel_launch what{.cubin = cubin,
                                 .kernel = "sets_first",
                                 .grid = {blocks, 1, 1},
                                 .block = {64, 1, 1},
                                 .arguments = {"out:f32[64]", "f32[64*40*64]=1", "i32=40"}};
  for (const unsigned threads : {1u, 4u}) {
    const auto [found, workers] = run_with(what, threads);
    EXPECT_EQ(workers, threads);
    std::vector<float> sums(blocks);
    std::memcpy(sums.data(), found.buffers.at(0).data(), blocks * sizeof(float));
    for (const float sum : sums) EXPECT_EQ(sum, 2.0f * (1 + each * 64));
  }
}

TEST(Reductions, MayGoWhereLoadedNumbersSay) {
  const test::kernel_launch what{.cubin = cubin,
                                 .kernel = "histogram",
                                 .grid = {64, 1, 1},
                                 .block = {64, 1, 1},
                                 .arguments = {"out:i32[1024]", "i32[64*40*64]=random:1", "i32=40"}};
  const outcome expected = run_with(what, 1).first;
  const auto [found, workers] = run_with(what, 4);
  EXPECT_EQ(workers, 4u);
  EXPECT_TRUE(found == expected);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 1024; ++i) {
    std::uint32_t n = 0;
    std::memcpy(&n, expected.buffers.at(0).data() + 4 * i, sizeof n);
    sum += n;
  }
  EXPECT_EQ(sum, 64u * 40 * 64);
}

// The blocks run in sequence for two reasons: the address is unknown before the kernel runs, and the order affects the
// result.
TEST(Blocks, WithLoadedPointersTakeTurns) {
  test::kernel_launch what{.cubin = cubin,
                           .kernel = "scatters",
                           .grid = {64, 1, 1},
                           .block = {64, 1, 1},
                           .arguments = {"i64[4]=0", "f32[64*40*64]=random:1", "i32=40"}};
  const auto point = [](emulate::device_memory& memory, const placed_arguments& placed) {
    const auto rows = memory.allocate(64, "rows");
    ASSERT_TRUE(rows);
    for (std::uint64_t i = 0; i < 4; ++i) {
      const std::uint64_t row = *rows + 16 * i;
      std::memcpy(memory.bytes_at(placed.each.at(0).address, 32) + 8 * i, &row, sizeof row);
    }
  };
  EXPECT_EQ(run_with(what, 4, point).second, 1u);
}
TEST(Blocks, ThatGetOldValuesTakeTurns) {
  const test::kernel_launch what{.cubin = cubin,
                                 .kernel = "takes_numbers",
                                 .grid = {64, 1, 1},
                                 .block = {64, 1, 1},
                                 .arguments = {"i32[1]=0", "out:i32[64*40*64]", "i32=40"}};
  const auto [expected, one] = run_with(what, 1);
  const auto [found, workers] = run_with(what, 4);
  EXPECT_EQ(workers, 1u);
  EXPECT_TRUE(found == expected);
}

// The blocks end in any order. They postpone more reductions than fit into the buffer.
TEST(Reductions, AreMadeInOrder) {
  using namespace emulate;
  static std::vector<std::uint32_t> made;
  made.clear();
  const region place{.address = 0x1000, .bytes = 16};
  reduction_order order({{&place, false}}, false);
  ASSERT_NE(order.find(&place), nullptr);
  EXPECT_EQ(order.find(nullptr), nullptr);
  const unsigned blocks = 64, each = 1u << 17;
  std::atomic<unsigned> next{0};
  const auto work = [&] {
    block_reductions mine(order);
    for (;;) {
      const unsigned n = next.fetch_add(1);
      if (n >= blocks) return;
      const reduction_turn turn(&mine, n);
      if (n % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (unsigned i = 0; i < each; ++i)
        mine.keep({nullptr, nullptr, {n * each + i}}, [](const reduction& r) { made.push_back(r.operand[0]); });
    }
  };
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < 4; ++i) all.emplace_back(work);
  }
  ASSERT_EQ(made.size(), std::size_t{blocks} * each);
  for (std::uint32_t i = 0; i < made.size(); ++i) ASSERT_EQ(made[i], i);
}

}  // namespace
}  // namespace bankwise
