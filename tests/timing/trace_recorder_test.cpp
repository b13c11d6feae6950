// Tests which parts of accesses to global memory and to stacks are kept in a trace.
#include "timing/trace/trace_recorder.hpp"

#include <gtest/gtest.h>

#include <array>

#include "expr/names/machine_names.hpp"

namespace bankwise::timing {
namespace {

constexpr traced_code volatile_load{0, 0x0000000402007981, 0x000ea2000c1f5900};  // LDG.E.STRONG.SYS
constexpr traced_code plain_load{0, 0x0000000402007981, 0x000ea2000c1e1900};     // LDG.E

struct recording {
  explicit recording(const traced_code& load = plain_load) {
    trace.code = {load};
    recorder.on_block(0);
    recorder.on_warp(0);
  }
  const traced_access& access(global_kind kind, std::uint32_t mask, std::uint64_t apart, std::uint32_t width = 4) {
    std::array<std::uint64_t, 32> address{};
    for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = 0x10000 + lane * apart;
    const emulate::global_access_event e{.kind = kind, .mask = mask, .width_bytes = width, .address = address.data()};
    recorder.on_global(e);
    return trace.accesses.back();
  }

  cubin::program program;
  emulate::device_memory memory;
  launch_trace trace;
  trace_recorder recorder{program, memory, parse_machine("sm_90")->model, {{0}, 0}, trace};
};

TEST(TraceRecorder, KeepsLinesOfGlobalMemory) {
  recording r;
  const traced_access& row = r.access(global_kind::load, ~0u, 4);
  EXPECT_EQ(row.space, memory_space::global);
  EXPECT_EQ(row.does, memory_action::load);
  EXPECT_EQ(row.lines, 1);
  EXPECT_EQ(r.access(global_kind::copy, ~0u, 128).lines, 32);
  EXPECT_EQ(r.trace.accesses.back().does, memory_action::copy);
  EXPECT_EQ(r.trace.touched.size(), 32u);  // the line of `row` is also a line of the copy
}

// For ld.local, and for a generic load through a pointer to the lane's stack, the words of the lanes are adjacent.
TEST(TraceRecorder, KeepsLinesOfStacks) {
  recording r;
  const traced_access& spill = r.access(global_kind::local_store, ~0u, 0, 16);
  EXPECT_EQ(spill.space, memory_space::local);
  EXPECT_EQ(spill.does, memory_action::store);
  EXPECT_EQ(spill.lines, 4);
  EXPECT_EQ(r.access(global_kind::local_load, 0x9, 0).lines, 1);
  EXPECT_TRUE(r.trace.touched.empty()) << "stacks are not shared with other blocks, so no line is recorded";
}

TEST(TraceRecorder, KeepsTheBytesThatABlockReadsAndWrites) {
  recording r;
  r.access(global_kind::load, ~0u, 32);        // the first word of each sector
  r.access(global_kind::store, 0xff, 128, 8);  // eight lines
  r.access(global_kind::load, 0xf, 128, 8);    // what the block has written
  r.access(global_kind::local_load, ~0u, 0);
  unsigned read = 0, written = 0;
  for (const auto& [line, l] : *r.recorder.memory_of_last().lines) {
    read += l.read.count();
    written += l.written.count();
  }
  EXPECT_EQ(read, 32 * 4u);
  EXPECT_EQ(written, 8 * 8u);
  r.access(global_kind::reduction, ~0u, 4);  // reads a line, of which 8 and 3 times 4 bytes are known
  const auto& line = r.recorder.memory_of_last().lines->at(0x10000 / 128);
  EXPECT_EQ(line.written.count(), 128u);
  EXPECT_EQ(line.read.count(), 128u - 4u) << "the word after the first one was written before it was read";
}

TEST(TraceRecorder, KeepsLanesThatUpdateOneWord) {
  recording r;
  EXPECT_EQ(r.access(global_kind::reduction, ~0u, 0).same_word, 32);
  EXPECT_EQ(r.access(global_kind::atomic, 0xff, 4).same_word, 1);
  EXPECT_EQ(r.trace.accesses.back().does, memory_action::update);
}

TEST(TraceRecorder, KeepsTheWordThatMostLanesUpdate) {
  recording r;
  const traced_access a = r.access(global_kind::atomic, ~0u, 0);
  EXPECT_EQ(r.trace.word_of(a), 0x10000u);
}

// One request to L2 is for one sector, and contains at most one lane for each word.
TEST(TraceRecorder, KeepsTheRequestsOfAnUpdate) {
  recording r;
  EXPECT_EQ(r.trace.requests_of(r.access(global_kind::atomic, ~0u, 4)), 4u)
      << "four sectors, and each word is updated once";
  EXPECT_EQ(r.trace.requests_of(r.access(global_kind::atomic, ~0u, 0)), 32u) << "all lanes update one word";
  EXPECT_EQ(r.trace.requests_of(r.access(global_kind::atomic, ~0u, 64)), 32u) << "32 sectors";
  std::array<std::uint64_t, 32> address{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = 0x10000 + lane % 8 * 4 + lane / 24 * 128;
  r.recorder.on_global({.kind = global_kind::atomic, .mask = ~0u, .width_bytes = 4, .address = address.data()});
  EXPECT_EQ(r.trace.requests_of(r.trace.accesses.back()), 4u)
      << "three lanes update each word of one sector, one lane updates each word of a second sector";
  EXPECT_EQ(r.trace.word_of(r.trace.accesses.back()), 0x10000u);
}

TEST(TraceRecorder, MemoryOfTheHostIsApart) {
  recording r;
  std::array<std::byte, 256> words{};
  const auto address = reinterpret_cast<std::uintptr_t>(words.data());
  ASSERT_TRUE(r.memory.attach(address, words.size(), words.data(), "cudaHostAlloc memory"));
  std::array<std::uint64_t, 32> lanes{};
  lanes.fill(address);
  r.recorder.on_global({.kind = global_kind::load, .mask = 1, .width_bytes = 4, .address = lanes.data()});
  EXPECT_EQ(r.trace.accesses.back().space, memory_space::host);
  EXPECT_TRUE(r.trace.touched.empty()) << "L2 does not keep memory of the host";
  EXPECT_EQ(r.access(global_kind::load, ~0u, 4).space, memory_space::global);
}

TEST(TraceRecorder, ALoopThatWaitsIsKeptOnce) {
  recording r(volatile_load);
  const auto turn = [&](std::uint64_t apart, std::uint32_t mask) {
    r.access(global_kind::load, mask, apart);
    r.recorder.on_instructions(0, 3, ~0u);
  };
  for (int n = 0; n < 100; ++n) turn(4, 1);
  EXPECT_EQ(r.trace.blocks.at(0).warps.at(0).runs.size(), 1u);
  EXPECT_EQ(r.trace.blocks.at(0).instructions, 3u);
  EXPECT_EQ(r.trace.accesses.size(), 1u) << "the accesses of the loop are also kept once";
  EXPECT_EQ(r.trace.lines.size(), 1u);
  // A loop that reads other memory in each round, or that changes memory, is not a waiting loop.
  for (std::uint64_t n = 1; n < 4; ++n) turn(0, 1u << n), turn(512 * n, 2);
  EXPECT_GT(r.trace.blocks.at(0).warps.at(0).runs.size(), 3u);
  const std::size_t before = r.trace.blocks.at(0).warps.at(0).runs.size();
  for (int n = 0; n < 5; ++n) {
    r.access(global_kind::atomic, 1, 4);
    r.recorder.on_instructions(0, 3, ~0u);
  }
  EXPECT_EQ(r.trace.blocks.at(0).warps.at(0).runs.size(), before + 5);
}

// One lane reads one word in each iteration, so several iterations read the same sector. The loop reads different
// addresses, so it is not a waiting loop, and all iterations are kept.
TEST(TraceRecorder, ALoopThatReadsTheWordsOfASectorIsKept) {
  recording r;
  for (std::uint64_t n = 0; n < 16; ++n) {
    r.access(global_kind::load, 2, 4 * n);
    r.recorder.on_instructions(0, 3, ~0u);
  }
  EXPECT_EQ(r.trace.blocks.at(0).warps.at(0).runs.size(), 16u);
  EXPECT_EQ(r.trace.blocks.at(0).instructions, 48u);
}

// The GPU issues an indirect branch again for each further target of a warp.
TEST(IndirectTurns, EachFurtherTargetIsATurn) {
  indirect_turns turns;
  const auto lanes_of_turn = [&turns](std::uint32_t lanes) {
    const auto turn = turns.begin(lanes);
    return turn ? turn->lanes : 0;
  };
  turns.jump(7, ~0u);
  EXPECT_EQ(lanes_of_turn(0xff), 0u) << "the first target needs no further turn";
  EXPECT_EQ(lanes_of_turn(0xff), 0u) << "the same lanes continue";
  EXPECT_EQ(lanes_of_turn(0xff00), 0xffffff00u);
  EXPECT_EQ(lanes_of_turn(0xffff0000), 0xffff0000u);
  EXPECT_EQ(lanes_of_turn(~0u), 0u);
  turns.jump(7, ~0u);
  EXPECT_EQ(lanes_of_turn(~0u), 0u) << "all lanes have one target";
  turns.jump(7, 3);
  EXPECT_EQ(lanes_of_turn(1), 0u);
  turns.jump(9, 1);
  EXPECT_EQ(lanes_of_turn(1), 0u);
  EXPECT_EQ(lanes_of_turn(2), 2u) << "a branch inside of a case ends before the next case";
  turns.jump(7, 3);
  EXPECT_EQ(lanes_of_turn(1), 0u);
  EXPECT_EQ(lanes_of_turn(~0u), 0u) << "the other lane has met other lanes";
  EXPECT_EQ(lanes_of_turn(2), 0u);
}

TEST(TraceRecorder, ALoopThatWaitsKeepsTheAccessesOfOtherWarps) {
  recording r(volatile_load);
  const auto turn = [&](std::uint32_t warp, std::uint64_t apart) {
    r.recorder.on_warp(warp);
    r.access(global_kind::load, 2, apart);
    r.recorder.on_instructions(0, 3, ~0u);
  };
  r.trace.blocks.at(0).warps.resize(2);
  for (int n = 0; n < 50; ++n) turn(0, 4), turn(1, 512);
  for (std::uint32_t w = 0; w < 2; ++w) {
    const traced_warp& warp = r.trace.blocks.at(0).warps.at(w);
    ASSERT_EQ(warp.runs.size(), 1u);
    const traced_access& a = r.trace.accesses.at(warp.runs[0].first_access);
    EXPECT_EQ(line_number(r.trace.lines.at(a.first_line)), (0x10000 + (w == 0 ? 4 : 512)) / 128u);
  }
  EXPECT_EQ(r.trace.accesses.size(), 2u);
}

TEST(TraceRecorder, LeavesOutWhatNoLaneDoes) {
  recording r;
  r.access(global_kind::load, 1, 4);
  r.access(global_kind::load, 0, 4);
  EXPECT_EQ(r.trace.accesses.size(), 1u);
}

constexpr async_operation copy_of(std::uint64_t bytes, bool to_shared) { return bulk_copy(to_shared, bytes); }

// A bulk copy has its lines, and the mbarrier that counts its bytes. A test of this mbarrier has the number of arrivals
// before it.
TEST(TraceRecorder, KeepsBulkCopiesAndTheirMbarriers) {
  using emulate::order_kind;
  recording r;
  r.recorder.on_async({.what = copy_of(320, true), .lanes = 1, .done = true});
  r.recorder.on_copied({.address = 0x1000, .bytes = 320});
  r.recorder.on_order({.kind = order_kind::complete, .number = 64});
  r.recorder.on_async({.what = async_of(async_kind::barrier), .lanes = 1, .done = true});
  r.recorder.on_order({.kind = order_kind::release, .number = 64});
  r.recorder.on_order({.kind = order_kind::release, .number = 64});  // another lane of the same instruction
  r.recorder.on_async({.what = async_of(async_kind::barrier), .lanes = 1, .done = true});
  r.recorder.on_order({.kind = order_kind::acquire, .number = 64});
  std::vector<traced_access> of_interest;
  for (const traced_access& a : r.trace.accesses)
    if (a.space != memory_space::asynchronous) of_interest.push_back(a);
  ASSERT_EQ(of_interest.size(), 3u);
  const traced_access &copy = of_interest[0], &arrival = of_interest[1], &test = of_interest[2];
  EXPECT_EQ(copy.space, memory_space::bulk);
  EXPECT_EQ(copy.lines, 3);
  EXPECT_EQ(sectors_of(r.trace.lines[copy.first_line + 2]), 3u) << "the last 64 bytes";
  EXPECT_EQ(r.trace.after_lines(copy), 64u);
  EXPECT_EQ(arrival.does, memory_action::store);
  EXPECT_EQ(r.trace.lines[arrival.first_line], 64u);
  EXPECT_EQ(test.does, memory_action::load);
  EXPECT_EQ(r.trace.lines[test.first_line], 64 | std::uint64_t{2} << 32) << "the copy and the arrival";
  EXPECT_EQ(r.trace.touched.size(), 3u);
}

// The barrier of a cluster comes like that of an mbarrier, but no instruction of an mbarrier belongs to it.
TEST(TraceRecorder, LeavesOutTheBarrierOfACluster) {
  recording r;
  r.recorder.on_order({.kind = emulate::order_kind::release, .number = ~0u});
  EXPECT_TRUE(r.trace.accesses.empty());
}

// How often a warp tests an mbarrier in vain depends on the time of the copy, which is different on the GPU.
TEST(TraceRecorder, LeavesOutTestsOfMbarriersInVain) {
  recording r({0, 0x5a7, 0});  // SYNCS.PHASECHK
  const emulate::async_event test{.what = async_of(async_kind::barrier), .lanes = 1, .done = true};
  for (int i = 0; i < 10; ++i) {
    r.recorder.on_async(test);
    r.recorder.on_instructions(0, 3, 1);
  }
  r.recorder.on_async(test);
  r.recorder.on_order({.kind = emulate::order_kind::acquire, .number = 64});
  r.recorder.on_instructions(0, 3, 1);
  EXPECT_EQ(r.trace.blocks.at(0).warps.at(0).runs.size(), 2u) << "one test in vain, and the successful one";
}

TEST(TraceRecorder, ABulkStoreHasNoMbarrier) {
  recording r;
  r.recorder.on_async({.what = copy_of(256, false), .lanes = 1, .done = true});
  r.recorder.on_copied({.address = 0x1000, .bytes = 256});
  r.recorder.on_instructions(0, 1, 1);
  EXPECT_EQ(r.trace.accesses.back().does, memory_action::store);
  EXPECT_EQ(r.trace.lines.size(), 2u);
  EXPECT_TRUE(r.trace.touched.back().stores);
}

}  // namespace
}  // namespace bankwise::timing
