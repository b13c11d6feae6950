// Tests that equal launches of a program are merged, even if the program has the largest permitted number of launches.
#include "model/fold.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

launch_report launch_of(std::uint32_t blocks, std::uint64_t instructions) {
  launch_report l;
  l.mangled = "_Z4gemmv";
  l.grid = {blocks, 1, 1};
  l.block = {32, 1, 1};
  l.sum.warp_instructions = instructions;
  l.sites.resize(1);
  return l;
}

TEST(Fold, EqualLaunchesAreOne) {
  report r;
  launch_finder known;
  EXPECT_EQ(known.add_launch(r, launch_of(1, 10)), 0u);
  EXPECT_EQ(known.add_launch(r, launch_of(2, 10)), 1u);
  EXPECT_EQ(known.add_launch(r, launch_of(1, 10)), 0u);
  EXPECT_EQ(known.add_launch(r, launch_of(1, 11)), 2u);
  // The two launches have the same hash, but differ.
  launch_report other = launch_of(1, 10);
  other.sites[0].executed = 7;
  EXPECT_FALSE(known.find(r, other));
  EXPECT_EQ(known.add_launch(r, other), 3u);
  EXPECT_EQ(r.launches[0].count, 2u);
  EXPECT_EQ(r.launches.size(), 4u);
  EXPECT_EQ(known.find(r, other), 3u);
}

TEST(Fold, FindsOneOfSixtyThousand) {
  report r;
  launch_finder known;
  for (std::uint32_t n = 1; n <= most_launches; ++n) known.add_launch(r, launch_of(n, n));
  for (std::uint32_t n = 1; n <= most_launches; ++n) EXPECT_EQ(known.add_launch(r, launch_of(n, n)), n - 1);
  EXPECT_EQ(r.launches.size(), most_launches);
}

}  // namespace
}  // namespace bankwise
