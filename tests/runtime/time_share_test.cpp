// Tests how the time limit of --time is divided among the launches of a program.
#include "runtime/device/time_share.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bankwise::cuda {
namespace {

using namespace std::chrono_literals;

struct launches {
  cubin::kernel first, second;
  emulate::launch of(const cubin::kernel& k, std::uint32_t blocks) const {
    emulate::launch l;
    l.kernel = &k;
    l.grid = {blocks, 1, 1};
    return l;
  }
};

TEST(TimeShare, IsNoLimitWhereNobodyAsked) { EXPECT_FALSE(time_share().is_limited()); }

TEST(TimeShare, GivesAQuarterOfWhatIsLeft) {
  launches some;
  time_share share(8s);
  ASSERT_TRUE(share.is_limited());
  emulate::launch l = some.of(some.first, 1000);
  share.limit(l);
  ASSERT_TRUE(l.time);
  EXPECT_EQ(l.time->begins, 2s);
  EXPECT_GT(l.time->until, l.time->begins);
  EXPECT_EQ(l.most_blocks, 0u);
  share.note(l, 4s, 10);
  emulate::launch other = some.of(some.second, 1000);
  share.limit(other);
  EXPECT_EQ(other.time->begins, 1s);
}

// After the first launch of a kernel, the cost of the kernel is known.
TEST(TimeShare, GivesLessToWhatWasSeen) {
  launches some;
  time_share share(32s);
  emulate::launch l = some.of(some.first, 1000);
  share.limit(l);
  share.note(l, 8s, 80);  // a block takes 0.1 s, and 24 s are left; so the next launch gets 0.75 s (1/32 of 24 s)
  std::uint64_t before = 0;
  for (int i = 0; i < 5; ++i) {
    emulate::launch again = some.of(some.first, 1000);
    share.limit(again);
    EXPECT_EQ(again.most_blocks, 4u);
    if (i != 0) {
      EXPECT_EQ(again.most_blocks, before);
    }
    before = again.most_blocks;
    share.note(again, 400ms, 4);
  }
  // A launch with a different grid counts as a different shape.
  emulate::launch wide = some.of(some.first, 2000);
  share.limit(wide);
  EXPECT_EQ(wide.most_blocks, 0u);
}

TEST(TimeShare, LetsSmallLaunchesFinish) {
  launches some;
  time_share share(10s);
  for (int i = 0; i < 100; ++i) {
    emulate::launch l = some.of(some.first, 8);
    share.limit(l);
    EXPECT_EQ(l.most_blocks, 0u);
    EXPECT_GE(l.time->begins, 10ms);
    share.note(l, 1ms, 8);
  }
}

// Some blocks of the launch run, then the launch ends.
TEST(TimeShare, LeavesAMinimumWhenNothingIsLeft) {
  launches some;
  time_share share(1s);
  emulate::launch l = some.of(some.first, 1000);
  share.limit(l);
  share.note(l, 5s, 3);
  for (const cubin::kernel* k : {&some.first, &some.second}) {
    emulate::launch late = some.of(*k, 1000);
    share.limit(late);
    EXPECT_EQ(late.time->begins, 0s);
    EXPECT_GE(late.time->least, 1u);
    EXPECT_GT(late.time->until, 0s);
    EXPECT_LT(late.time->until, 1s);
    EXPECT_TRUE(late.most_blocks == 0 || late.most_blocks >= late.time->least);
  }
}

// The more often a launch is repeated, the more rarely the launch is executed.
TEST(TimeShare, SkipsLaunchesWhenNothingIsLeft) {
  launches some;
  time_share share(1s);
  const emulate::launch l = some.of(some.first, 1000), other = some.of(some.second, 1000);
  share.note(l, 500ms, 1000);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(share.skips(l)) << "there is time left";
  share.note(l, 600ms, 1000);
  EXPECT_TRUE(share.is_over());
  EXPECT_FALSE(share.skips(other)) << "the cost of this launch is unknown";
  std::vector<int> executed;
  for (int i = 1; i <= 20; ++i)
    if (!share.skips(l)) executed.push_back(i);
  EXPECT_EQ(executed, (std::vector<int>{1, 2, 4, 8, 16}));
}

// Launches of new shapes run a few blocks when no time remains, but not for longer than a second in all.
TEST(TimeShare, EndsForLaunchesOfNewShapes) {
  launches some;
  time_share share(1s);
  share.note(some.of(some.first, 1000), 5s, 3);
  time_share::duration late{0};
  std::uint32_t executed = 0;
  for (std::uint32_t blocks = 1; blocks <= 100 && !share.is_closed(); ++blocks, ++executed) {
    emulate::launch l = some.of(some.second, blocks);
    EXPECT_FALSE(share.skips(l));
    share.limit(l);
    share.note(l, l.time->until, 1);
    late += l.time->until;
  }
  EXPECT_EQ(late, time_share::late_time);
  EXPECT_GE(executed, 20u) << "many kernels run a few blocks";
  EXPECT_LT(executed, 100u);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(share.skips(some.of(some.first, 1000)));
  EXPECT_FALSE(time_share().is_closed());
}

TEST(TimeShare, IncludesPredictionsAndReports) {
  time_share share(8s);
  EXPECT_TRUE(share.has_time_to_predict());
  share.spend(7600ms);
  EXPECT_FALSE(share.is_over());
  EXPECT_FALSE(share.has_time_to_predict()) << "a prediction cannot be stopped";
  share.spend(500ms);
  EXPECT_TRUE(share.is_over());
  EXPECT_TRUE(time_share().has_time_to_predict()) << "there is no limit";
}

// The number of executed blocks never exceeds the value of --ctas.
TEST(TimeShare, KeepsTheSmallerNumberOfBlocks) {
  launches some;
  time_share share(32s);
  emulate::launch l = some.of(some.first, 1000);
  share.limit(l);
  share.note(l, 8s, 80);
  emulate::launch again = some.of(some.first, 1000);
  again.most_blocks = 2;
  share.limit(again);
  EXPECT_EQ(again.most_blocks, 2u);
}

}  // namespace
}  // namespace bankwise::cuda
