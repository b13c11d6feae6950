// Tests every possible reason for a cost.
#include "bankwise/explanation.hpp"

#include <gtest/gtest.h>

#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

// Tests the example in explanation.hpp.
TEST(Explanation, OfAColumn) {
  const explanation e = explain(make_access(ld(4), [](u32 t) { return t * 128; }));
  EXPECT_EQ(e.total.wavefronts, 32u);
  ASSERT_EQ(e.phases, 1u);
  EXPECT_EQ(e.phase_at[0].lanes, full_mask);
  EXPECT_EQ(e.phase_at[0].wavefronts, 32u);
  EXPECT_EQ(e.phase_at[0].words, 32u);
  EXPECT_EQ(e.want_at[7].lanes, 1u << 7);
  EXPECT_EQ(e.want_at[7].word, 224u);
  EXPECT_EQ(e.want_at[7].bank, 0);
  EXPECT_EQ(e.want_at[7].turn, 7);
  EXPECT_EQ(removable(e), 31u);
  EXPECT_EQ(queued(e), 0u);
}

TEST(Explanation, LanesThatQueueAreNothingThatALayoutWins) {
  const explanation e = explain(make_access(atom(4), [](u32) { return 0u; }));
  EXPECT_EQ(e.same_word, 32u);
  EXPECT_EQ(removable(e), 0u);
  EXPECT_EQ(queued(e), 31u);
}

// The accesses of each phase are contiguous in the list. The number of turns equals the number of wavefronts.
TEST(Explanation, PhasesHaveTheirWants) {
  for (const operation op : {ld(4), ld(8), ld(16), st(16), ldmatrix(4), cp_async(8)}) {
    const explanation e = explain(make_access(op, [](u32 t) { return t * 48 / 16 * 16; }));
    u32 next = 0, wavefronts = 0;
    for (u32 p = 0; p < e.phases; ++p) {
      ASSERT_EQ(e.phase_at[p].first_want, next);
      u32 last = 0;
      for (u32 i = next; i < next + e.phase_at[p].wants; ++i) {
        EXPECT_EQ(e.want_at[i].phase, p);
        last = e.want_at[i].turn + 1u > last ? e.want_at[i].turn + 1u : last;
      }
      EXPECT_EQ(last, e.phase_at[p].wavefronts);
      wavefronts += e.phase_at[p].wavefronts;
      next += e.phase_at[p].wants;
    }
    EXPECT_EQ(next, e.wants);
    EXPECT_EQ(wavefronts, e.total.wavefronts);
  }
}

}  // namespace
}  // namespace bankwise
