// Runs kernels whose lanes often diverge, once with handlers and once with compiled code. Both runs must have the same
// registers, the same memory and the same events for listeners.
#include <gtest/gtest.h>

#include <bit>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

// Receives all events, and computes one hash of them.
class hashing_ear : public emulate::listener {
 public:
  emulate::wanted_events wants() const override { return {.accesses = true, .order = true, .instructions = true}; }
  void on_block(std::uint64_t block) override { add(1, block); }
  void on_access(const emulate::shared_access& a) override {
    ++accesses;
    add(2, a.pc, a.what.mask, a.lanes, a.warp);
    for (unsigned i = 0; i < 32; ++i)
      if ((a.what.mask >> i & 1) != 0) add(i, a.what.address[i]);
  }
  void on_swap(const emulate::shared_access& a, std::uint32_t stored) override { add(3, a.pc, stored); }
  void on_order(const emulate::ordering& o) override {
    add(4, static_cast<std::uint64_t>(o.kind), o.warp, o.lanes, o.number);
  }
  void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) override {
    instructions += count;
    if (std::popcount(lanes) != 32) parted += count;
    add(5, pc, count, lanes);
  }

  std::uint64_t hash = 0xcbf29ce484222325u, accesses = 0, instructions = 0, parted = 0;

 private:
  template <class... T>
  void add(T... numbers) {
    for (const std::uint64_t n : {static_cast<std::uint64_t>(numbers)...}) hash = (hash ^ n) * 0x100000001b3u;
  }
};

struct outcome {
  std::vector<std::string> buffers;
  std::uint64_t instructions = 0, active_lanes = 0, accesses = 0, parted = 0, heard = 0;
  friend bool operator==(const outcome&, const outcome&) = default;
};

outcome run_by(emulate::instruction_use use, const test::kernel_launch& what) {
  outcome o;
  const auto ran = test::prepare_kernel(
      what, [&](emulate::launch l, emulate::device_memory& memory, const placed_arguments& placed) -> result<done> {
        hashing_ear ear;
        emulate::launch_hooks hooks;
        hooks.listeners.emplace_back([&](unsigned) { return &ear; });
        l.use = use;
        l.compile_after = 0;
        const auto result = emulate::run_launch(l, memory, hooks);
        if (!result) return result.error();
        EXPECT_EQ(ear.instructions, result->sum.warp_instructions);
        o = {{}, result->sum.warp_instructions, result->sum.active_lanes, ear.accesses, ear.parted, ear.hash};
        for (const placed_argument& a : placed.each)
          if (a.address != 0)
            o.buffers.emplace_back(reinterpret_cast<const char*>(memory.bytes_at(a.address, a.bytes)), a.bytes);
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return o;
}

struct shape {
  std::uint32_t blocks, threads;
};
constexpr shape shapes[] = {{3, 32}, {2, 37}, {4, 128}, {2, 500}, {2, 1024}};

test::kernel_launch launch_of(const std::string& kernel, const shape& s, std::vector<std::string> arguments) {
  return {.cubin = "tests/kernels/diverging.cubin",
          .kernel = kernel,
          .grid = {s.blocks, 1, 1},
          .block = {s.threads, 1, 1},
          .arguments = std::move(arguments),
          .threads = 1};
}

// `parts` is the smallest allowed share of instructions that only some lanes of a warp execute.
void compare(const test::kernel_launch& what, double parts) {
  const outcome expected = run_by(emulate::instruction_use::interpret, what);
  EXPECT_GT(expected.accesses, 0u);
  EXPECT_GE(static_cast<double>(expected.parted), parts * static_cast<double>(expected.instructions));
  for (const auto use : {emulate::instruction_use::avx2, emulate::instruction_use::best}) {
    const outcome found = run_by(use, what);
    EXPECT_EQ(found.instructions, expected.instructions);
    EXPECT_EQ(found.active_lanes, expected.active_lanes);
    EXPECT_EQ(found.heard, expected.heard);
    EXPECT_TRUE(found.buffers == expected.buffers);
  }
}

TEST(Diverging, LanesComputeTheSameInCompiledCode) {
  for (const shape& s : shapes)
    for (const int seed : {1, 77}) {
      SCOPED_TRACE(std::to_string(s.threads) + " threads, seed " + std::to_string(seed));
      const int rounds = 12;
      compare(launch_of("lanes", s,
                        {"out:i32[" + std::to_string(s.blocks * s.threads * rounds * 5) + "]",
                         "i32=" + std::to_string(seed), "i32=" + std::to_string(rounds)}),
              0.5);
    }
}

TEST(Diverging, WarpsCompeteInTheSameOrderInCompiledCode) {
  for (const shape& s : shapes)
    for (const int words : {1, 7, 256}) {
      if (words == 1 && s.threads > 128) continue;  // takes long
      SCOPED_TRACE(std::to_string(s.threads) + " threads, " + std::to_string(words) + " words");
      compare(launch_of("swaps", s,
                        {"out:i32[" + std::to_string(2 * s.blocks * s.threads) + "]", "i32=5", "i32=4",
                         "i32=" + std::to_string(words)}),
              0.2);
    }
}

TEST(Diverging, CodeBetweenBarriersIsCompiledWhereNobodyCompetes) {
  for (const shape& s : shapes) {
    SCOPED_TRACE(std::to_string(s.threads) + " threads");
    compare(launch_of("phases", s, {"out:i32[" + std::to_string(s.blocks * s.threads) + "]", "i32=3", "i32=4"}), 0.2);
  }
}

TEST(Diverging, NoSwapIsLost) {
  const shape s{1, 1024};
  const auto run = test::run_kernel(launch_of("swaps", s, {"out:i32[2048]", "i32=5", "i32=4", "i32=256"}));
  ASSERT_TRUE(run) << to_text(run.error());
  std::vector<std::uint64_t> table(256);
  for (unsigned i = 0; i < 256; ++i) table[i] = i;
  for (unsigned thread = 0; thread < 1024; ++thread) {
    std::uint64_t x = 0x9e3779b97f4a7c15u * (thread + 5);
    for (int round = 0; round < 4; ++round) {
      for (int i = static_cast<int>(x >> 60); i >= 0; --i) x = x << 1 ^ (x >> 63 != 0 ? 7 : 0);
      table[(x >> 9) % 256] ^= x;
      if ((x & 0x70) == 0x70) break;
    }
  }
  const auto out = run->buffer<std::uint32_t>(0);
  for (unsigned i = 0; i < 1024; ++i) {
    EXPECT_GT(out[i] % 1000, 0u) << i;
    EXPECT_EQ(out[1024 + i], static_cast<std::uint32_t>(table[i % 256] >> 3)) << i;
  }
}

}  // namespace
}  // namespace bankwise
