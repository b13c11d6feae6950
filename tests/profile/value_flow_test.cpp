// Tests which values are passed through shared memory, between which warps, and how many shuffles could pass these
// values instead.
#include "profile/code/value_flow.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

constexpr u32 bytes = 4096;
constexpr std::uint64_t store_pc = 0x10, load_pc = 0x20, other_pc = 0x30;

template <class Address>
emulate::shared_access by(u32 warp, std::uint64_t pc, operation op, Address address, u32 mask = full_mask) {
  emulate::shared_access a;
  a.pc = pc;
  a.warp = warp;
  a.what = {op, mask, {}};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((mask >> lane & 1) != 0) a.what.address[lane] = address(lane);
  return a;
}
u32 words(u32 lane) { return 4 * lane; }

TEST(ValueFlow, AValueThatIsLoadedTwiceIsOne) {
  value_flow flow(bytes);
  flow.on_block(0);
  flow.on_access(by(0, store_pc, st(4), words));
  for (int n = 0; n < 2; ++n) flow.on_access(by(0, load_pc, ld(4), words));
  EXPECT_EQ(flow.passed_by(store_pc).words, 32u);
  EXPECT_EQ(flow.passed_by(store_pc).to_other_warps, 0u);
  EXPECT_EQ(flow.web_of(store_pc), flow.web_of(load_pc));
}

TEST(ValueFlow, WhatIsOverwrittenOrNeverLoadedDoesNotPass) {
  value_flow flow(bytes);
  flow.on_block(0);
  flow.on_access(by(0, load_pc, ld(4), words));  // loads a word that was never written
  flow.on_access(by(0, store_pc, st(4), words));
  flow.on_access(by(0, other_pc, st(4), words, 0xffff));
  flow.on_access(by(0, load_pc, ld(4), [](u32) { return 4; }));
  EXPECT_EQ(flow.passed_by(store_pc).words, 0u);
  EXPECT_EQ(flow.passed_by(other_pc).words, 1u);
  EXPECT_EQ(flow.passed_by(load_pc).shuffles, 0u);  // the value from the first load does not come from a lane
}

TEST(ValueFlow, AWarpsOwnWordsCanBeShuffled) {
  value_flow flow(bytes);
  flow.on_block(0);
  flow.on_access(by(3, store_pc, st(4), words));
  flow.on_access(by(3, load_pc, ld(4), [](u32 lane) { return 4 * (lane % 4 * 8 + lane / 4); }));
  EXPECT_EQ(flow.passed_by(load_pc).shuffles, 1u);
}

// Each lane stores two words from two registers. The first load reads both words of lanes 0 to 15, so it needs a
// shuffle for each register. The second load reads the first word of each lane, so it needs one shuffle.
TEST(ValueFlow, EachRegisterIsAShuffle) {
  value_flow flow(bytes);
  flow.on_block(0);
  flow.on_access(by(0, store_pc, st(8), [](u32 lane) { return 8 * lane; }));
  flow.on_access(by(0, load_pc, ld(4), words));
  EXPECT_EQ(flow.passed_by(load_pc).shuffles, 2u);
  flow.on_access(by(0, other_pc, ld(4), [](u32 lane) { return 8 * lane; }));
  EXPECT_EQ(flow.passed_by(other_pc).shuffles, 1u);
}

TEST(ValueFlow, WhatAnotherWarpStoredCannot) {
  value_flow flow(bytes);
  flow.on_block(0);
  flow.on_access(by(0, store_pc, st(4), words));
  flow.on_access(by(1, store_pc, st(4), [](u32 lane) { return 128 + 4 * lane; }));
  flow.on_access(by(0, load_pc, ld(4), [](u32 lane) { return 64 + 4 * lane; }));
  EXPECT_EQ(flow.passed_by(load_pc).shuffles, 0u);
  EXPECT_EQ(flow.passed_by(store_pc).words, 32u);
  EXPECT_EQ(flow.passed_by(store_pc).to_other_warps, 16u);
}

TEST(ValueFlow, WhatABlockStandsForCountsSoOften) {
  value_flow flow(bytes);
  const auto run = [&](std::uint64_t block, std::uint64_t times) {
    flow.on_block(block);
    flow.on_access(by(0, store_pc, st(4), words));
    flow.on_access(by(0, load_pc, ld(4), words));
    flow.on_block_end(times);
  };
  run(0, 1), run(1, 10);
  EXPECT_EQ(flow.passed_by(store_pc).words, 11u * 32);
  EXPECT_EQ(flow.passed_by(load_pc).shuffles, 11u);
}

// Blocks that run alternately keep their own writes. A block that begins after an earlier block has ended does not see
// the writes of the earlier block.
TEST(ValueFlow, BlocksTakeTurns) {
  value_flow flow(bytes);
  for (std::uint64_t block = 0; block < 40; ++block) {
    flow.on_block(block);
    flow.on_access(by(0, store_pc, st(4), words));
  }
  for (std::uint64_t block = 0; block < 40; ++block) {
    flow.on_block(block);
    flow.on_access(by(0, load_pc, ld(4), words));
    flow.on_block_end(1);
  }
  EXPECT_EQ(flow.passed_by(store_pc).words, 40u * 32);
  flow.on_block(0);
  flow.on_access(by(0, load_pc, ld(4), words));
  EXPECT_EQ(flow.passed_by(store_pc).words, 40u * 32);
}

TEST(ValueFlow, WorkersAddUp) {
  value_flow a(bytes), b(bytes);
  for (value_flow* one : {&a, &b}) {
    one->on_block(0);
    one->on_access(by(0, store_pc, st(4), words));
    one->on_access(by(one == &a ? 0 : 1, load_pc, ld(4), words));
  }
  a.add(b);
  EXPECT_EQ(a.passed_by(store_pc).words, 64u);
  EXPECT_EQ(a.passed_by(store_pc).to_other_warps, 32u);
  EXPECT_EQ(a.passed_by(load_pc).shuffles, 0u);  // in the second worker, a warp loads values of another warp
}

}  // namespace
}  // namespace bankwise
