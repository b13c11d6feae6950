// Tests what the first changes of a program save together.
#include "findings/best_changes.hpp"

#include <gtest/gtest.h>

namespace bankwise::findings {
namespace {

// A launch of 1,000 cycles, in which each of the given delays saves so many.
added_launches launch_with(const std::vector<std::uint64_t>& saved, std::uint64_t with_two, std::uint64_t with_three) {
  added_launches a;
  a.all.time.gpu = "H100 SXM";
  a.all.time.cycles = a.all.time.nanoseconds = 1000;
  a.all.time.cycles_with_best = {with_two, with_three};
  for (const std::uint64_t cycles : saved) {
    delay& d = a.all.time.delays.emplace_back();
    d.is = delay_kind::late_loads;
    d.place.file = "a.cu";
    d.place.line = static_cast<std::uint32_t>(a.all.time.delays.size());
    d.place.sass = "LDG";
    d.saved_cycles = cycles;
  }
  return a;
}

TEST(BestChanges, AreReplayedTogether) {
  const best_changes best = best_of({launch_with({400, 300, 200, 100}, 450, 400)});
  ASSERT_TRUE(best);
  EXPECT_EQ(best.list.size(), 3U);
  EXPECT_EQ(best.nanoseconds, 1000U);
  EXPECT_EQ(best.nanoseconds_after, 400U) << "not the sum of their savings";
}

TEST(BestChanges, OfSeveralLaunchesAddUp) {
  std::vector<added_launches> launches{launch_with({400, 300}, 450, 0), launch_with({350}, 0, 0)};
  launches[1].all.count = 2;
  const best_changes best = best_of(launches);
  ASSERT_EQ(best.list.size(), 3U);
  EXPECT_EQ(best.list[0].launch, &launches[1].all) << "it is launched twice";
  EXPECT_EQ(best.nanoseconds, 3000U);
  EXPECT_EQ(best.nanoseconds_after, 450U + 2 * 650U);
}

TEST(BestChanges, AreNotKnownWithoutAReplay) {
  EXPECT_FALSE(best_of({launch_with({400, 300}, 0, 0)})) << "a report of an earlier version";
  EXPECT_FALSE(best_of({launch_with({400}, 0, 0)})) << "a single change needs no sum";
  added_launches untimed = launch_with({}, 0, 0);
  untimed.all.time = {};
  EXPECT_FALSE(best_of({launch_with({400, 300}, 450, 0), untimed}));
}

}  // namespace
}  // namespace bankwise::findings
