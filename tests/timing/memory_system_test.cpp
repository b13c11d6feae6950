// Tests memory that is far from the multiprocessor: L2, DRAM, the host, and atomics.
#include "timing/multiprocessor/memory_system.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(MemorySystem, MemoryOfTheHostIsFarAndSlow) {
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

// A prefetch needs no result. A load of the line that follows much later finds it in L2, and a load that follows at once
// waits for DRAM as without the prefetch.
TEST(MemorySystem, APrefetchBringsLinesIntoL2BeforeTheLoad) {
  const auto run = [](bool prefetches, unsigned between) {
    small_launch l;
    instruction_cost prefetch = lds(no_barrier, 0);
    prefetch.op = sass::opcode::CCTL;
    l.add(prefetch);
    for (unsigned i = 0; i < between; ++i) l.add(ffma(10));
    l.add(lds(0, 0));
    l.add(ffma(4));
    l.costs.back().wait_mask = 1;
    const auto load = static_cast<std::uint32_t>(between + 1);
    traced_access first = in_lines(l, 0, memory_space::global, memory_action::prefetch, 4, 15), second = first;
    second.code = load;
    second.does = memory_action::load;
    if (prefetches) l.accesses.push_back(first);
    l.accesses.push_back(second);
    return l.run(1, 1);
  };
  const gpu_parameters gpu;
  EXPECT_NEAR(run(false, 200) - run(true, 200), gpu.dram_latency - gpu.l2_latency, 60);
  EXPECT_NEAR(run(true, 0), run(false, 0), 20);
}

// A warp loads 4 KB, and then does not load for some time. With saved shares, its multiprocessor gets the data at the rate of
// its port to L2, because the other multiprocessors load at other times. Without a pause, eight warps get the rate of its share.
TEST(MemorySystem, SharesThatAreSavedMakeLoadsAfterAPauseFaster) {
  const auto round = [](double saved, unsigned between, unsigned warps) {
    constexpr unsigned rounds = 50, lines = 32;
    small_launch l;
    l.gpu.load_saved = saved;
    l.gpu.dram_total /= 4;
    l.add(lds(0, 0));
    for (unsigned i = 0; i < between; ++i) l.add(ffma(10));
    l.costs[between == 0 ? 0 : 1].wait_mask = 1;
    l.costs[0].past_l1 = true;
    unsigned next = 0;
    l.rounds_of = [&](traced_warp& w) {
      const traced_access a = in_lines(l, 0, memory_space::global, memory_action::load, lines, 15);
      for (unsigned i = 0; i < lines; ++i) l.trace.lines[a.first_line + i] = (9000ull + next++) << 4 | 15;
      w.runs.push_back(
          {0, static_cast<std::uint32_t>(l.costs.size()), static_cast<std::uint32_t>(l.trace.accesses.size()), 1, 32});
      l.trace.accesses.push_back(a);
    };
    return l.run(warps, rounds) / rounds;
  };
  const gpu_parameters gpu;
  const double share = 32 * 128 * 132 / (gpu.dram_total / 4);  // clocks of 4 KB at the share of DRAM
  EXPECT_NEAR(round(0, 200, 1), 2000 + gpu.dram_latency + share, 0.2 * share);
  EXPECT_LT(round(2000, 200, 1), round(0, 200, 1) - 0.7 * share);
  EXPECT_NEAR(round(2000, 0, 8), round(0, 0, 8), 0.05 * round(0, 0, 8));
}

TEST(MemorySystem, CompareAndSwapsOfOneWordTakeTurns) {
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

// A store to four words in each of four lines is followed by a store to the adjacent words. A thread that stores a
// struct does the same.
TEST(MemorySystem, StoresInSequenceToOneSectorAreOne) {
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
TEST(MemorySystem, SendsASectorAClock) {
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

// The place of a block becomes free when its stores have left the multiprocessor (bench/small_kernels: scatter_words).
TEST(MemorySystem, ABlockEndsWhenItsStoresAreSent) {
  const auto clocks = [](unsigned lines) {
    small_launch l;
    instruction_cost store = lds(7, 0);
    store.op = sass::opcode::STG;
    l.add(store);
    l.accesses = {in_lines(l, 0, memory_space::global, memory_action::store, lines, 1)};
    l.active = 1;
    return l.run(1, 1);
  };
  const gpu_parameters gpu;
  EXPECT_NEAR(clocks(32) - clocks(1), 31 * (gpu.send_sector + gpu.send_part), 1);
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

TEST(MemorySystem, LanesOnOneAddressOfGlobalMemoryTakeTurns) {
  EXPECT_NEAR(clocks_of_updates(1, 32), 37.3, 2) << "measured: 37.3 clocks a warp";
  EXPECT_NEAR(clocks_of_updates(15, 1), 4 * 1.17, 1) << "each sector needs one request; measured: 3.8";
  EXPECT_NEAR(clocks_of_updates(1, 32, true), 89.5, 4) << "measured: 89.5";
  EXPECT_NEAR(clocks_of_updates(15, 2, false, 4, 5), 5 * 1.17, 1) << "the trace has the number of requests";
  EXPECT_NEAR(clocks_of_updates(15, 1, true, 8, 4), 14.8 / 2, 1) << "16 doubles; measured for 32: 14.8";
}

// Memory of 1 MB stays in L2. The unit of L2 for lines and sectors limits the stores of single words to 39.6 sectors
// for each clock, measured on an H100 (memory_times: scatter).
TEST(MemorySystem, L2LooksUpSectorsOfAllMultiprocessors) {
  constexpr unsigned rounds = 200, warps = 8;
  small_launch l;
  instruction_cost store = lds(7, 0);
  store.op = sass::opcode::STG;
  l.add(store);
  for (std::uint16_t n = 0; n < 32; ++n) l.trace.lines.push_back((1000ull + 7 * n) << 4 | 1);
  l.accesses = {{.code = 0, .space = memory_space::global, .does = memory_action::store, .wavefronts = 1, .lines = 32}};
  EXPECT_NEAR(132 * 32 * warps * rounds / l.run(warps, rounds), 39.6, 2);
}

// Measured on an H200: a store to local memory takes a clock for each line and each sector. 40 clocks if its lanes use
// eight lines with four sectors each, and 64 clocks if each lane uses its own line.
TEST(MemorySystem, LocalStoresTakeClocksForLinesAndSectors) {
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

// Stores keep DRAM busy. A load of a multiprocessor whose shares are saved waits for them, also if it is the first one.
TEST(MemorySystem, TheFirstLoadWaitsForEarlierStores) {
  const auto run = [](double saved, bool stores) {
    small_launch l;
    l.gpu.load_saved = saved;
    l.gpu.l2_dirty_bytes = 0;  // DRAM gets all stores at once
    l.gpu.dram_total /= 100;
    instruction_cost store = lds(7, 0);
    store.op = sass::opcode::STG;
    l.add(store);
    l.add(lds(0, 0));
    l.add(ffma(4));
    l.costs.back().wait_mask = 1;
    l.trace.touching = {0};
    if (stores) l.accesses.push_back(in_lines(l, 0, memory_space::global, memory_action::store, 32, 15));
    for (const line_sectors stored : l.trace.lines) l.trace.touched.push_back({stored, 0, 0, true});
    l.accesses.push_back(in_lines(l, 1, memory_space::global, memory_action::load, 1, 15));
    return l.run(1, 1);
  };
  const double queued = run(0, true) - run(0, false);
  EXPECT_GT(queued, 1000);
  EXPECT_NEAR(run(2000, true) - run(2000, false), queued, 100);
}

}  // namespace
}  // namespace bankwise::timing
