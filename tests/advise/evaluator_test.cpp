// Tests the cost of layouts, and the proof that no layout costs less.
#include "advise/search/evaluator.hpp"

#include <gtest/gtest.h>

#include "advise/search/obstacle.hpp"

namespace bankwise::advise {
namespace {

// Accesses to float tile[32][32]: one store by rows, two loads by columns.
problem tile() {
  problem p;
  p.on = *parse_machine("sm_90");
  p.bytes = 32 * 32 * 4;
  p.pitch_bytes = 128;
  p.element_bytes = 4;
  p.groups = {{"store", *parse_operation("st")}, {"load", *parse_operation("ld")}};
  p.accesses.push_back({make_access(st(4), [](u32 t) { return t * 4; }), 1, 0});
  p.accesses.push_back({make_access(ld(4), [](u32 t) { return t * 128; }), 2, 1});
  return p;
}

TEST(Evaluator, CountsEveryAccessWhereTheLayoutPutsIt) {
  evaluator e(tile());
  EXPECT_EQ(e.wavefronts({}), 1u + 2 * 32);
  EXPECT_EQ(e.by_group({}), (std::vector<std::uint64_t>{1, 64}));
  const relayout padded{.every = 128, .gap = 4};
  EXPECT_EQ(e.wavefronts(padded), 3u);
  EXPECT_EQ(e.floor(), 3u);
  EXPECT_EQ(e.granule(), 4u);
}

// The evaluator stops at the limit, so the only known fact is that the cost is above the limit.
TEST(Evaluator, StopsWhereALayoutIsWorseThanOneThatIsKnown) {
  evaluator e(tile());
  EXPECT_GT(e.wavefronts({}, 10), 10u);
  EXPECT_EQ(e.judged(), 1u);  // the first access, which has the largest possible loss, exceeds the limit
}

TEST(Evaluator, EqualAccessesOfAGroupAreOne) {
  problem p = tile();
  for (int i = 0; i < 9; ++i) p.accesses.push_back(p.accesses[0]);
  evaluator e(p);
  EXPECT_EQ(e.accesses().size(), 2u);
  EXPECT_EQ(e.wavefronts({}), 10u + 2 * 32);
}

// If granules of 16 bytes stay together, the words of a column can only be in every fourth bank. So at most eight words
// can be served at once.
TEST(Evaluator, WhatStaysTogetherHasAFloorOfItsOwn) {
  const access column = make_access(ld(4), [](u32 t) { return t * 128; });
  EXPECT_EQ(granule_floor(column, maxwell_model(), 4), 1u);
  EXPECT_EQ(granule_floor(column, maxwell_model(), 16), 4u);
  EXPECT_EQ(granule_floor(column, maxwell_model(), 128), 32u);
}

TEST(Evaluator, TheObstacleIsWhatLosesMost) {
  const problem p = tile();
  const obstacle o = find_obstacle(p, evaluator(p), {});
  EXPECT_EQ(o.group, 1u);
  EXPECT_EQ(o.wavefronts, 32u);
  EXPECT_EQ(o.floor, 1u);
  EXPECT_EQ(o.lanes, full_mask);
  EXPECT_EQ(o.bank, 0u);
}

}  // namespace
}  // namespace bankwise::advise
