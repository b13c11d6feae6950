// Tests XOR swizzles, and tiles with a swizzle.
#include "bankwise/swizzle.hpp"

#include <gtest/gtest.h>

#include "bankwise/layout.hpp"
#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

TEST(Swizzle, OfTmaPermutesChunksWithinEightRows) {
  constexpr swizzle s{3, 4, 3};
  static_assert(is_bijective(s) && s(0) == 0 && s(128) == 144 && s(128 * 8) == 128 * 8);
  bool taken[1024] = {};
  for (u32 offset = 0; offset < 1024; ++offset) {
    EXPECT_EQ(s(s(offset)), offset);
    EXPECT_EQ(s(offset) / 128, offset / 128);
    EXPECT_EQ(s(offset) % 16, offset % 16);
    EXPECT_FALSE(taken[s(offset)]);
    taken[s(offset)] = true;
  }
}

TEST(Swizzle, ThatMovesTwoElementsToOnePlaceIsNone) {
  EXPECT_FALSE(is_bijective({3, 4, 2}));
  EXPECT_TRUE(is_bijective({0, 0, 0}));
  EXPECT_FALSE(is_bijective({16, 1, 16}));
}

TEST(Swizzle, OfATileIsAppliedToTheByte) {
  constexpr tile_layout padded{4, 33 * 4}, swizzled{4, 128, {5, 2, 5}};
  static_assert(padded(1, 2) == 140);
  EXPECT_EQ(swizzled(1, 0), 128u + 4);
  EXPECT_EQ(wavefronts(make_access(ld(4), [&](u32 t) { return swizzled(t, 0); })), 1u);
}

}  // namespace
}  // namespace bankwise
