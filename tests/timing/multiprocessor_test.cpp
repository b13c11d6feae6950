// Tests short sequences of instructions whose clocks follow from known properties of the hardware.
#include "timing/multiprocessor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "timing/instruction_fetch.hpp"

namespace bankwise::timing {
namespace {

// A launch of one block whose warps execute `code` several times.
struct small_launch {
  std::vector<instruction_cost> costs;
  launch_trace trace;

  void add(instruction_cost c) {
    costs.push_back(c);
    trace.code.push_back({16 * trace.code.size(), 0, 0});
  }
  // accesses that every warp makes in each round
  std::vector<traced_access> accesses;
  double active = 132;
  std::function<void(traced_warp&)> rounds_of;  // if set, adds the runs of a round

  double run(unsigned warps, unsigned rounds, free_resources without = {}) {
    return follow(warps, rounds, without).cycles;
  }
  const std::vector<code_change>* changes = nullptr;
  multiprocessor_run follow(unsigned warps, unsigned rounds, free_resources without = {}) {
    without.launch = without.fetch = true;
    trace.blocks.assign(1, {});
    for (unsigned w = 0; w < warps; ++w) {
      traced_warp& one = trace.blocks[0].warps.emplace_back();
      for (unsigned i = 0; i < rounds; ++i) {
        if (rounds_of) {
          rounds_of(one);
          continue;
        }
        one.runs.push_back({0, static_cast<std::uint32_t>(costs.size()),
                            static_cast<std::uint32_t>(trace.accesses.size()),
                            static_cast<std::uint16_t>(accesses.size()), 32});
        trace.accesses.insert(trace.accesses.end(), accesses.begin(), accesses.end());
      }
    }
    const line_sharing sharing(trace);
    multiprocessor_setup s;
    s.trace = &trace;
    s.costs = &costs;
    s.sharing = &sharing;
    s.gpu.branch_redirect = 0;
    s.free = without;
    s.active = active;
    s.blocks = {{0, 0}};
    s.counts_stalls = true;
    s.changes = changes;
    return run_multiprocessor(s);
  }
};

instruction_cost ffma(std::uint8_t stall) { return {.stall = stall, .pipe = pipe::fma, .interval = 2}; }

instruction_cost lds(std::uint8_t barrier, std::uint8_t waits) {
  return {.stall = 2,
          .write_barrier = barrier,
          .wait_mask = waits,
          .pipe = pipe::memory,
          .does = behaviour::memory,
          .op = sass::opcode::LDS};
}

double clocks_of(const multiprocessor_run& r, std::size_t code, stall_reason why) {
  return r.stalls.at(code).by_reason[static_cast<std::size_t>(why)];
}

TEST(Stalls, AChainWaitsForTheInstructionBefore) {
  small_launch l;
  l.add(ffma(4));
  const multiprocessor_run r = l.follow(1, 1000);
  EXPECT_NEAR(clocks_of(r, 0, stall_reason::wait), 3000, 10)
      << "an instruction takes one clock to issue, and waits for three clocks";
  EXPECT_NEAR(clocks_of(r, 0, stall_reason::selected), 1000, 1);
}

TEST(Stalls, AllClocksOfAWarpHaveAReason) {
  for (const unsigned warps : {1u, 4u, 9u}) {
    small_launch l;
    l.add(lds(0, 0));
    l.accesses = {{.code = 0, .wavefronts = 8}};
    l.add({.stall = 4, .wait_mask = 1, .pipe = pipe::fma, .interval = 2});
    const multiprocessor_run r = l.follow(warps, 300);
    double sum = 0;
    for (const stall_clocks& s : r.stalls)
      for (const double clocks : s.by_reason) sum += clocks;
    EXPECT_NEAR(sum, warps * r.cycles, 0.03 * warps * r.cycles) << warps;
  }
}

TEST(Stalls, WhoNeedsALoadWaitsForItsMemory) {
  small_launch shared;
  shared.add(lds(0, 0));
  shared.accesses = {{.code = 0, .wavefronts = 1}};
  shared.add({.stall = 4, .wait_mask = 1, .pipe = pipe::fma, .interval = 2});
  const multiprocessor_run r = shared.follow(1, 100);
  EXPECT_GT(clocks_of(r, 1, stall_reason::short_scoreboard), 1500);
  EXPECT_EQ(clocks_of(r, 1, stall_reason::long_scoreboard), 0);

  small_launch global;
  global.add(lds(0, 0));
  global.trace.lines = {16 * 7 + 15};
  global.accesses = {{.code = 0, .space = memory_space::global, .wavefronts = 1, .lines = 1}};
  global.add({.stall = 4, .wait_mask = 1, .pipe = pipe::fma, .interval = 2});
  const multiprocessor_run far = global.follow(1, 100);
  EXPECT_GT(clocks_of(far, 1, stall_reason::long_scoreboard), 1500);
  EXPECT_EQ(clocks_of(far, 1, stall_reason::short_scoreboard), 0);
}

TEST(Stalls, AFullQueueThrottles) {
  small_launch l;
  l.add(lds(7, 0));
  l.accesses = {{.code = 0, .wavefronts = 32}};
  const multiprocessor_run r = l.follow(8, 200);
  EXPECT_GT(clocks_of(r, 0, stall_reason::mio_throttle), 0.5 * 8 * r.cycles);
}

TEST(Stalls, WarpsWaitAtABarrierForTheLast) {
  small_launch l;
  l.add({.stall = 1, .pipe = pipe::none, .does = behaviour::barrier});
  l.add(ffma(4));
  l.add(lds(7, 0));
  l.accesses = {{.code = 2, .wavefronts = 1}};
  const multiprocessor_run r = l.follow(8, 100);
  EXPECT_GT(clocks_of(r, 2, stall_reason::barrier), 8 * 100 * 10)
      << "the wait for the barrier counts at the next access to memory";
  EXPECT_EQ(clocks_of(r, 1, stall_reason::barrier), 0) << "arithmetic does not wait for the barrier";
}

TEST(Stalls, InTheClockOfAnotherWarpAWarpIsNotSelected) {
  small_launch l;
  l.add(ffma(1));
  const multiprocessor_run r = l.follow(16, 300);
  EXPECT_EQ(clocks_of(r, 0, stall_reason::math_pipe_throttle), 0) << "the pipes accept an instruction in each clock";
  EXPECT_GT(clocks_of(r, 0, stall_reason::not_selected), 0.35 * 16 * r.cycles) << "the warps issue one after another";
  // The pipe is busy for two clocks. In one of these clocks, other warps can issue. The warp itself waits for both
  // clocks.
  small_launch half;
  half.add({.stall = 1, .pipe = pipe::alu, .interval = 2});
  const multiprocessor_run slow = half.follow(16, 300);
  const double parts =
      clocks_of(slow, 0, stall_reason::math_pipe_throttle) / clocks_of(slow, 0, stall_reason::not_selected);
  EXPECT_GT(parts, 1);
  EXPECT_LT(parts, 2);
}

TEST(Stalls, TheSpecialUnitGetsItsInstructionsThroughTheQueue) {
  small_launch l;
  l.add({.stall = 1, .pipe = pipe::special, .interval = 8});
  const multiprocessor_run r = l.follow(16, 300);
  EXPECT_GT(clocks_of(r, 0, stall_reason::mio_throttle), 0.5 * 16 * r.cycles);
  EXPECT_EQ(clocks_of(r, 0, stall_reason::math_pipe_throttle), 0);
}

TEST(Multiprocessor, WavefrontsCanBeChangedByInstruction) {
  const auto cycles_with = [](const std::vector<code_change>* changes) {
    small_launch l;
    l.add(lds(7, 0));
    l.accesses = {{.code = 0, .wavefronts = 32}};
    l.changes = changes;
    return l.run(8, 200);
  };
  const std::vector<code_change> as_it_is{{1}}, half{{0.5F}}, none{{0}};
  EXPECT_EQ(cycles_with(nullptr), cycles_with(&as_it_is));
  EXPECT_NEAR(cycles_with(&half), cycles_with(nullptr) / 2, 100);
  EXPECT_NEAR(cycles_with(&none), 8 * 200, 40)
      << "an access takes at least one wavefront, and the last accesses wait in queues";
}

TEST(Multiprocessor, ExecutionsCanBeLeftOut) {
  const auto cycles_with = [](float part, instruction_cost c) {
    const std::vector<code_change> changes{{.executed = part}};
    small_launch l;
    l.add(c);
    l.changes = &changes;
    return l.run(1, 200);
  };
  EXPECT_NEAR(cycles_with(1, ffma(10)), 200 * 10, 20);
  EXPECT_NEAR(cycles_with(0.25F, ffma(10)), 50 * 10, 20);
  EXPECT_LT(cycles_with(0, ffma(10)), 20);
  instruction_cost jump = ffma(10);
  jump.does = behaviour::jump;
  EXPECT_EQ(cycles_with(0, jump), cycles_with(1, jump)) << "the path of a warp does not change";
}

TEST(Multiprocessor, AnEarlyLoadWasRequestedOneExecutionBefore) {
  const auto cycles_with = [](bool is_early) {
    const std::vector<code_change> changes{{.is_early = is_early}, {}};
    small_launch l;
    l.add(lds(0, 0));
    l.add({.stall = 100, .wait_mask = 1, .pipe = pipe::alu, .interval = 2});
    for (std::uint64_t i = 0; i < 4; ++i) l.trace.lines.push_back((i + 7) << 4 | 15);
    l.accesses = {{.code = 0, .space = memory_space::global, .wavefronts = 4, .lines = 4}};
    l.costs[0].past_l1 = true;
    l.changes = &changes;
    return l.run(1, 200);
  };
  const double latency = gpu_parameters().l2_latency;
  EXPECT_GT(cycles_with(false), 200 * (100 + latency / 2)) << "each round waits";
  EXPECT_LT(cycles_with(true), 0.7 * cycles_with(false)) << "a round waits while the next load is in flight";
}

TEST(Multiprocessor, MemoryOfTheHostIsFarAndSlow) {
  const auto run = [](memory_action does, unsigned warps, unsigned rounds) {
    small_launch l;
    l.add(lds(0, 1));
    for (std::uint64_t i = 0; i < 4; ++i) l.trace.lines.push_back((i + 7) << 4 | 15);
    l.accesses = {{.code = 0, .space = memory_space::host, .does = does, .wavefronts = 4, .lines = 4}};
    l.costs[0].past_l1 = true;
    l.active = 1;
    return l.run(warps, rounds);
  };
  const gpu_parameters gpu;
  EXPECT_NEAR(run(memory_action::load, 1, 20), 20 * (gpu.host_latency + 512 / gpu.host_read_total), 2500);
  EXPECT_NEAR(run(memory_action::store, 8, 100), 8 * 100 * 512 / gpu.host_write_total, 2500);
}

TEST(Multiprocessor, CompareAndSwapsOfOneWordTakeTurns) {
  const auto run = [](unsigned warps) {
    small_launch l;
    l.add(lds(0, 1));
    l.costs[0].swaps = l.costs[0].retries = true;
    l.trace.lines = {7 << 4 | 1, 7 * 128};
    l.accesses = {{.code = 0,
                   .space = memory_space::global,
                   .does = memory_action::update,
                   .wavefronts = 1,
                   .same_word = 1,
                   .lines = 1}};
    l.active = 1;
    return l.run(warps, 20);
  };
  const double alone = run(1), of_eight = run(8);
  EXPECT_LT(alone, 20 * 700);
  EXPECT_GT(of_eight, 8 * 20 * gpu_parameters{}.swap_turn * 0.8);
}

TEST(Multiprocessor, SleepsAsLongAsItIsTold) {
  small_launch l;
  l.add({.stall = 1, .does = behaviour::sleep, .sleeps = 1000});
  EXPECT_NEAR(l.run(4, 11), 10 * 1000 * gpu_parameters{}.sm_clock, 200);
}

instruction_cost reading(std::array<std::uint8_t, 3> registers, std::uint8_t keeps = 0, std::uint8_t stall = 1) {
  instruction_cost c = ffma(stall);
  c.reads = registers;
  c.keeps = keeps;
  return c;
}

// Returns the clocks of an instruction on one quarter of a multiprocessor. An H100 takes the same number of clocks
// (bench/issue_times.cpp).
double clocks_of_reads(std::vector<instruction_cost> code, unsigned warps) {
  small_launch l;
  for (const instruction_cost& c : code) l.add(c);
  return l.run(warps, 1000) / 1000 / static_cast<double>(code.size()) / (warps / 4.0);
}

TEST(Multiprocessor, ABankOfRegistersGivesOneInAClock) {
  EXPECT_NEAR(clocks_of_reads({reading({2, 3, 255})}, 16), 1, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 3, 4})}, 16), 2, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6})}, 16), 3, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}), reading({3, 5, 7})}, 16), 1.5, 0.05)
      << "the banks work independently";
}

TEST(Multiprocessor, TheCacheOfOperandsHasARegisterForEachPlaceAndBank) {
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1)}, 4), 2, 0.02);
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1), reading({3, 4, 6}, 1)}, 4), 2, 0.02)
      << "R2 and R3 both stay in the cache";
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1), reading({8, 4, 6}, 1)}, 4), 3, 0.02) << "R8 replaces R2";
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 6}, 1), reading({4, 2, 6}, 1)}, 4), 3, 0.02)
      << "R2 and R4 have changed places";
}

TEST(Multiprocessor, AnotherWarpEmptiesTheCacheOfOperands) {
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 255}, 1)}, 16), 1, 0.02) << "the same warp continues";
  EXPECT_NEAR(clocks_of_reads({reading({2, 4, 255}, 1, 4)}, 16), 2, 0.05) << "the warps take turns";
}

TEST(Multiprocessor, HasOneUnitForTextures) {
  small_launch l;
  l.add({.stall = 1, .pipe = pipe::texture, .interval = 8});
  EXPECT_NEAR(l.run(16, 100), 16 * 100 * 8, 300);
}

TEST(Multiprocessor, AFenceWaitsForL2) {
  const auto clocks = [](std::uint8_t scope) {
    small_launch l;
    l.add({.stall = 4, .write_barrier = 0, .does = behaviour::fence, .number = scope, .op = sass::opcode::MEMBAR});
    l.add({.stall = 4, .wait_mask = 1});
    return l.run(1, 100) / 100;
  };
  EXPECT_LT(clocks(0), 40) << "a fence with the scope of a block is fast";
  EXPECT_NEAR(clocks(2), gpu_parameters{}.fence_latency, 20);
  EXPECT_NEAR(clocks(3), gpu_parameters{}.system_fence_latency, 20);
  small_launch l;  // as in cluster.sync()
  l.add({.stall = 6, .does = behaviour::fence, .number = 2, .op = sass::opcode::MEMBAR});
  EXPECT_NEAR(l.run(1, 100) / 100, gpu_parameters{}.fence_latency, 20)
      << "without a scoreboard, the fence itself makes the warp wait";
}

// A store to four words in each of four lines is followed by a store to the adjacent words. A thread that stores a
// struct does the same.
TEST(Multiprocessor, StoresInSequenceToOneSectorAreOne) {
  const auto stored = [](bool apart) {
    small_launch l;
    instruction_cost store = lds(7, 0);
    store.op = sass::opcode::STG;
    l.add(store);
    for (unsigned i = 0; apart && i < 8; ++i) l.add(ffma(4));
    l.add(store);
    for (std::uint64_t n = 0; n < 4; ++n) l.trace.lines.push_back(n << 4 | 15);
    const traced_access first{
        .code = 0, .space = memory_space::global, .does = memory_action::store, .wavefronts = 4, .lines = 4};
    traced_access second = first;
    second.code = static_cast<std::uint32_t>(l.costs.size() - 1);
    l.accesses = {first, second};
    return l.follow(1, 1).traffic.stored_sectors;
  };
  EXPECT_EQ(stored(false), 16);
  EXPECT_EQ(stored(true), 32);
}

// A multiprocessor sends one sector in a clock to L2. If the multiprocessor stores a part of a line, the line takes one
// additional clock. This limits the stores of a few multiprocessors, because L2 could receive them faster.
TEST(Multiprocessor, SendsASectorAClock) {
  const auto clocks = [](std::uint16_t lines, unsigned sectors) {
    constexpr unsigned rounds = 400;
    small_launch l;
    instruction_cost store = lds(7, 0);
    store.op = sass::opcode::STG;
    l.add(store);
    for (std::uint16_t n = 0; n < lines; ++n) l.trace.lines.push_back((1000ull + n) << 4 | sectors);
    l.accesses = {
        {.code = 0, .space = memory_space::global, .does = memory_action::store, .wavefronts = 1, .lines = lines}};
    l.active = 1;
    return l.run(4, rounds) / (4 * rounds);
  };
  EXPECT_NEAR(clocks(32, 1), 64, 3);  // one word in each of 32 lines, so each sector is stored in part
  EXPECT_NEAR(clocks(1, 15), 4, 1);   // 32 contiguous words
}

TEST(Multiprocessor, ObeysStallsOfAChain) {
  small_launch l;
  l.add(ffma(4));
  EXPECT_NEAR(l.run(1, 1000), 4000, 10);
}

TEST(Multiprocessor, IssuesOneInstructionAClockAndQuarter) {
  small_launch l;
  l.add(ffma(1));
  EXPECT_NEAR(l.run(4, 1000), 1000, 10) << "each quarter has one warp";
  small_launch more;
  more.add(ffma(4));
  EXPECT_NEAR(more.run(16, 1000), 4000, 20) << "four warps in a quarter fill each other's stalls";
}

TEST(Multiprocessor, PipesTakeTheirTime) {
  small_launch special;
  special.add({.stall = 1, .pipe = pipe::special, .interval = 8});
  EXPECT_NEAR(special.run(4, 500), 8 * 500, 20);
  small_launch heavy;
  heavy.add({.stall = 1, .pipe = pipe::fma_heavy, .interval = 2});
  EXPECT_NEAR(heavy.run(4, 1000), 2000, 20);
}

TEST(Multiprocessor, SharedMemoryHasItsLatency) {
  for (const unsigned wavefronts : {1u, 2u, 8u, 32u}) {
    small_launch l;
    l.add(lds(0, 1));
    l.accesses = {{.code = 0, .wavefronts = static_cast<std::uint16_t>(wavefronts)}};
    // An access takes 23 clocks, and each further wavefront takes 2 clocks.
    EXPECT_NEAR(l.run(1, 200) / 200, 23 + 2 * (wavefronts - 1), 0.5) << wavefronts;
  }
}

TEST(Multiprocessor, TheDataStagePassesAWavefrontAClock) {
  for (const unsigned wavefronts : {1u, 4u, 16u}) {
    small_launch l;
    l.add(lds(no_barrier, 0));
    l.accesses = {{.code = 0, .wavefronts = static_cast<std::uint16_t>(wavefronts)}};
    EXPECT_NEAR(l.run(32, 50), 32.0 * 50 * wavefronts, 60 + 22 * wavefronts) << "the last accesses wait in queues";
  }
}

TEST(Multiprocessor, AQuarterSendsAMemoryInstructionInFourClocks) {
  small_launch l;
  l.add(lds(no_barrier, 0));
  l.accesses = {{.code = 0, .wavefronts = 1}};
  EXPECT_NEAR(l.run(1, 500) / 500, 4, 0.2);
}

TEST(Multiprocessor, ConflictsAreFreeIfAskedFor) {
  small_launch l;
  l.add(lds(no_barrier, 0));
  l.accesses = {{.code = 0, .wavefronts = 16}};
  const double as_it_is = l.run(32, 50);
  EXPECT_NEAR(l.run(32, 50, {.conflicts = true}) / as_it_is, 1.0 / 16, 0.02);
}

TEST(Multiprocessor, BarriersTakeThirteenClocksAndTwoAWarp) {
  for (const unsigned warps : {1u, 4u, 8u, 32u}) {
    small_launch l;
    l.add({.stall = 1, .does = behaviour::barrier});
    EXPECT_NEAR(l.run(warps, 200) / 200, 13 + 2 * warps, 3) << warps;
  }
}

TEST(Multiprocessor, WaitsForScoreboards) {
  small_launch l;
  l.add({.stall = 2, .write_barrier = 3, .pipe = pipe::special, .interval = 8, .latency = 40});
  l.add({.stall = 1, .wait_mask = 1 << 3});
  EXPECT_NEAR(l.run(1, 300) / 300, 41, 1);
}

// Returns the clocks of a reduction whose lanes access these sectors of line 10. `same_word` lanes access the same
// word.
double clocks_of_updates(unsigned sectors, std::uint8_t same_word, bool adds_floats = false, std::uint8_t bytes = 4,
                         unsigned requests = 0) {
  small_launch l;
  l.add({.stall = 1,
         .pipe = pipe::memory,
         .does = behaviour::memory,
         .adds_floats = adds_floats,
         .op = sass::opcode::REDG});
  l.active = 1;
  l.trace.lines = {10 << 4 | sectors, launch_trace::wanted(1280, requests)};
  l.accesses = {{.code = 0,
                 .space = memory_space::global,
                 .does = memory_action::update,
                 .wavefronts = 1,
                 .bytes = bytes,
                 .same_word = same_word,
                 .lines = 1}};
  return l.run(8, 200) / (8 * 200);
}

TEST(Multiprocessor, LanesOnOneAddressOfGlobalMemoryTakeTurns) {
  EXPECT_NEAR(clocks_of_updates(1, 32), 37.3, 2) << "measured: 37.3 clocks a warp";
  EXPECT_NEAR(clocks_of_updates(15, 1), 4 * 1.17, 1) << "each sector needs one request; measured: 3.8";
  EXPECT_NEAR(clocks_of_updates(1, 32, true), 89.5, 4) << "measured: 89.5";
  EXPECT_NEAR(clocks_of_updates(15, 2, false, 4, 5), 5 * 1.17, 1) << "the trace has the number of requests";
  EXPECT_NEAR(clocks_of_updates(15, 1, true, 8, 4), 14.8 / 2, 1) << "16 doubles; measured for 32: 14.8";
}

// Memory of 1 MB stays in L2. The unit of L2 for lines and sectors limits the stores of single words to 39.6 sectors
// for each clock, measured on an H100 (memory_times: scatter).
TEST(Multiprocessor, L2LooksUpSectorsOfAllMultiprocessors) {
  constexpr unsigned rounds = 200, warps = 8;
  small_launch l;
  instruction_cost store = lds(7, 0);
  store.op = sass::opcode::STG;
  l.add(store);
  for (std::uint16_t n = 0; n < 32; ++n) l.trace.lines.push_back((1000ull + 7 * n) << 4 | 1);
  l.accesses = {{.code = 0, .space = memory_space::global, .does = memory_action::store, .wavefronts = 1, .lines = 32}};
  EXPECT_NEAR(132 * 32 * warps * rounds / l.run(warps, rounds), 39.6, 2);
}

TEST(Multiprocessor, JumpsCost) {
  small_launch l;
  l.add(ffma(4));
  l.add({.stall = 5, .does = behaviour::jump});
  EXPECT_NEAR(l.run(1, 500) / 500, 9, 0.1) << "this test does not include the redirect";
}

// A product of a warp group, which keeps the tensor cores busy for 32 clocks.
instruction_cost wgmma(bool ends_group) {
  return {.pipe = pipe::tensor,
          .interval = 32,
          .does = behaviour::matrix_group,
          .operand_wavefronts = 32,
          .ends_group = ends_group};
}
instruction_cost wait_for_products(std::uint16_t remaining) {
  return {.does = behaviour::group_wait, .remaining = remaining};
}

TEST(Products, KeepTheTensorCoresBusy) {
  small_launch l;
  for (int i = 0; i < 16; ++i) l.add(wgmma(i == 15));
  l.add(wait_for_products(0));
  const double latency = gpu_parameters().product_latency;
  EXPECT_NEAR(l.run(4, 100), 100 * (16 * 32 + latency), 800)
      << "one warp group, which waits for each group of products";
  EXPECT_NEAR(l.run(8, 100), 200 * 16 * 32, 800) << "two warp groups share the tensor cores, and hide the latency";
}

TEST(Products, AGroupMayStayInFlight) {
  small_launch waits, passes;
  for (auto* l : {&waits, &passes}) {
    l->add(wgmma(true));
    l->add(wait_for_products(l == &waits ? 0 : 1));
  }
  EXPECT_NEAR(passes.run(4, 200), 200 * 32, 200);
  EXPECT_GT(waits.run(4, 200), 200 * 60);
}

// The lines of a bulk copy of `bytes` by each warp, the mbarrier that counts them, and the test of this mbarrier.
small_launch copying(unsigned bytes, unsigned rounds) {
  small_launch l;
  l.add({.pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::UBLKCP});
  l.add({.write_barrier = 0, .pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::SYNCS_PHASECHK});
  l.add({.wait_mask = 1});
  traced_warp w;
  for (unsigned round = 0; round < rounds; ++round) {
    const auto first = static_cast<std::uint32_t>(l.trace.accesses.size());
    const auto lines = static_cast<std::uint16_t>(bytes / 128);
    l.trace.accesses.push_back({.code = 0,
                                .space = memory_space::bulk,
                                .lines = lines,
                                .first_line = static_cast<std::uint32_t>(l.trace.lines.size())});
    for (unsigned i = 0; i < lines; ++i) l.trace.lines.push_back((std::uint64_t{round} * lines + i) << 4 | 15);
    l.trace.lines.push_back(64);
    l.trace.accesses.push_back({.code = 1,
                                .space = memory_space::mbarrier,
                                .lines = 1,
                                .first_line = static_cast<std::uint32_t>(l.trace.lines.size())});
    l.trace.lines.push_back(64 | std::uint64_t{round + 1} << 32);
    w.runs.push_back({0, 3, first, 2, 32});
  }
  l.trace.blocks.assign(1, {});
  l.trace.blocks[0].warps.push_back(w);
  return l;
}

double clocks_of_copies(unsigned bytes, unsigned rounds, free_resources without = {}) {
  const small_launch l = copying(bytes, rounds);
  const line_sharing sharing(l.trace);
  multiprocessor_setup s;
  s.trace = &l.trace;
  s.costs = &l.costs;
  s.sharing = &sharing;
  without.launch = without.fetch = true;
  s.free = without;
  s.blocks = {{0, 0}};
  return run_multiprocessor(s).cycles;
}

TEST(BulkCopies, WhoTestsTheMbarrierWaitsForTheBytes) {
  const gpu_parameters p;
  EXPECT_GT(clocks_of_copies(16384, 10), 10 * (p.dram_latency - p.dram_alone)) << "each round waits for DRAM";
  EXPECT_GT(clocks_of_copies(65536, 10), clocks_of_copies(16384, 10) + 10 * 49152 / p.l2_port)
      << "the port to L2 limits";
  EXPECT_LT(clocks_of_copies(16384, 10, {.l2 = true, .dram = true, .latency = true}), 10 * 200);
}

// Measured on an H100: a loop around a switch table takes 117 clocks with one target, and 75 clocks more for each further
// target. If four warps share a quarter, a round with eight targets takes 841 clocks.
TEST(Multiprocessor, IndirectBranchesTakeTurns) {
  const gpu_parameters gpu;
  const auto clocks = [](unsigned targets, unsigned warps) {
    small_launch l;
    l.add(ffma(4));
    l.add({.stall = 5, .pipe = pipe::branch, .does = behaviour::indirect});
    l.add(ffma(4));
    l.add({.stall = 5, .does = behaviour::jump});
    constexpr unsigned rounds = 200;
    l.rounds_of = [=](traced_warp& w) {
      for (unsigned n = 0; n < targets; ++n) {
        w.runs.push_back(n == 0 ? traced_run{.code = 0, .count = 2} : traced_run{.code = 1, .count = 1});
        w.runs.push_back({.code = 2, .count = 2});
      }
    };
    return l.run(warps, rounds) / rounds;
  };
  const double first = clocks(1, 1);
  EXPECT_NEAR(first, 4 + 5 + gpu.indirect_latency + 4 + 5, 1);
  EXPECT_NEAR(clocks(8, 1) - first, 7 * (5 + gpu.indirect_turn + 4 + 5), 2);
  const double busy = 8 * 4 * gpu.indirect_interval;
  EXPECT_GT(clocks(8, 16), busy);
  EXPECT_LT(clocks(8, 16), busy * 1.25);
}

// An access of a round: 32 lanes that use the sectors `sectors` of `lines` lines.
traced_access in_lines(small_launch& l, std::uint32_t code, memory_space space, memory_action does, unsigned lines,
                       unsigned sectors) {
  traced_access a{.code = code, .space = space, .does = does, .wavefronts = 1};
  a.lines = static_cast<std::uint16_t>(lines);
  a.first_line = static_cast<std::uint32_t>(l.trace.lines.size());
  for (unsigned n = 0; n < lines; ++n) l.trace.lines.push_back((5000ull + 64 * code + n) << 4 | sectors);
  return a;
}

// Measured on an H200 (data/sm_90/tensor_times.csv): four warps copy 16 bytes for each lane 24 times, and wait. A round
// takes 1,276 clocks if eight lines have two sectors each, and 869 clocks if four lines are whole.
TEST(Copies, ThatDoNotPassL1TakeClocksForEachLine) {
  const auto clocks = [](unsigned lines, unsigned sectors) {
    small_launch l;
    l.active = 1;
    for (std::uint32_t n = 0; n < 24; ++n) {
      l.add({.pipe = pipe::memory, .does = behaviour::memory, .past_l1 = true, .op = sass::opcode::LDGSTS});
      l.accesses.push_back({.code = n, .does = memory_action::copy, .wavefronts = 4, .bytes = 16});
      l.accesses.push_back(in_lines(l, n, memory_space::global, memory_action::copy, lines, sectors));
    }
    l.add({.write_barrier = 0, .pipe = pipe::memory, .does = behaviour::commit});
    l.add({.wait_mask = 1});
    l.add({.does = behaviour::barrier});
    return l.run(4, 64) / 64;
  };
  EXPECT_NEAR(clocks(8, 3), 1276, 0.1 * 1276);
  EXPECT_NEAR(clocks(4, 15), 869, 0.1 * 869);
}

// Measured on an H200: a store to local memory takes a clock for each line and each sector. 40 clocks if its lanes use
// eight lines with four sectors each, and 64 clocks if each lane uses its own line.
TEST(LocalStores, TakeClocksForLinesAndSectors) {
  const auto clocks = [](unsigned lines, unsigned sectors) {
    small_launch l;
    l.active = 1;
    l.add({.pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::STL});
    l.add({.stall = 4});
    l.accesses = {in_lines(l, 0, memory_space::local, memory_action::store, lines, sectors)};
    return l.run(16, 100) / 1600;
  };
  EXPECT_NEAR(clocks(8, 15), 40, 1);
  EXPECT_NEAR(clocks(32, 1), 64, 2);
}

// Measured on an H200: one thread stores 16 KB, and waits until the copy has read shared memory, in 514 clocks.
TEST(BulkCopies, WhoWaitsForAStoreWaitsForItsLines) {
  small_launch l;
  l.active = 1;
  l.add({.pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::UBLKCP});
  l.add({.read_barrier = 0, .pipe = pipe::uniform, .does = behaviour::bulk_commit});
  l.add({.wait_mask = 1});
  l.accesses = {in_lines(l, 0, memory_space::bulk, memory_action::store, 128, 15)};
  EXPECT_NEAR(l.run(1, 100) / 100, 514, 10);
}

// Measured on an H200: a chain of loads from another block's shared memory takes 198 to 222 clocks for each load with
// its loop; 32 warps load a word for each lane every 7.7 clocks.
TEST(Clusters, LoadsFromOtherBlocksHaveALatencyAndARate) {
  small_launch l;
  l.add({.write_barrier = 0, .pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::LD});
  l.add({.wait_mask = 1});
  l.accesses = {{.code = 0, .space = memory_space::asynchronous, .wavefronts = 0}};
  EXPECT_NEAR(l.run(1, 200) / 200, 198, 10);
  EXPECT_NEAR(l.run(32, 200) / (32 * 200), 7.7, 0.4);
}

// Measured on an H200: one warp executes 4,096 instructions once, in 514 lines of code, in 9,728 clocks. Code of 1,026
// lines takes 59,407 clocks.
TEST(InstructionFetch, CodeThatFitsIsFetchedBeforeItIsNeeded) {
  const gpu_parameters p;
  const auto clocks = [&](unsigned lines) {
    instruction_fetch fetch(p, 8 * lines, 1, false);
    std::vector<std::uint32_t> of_quarter(16, ~0u);
    instruction_fetch::position at_warp;
    double at = 0;
    for (std::uint32_t code = 0; code < 8 * lines; ++code) at = fetch.code(at_warp, of_quarter, code, at + 1);
    return at;
  };
  EXPECT_NEAR(clocks(514), 9728, 0.05 * 9728);
  EXPECT_GT(clocks(1026), 30000);
}

}  // namespace
}  // namespace bankwise::timing
