// Tests what kernels see of the time (tests/kernels/hopper/clocks.cu): about the clocks that a replay of the launch predicts, in
// every run the same.
#include "timing/clocks/launch_clocks.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "profile/profile_launch.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct seen_clocks {
  launch_report report;
  std::vector<std::string> buffers;
  template <class T>
  T value(std::size_t argument, std::size_t n = 0) const {
    T v;
    std::memcpy(&v, buffers.at(argument).data() + n * sizeof v, sizeof v);
    return v;
  }
  double cycles() const { return static_cast<double>(report.time.cycles); }
};

seen_clocks run(const test::kernel_launch& what, const std::function<void(emulate::launch&)>& change = {}) {
  seen_clocks seen;
  const auto ran = test::prepare_kernel(what, [&](const emulate::launch& given, emulate::device_memory& memory,
                                                  const placed_arguments& placed) {
    emulate::launch l = given;
    l.predicts_time = l.memory_is_private = true;
    if (change) change(l);
    const auto on = parse_machine("sm_90");
    auto r = profile_launch(l, memory, *on);
    EXPECT_TRUE(r);
    if (r) seen.report = std::move(*r);
    for (const placed_argument& a : placed.each)
      seen.buffers.push_back(
          a.address == 0 ? ""
                         : std::string(reinterpret_cast<const char*>(memory.bytes_at(a.address, a.bytes)), a.bytes));
    return result<done>(done{});
  });
  EXPECT_TRUE(ran);
  return seen;
}

test::kernel_launch of(const char* kernel, std::vector<std::string> arguments, unsigned threads = 1,
                       unsigned blocks = 1) {
  return {.cubin = "tests/kernels/hopper/clocks.cubin",
          .kernel = kernel,
          .grid = {blocks, 1, 1},
          .block = {threads, 1, 1},
          .arguments = std::move(arguments)};
}

// The clocks of a load, in the first and in the second round of a chain through `words` words.
std::pair<double, double> chase(unsigned words, unsigned loads, double in_l2 = 0) {
  const std::string count = std::to_string(words);
  std::string file(words * 4, '\0');
  for (unsigned i = 0; i < words; ++i) {
    const unsigned next = (i + 32 * 33) % words;
    std::memcpy(file.data() + i * 4, &next, 4);
  }
  test::kernel_launch what =
      of("chases", {"u32[" + count + "]=file:next", "out:u32[1]", "out:i64[2]", "i32=" + std::to_string(loads)});
  what.files["next"] = file;
  const seen_clocks seen = run(what, [&](emulate::launch& l) { l.in_l2 = in_l2; });
  const auto each = [&](std::size_t round) {
    return static_cast<double>(seen.value<long long>(2, round)) / static_cast<double>(loads);
  };
  return {each(0), each(1)};
}

TEST(LaunchClocks, ALoadTakesTheLatencyOfItsCache) {
  const timing::gpu_parameters p;
  const auto [cold, l1] = chase(8192, 256);
  EXPECT_NEAR(l1, p.l1_latency + 8, 6);  // a round of the loop also has other instructions
  EXPECT_NEAR(cold, p.dram_latency, 80);
  EXPECT_NEAR(chase(1 << 20, 4096).second, p.l2_latency + 25, 25);
  EXPECT_NEAR(chase(1 << 20, 4096, 1).first, p.l2_latency + 25, 25);
  EXPECT_NEAR(chase(1 << 20, 4096, 0.5).first, (p.l2_latency + p.dram_latency) / 2, 60);
}

TEST(LaunchClocks, WarpsThatDoTheSameShareThePipes) {
  const auto clocks = [](unsigned threads) {
    return run(of("multiplies", {"out:f32[1]", "out:i64[32]", "i32=4096"}, threads)).value<long long>(1);
  };
  const double one = static_cast<double>(clocks(32)), full = static_cast<double>(clocks(1024));
  EXPECT_NEAR(one / (4 * 4096), 1.78, 0.1);      // 32 products in a row, then a jump
  EXPECT_NEAR(full / (8 * 4 * 4096), 1.1, 0.1);  // eight warps of a quarter
}

TEST(LaunchClocks, AreThoseOfTheReplay) {
  const timing::gpu_parameters p;
  const auto differs = [&](const seen_clocks& seen, double clocks) {
    return std::abs(seen.cycles() - p.launch_cycles - clocks) / clocks;
  };
  for (const unsigned threads : {32u, 256u, 1024u}) {
    const seen_clocks seen = run(of("multiplies", {"out:f32[1]", "out:i64[32]", "i32=2048"}, threads));
    EXPECT_LT(differs(seen, static_cast<double>(seen.value<long long>(1))), 0.1) << threads;
  }
}

TEST(LaunchClocks, WarpsThatWaitAtABarrierTakeNoPipe) {
  const seen_clocks seen = run(of("meets", {"out:i64[8]", "i32=1000"}, 256));
  const auto first = static_cast<double>(seen.value<long long>(0, 0)),
             last = static_cast<double>(seen.value<long long>(0, 7));
  EXPECT_NEAR(first, 5200, 400);         // a chain of 1,000 instructions, and 250 jumps
  EXPECT_NEAR(last, first, first / 50);  // the last warp only waits
}

TEST(LaunchClocks, AWaitTakesItsTimeInFewInstructions) {
  for (const double clocks : {1e4, 1e6, 1e9}) {
    const seen_clocks seen = run(of("waits", {"i64=" + std::to_string(static_cast<long long>(clocks))}, 64));
    EXPECT_GE(seen.cycles(), clocks);
    EXPECT_LE(seen.cycles(), clocks * 1.01 + 5000);
    EXPECT_LT(seen.report.sum.warp_instructions, 100000u);
  }
  const seen_clocks shortly = run(of("waits_shortly", {"out:u32[1]", "u32=5000"}));
  EXPECT_GE(shortly.value<unsigned>(0), 5000u);
  EXPECT_LE(shortly.value<unsigned>(0), 5100u);
  const seen_clocks waves = run(of("waits", {"i64=20000"}, 1024, 132 * 2 * 3));
  EXPECT_GE(waves.cycles(), 60000);
  EXPECT_LE(waves.cycles(), 66000);
}

TEST(LaunchClocks, ALoopThatAddsClocksIsNoWait) {
  const auto clocks = [](unsigned rounds) {
    return run(of("adds_clocks", {"out:i64[1]", "i32=" + std::to_string(rounds)})).value<long long>(0);
  };
  EXPECT_NEAR(static_cast<double>(clocks(4000)) / static_cast<double>(clocks(400)), 10, 0.5);
}

TEST(LaunchClocks, ASleepTakesTheTimeOfItsRegister) {
  const timing::gpu_parameters p;
  const double one = run(of("sleeps", {"u32=1000", "i32=100"})).cycles(),
               long_one = run(of("sleeps", {"u32=10000", "i32=100"})).cycles();
  EXPECT_NEAR(one - p.launch_cycles, 100 * 1000 * p.sm_clock, 5000);
  EXPECT_NEAR(long_one - p.launch_cycles, 100 * 10000 * p.sm_clock, 10000);
  const double until = run(of("waits_asleep", {"u64=500000"})).cycles();
  EXPECT_NEAR(until - p.launch_cycles, 500000 * p.sm_clock, 5000);
}

TEST(LaunchClocks, TheTimerBeginsWithTheLaunch) {
  const seen_clocks seen = run(of("tells", {"out:u64[300]"}, 32, 300), [](emulate::launch& l) { l.begins = 5e9; });
  for (std::size_t n = 0; n < 300; ++n) {
    EXPECT_GE(seen.value<std::uint64_t>(0, n), 5'000'000'000u);
    EXPECT_LE(static_cast<double>(seen.value<std::uint64_t>(0, n)),
              5e9 + static_cast<double>(seen.report.time.nanoseconds));
  }
  EXPECT_GT(seen.report.seen_cycles, 0u);
  EXPECT_EQ(seen.report.waited_cycles, 0u);
}

TEST(LaunchClocks, DoNotDependOnTheNumberOfThreads) {
  const auto buffers = [](unsigned threads) {
    test::kernel_launch what = of("multiplies", {"out:f32[1]", "out:i64[32]", "i32=64"}, 512, 40);
    what.threads = threads;
    return run(what).buffers;
  };
  EXPECT_EQ(buffers(1), buffers(4));
}

}  // namespace
}  // namespace bankwise
