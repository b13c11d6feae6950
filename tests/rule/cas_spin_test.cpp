// Tests atomics that compilers write as loops: which lanes are served in a round, and which lanes retry.
#include "bankwise/cas_spin.hpp"

#include <gtest/gtest.h>

#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

// Tests the example in cas_spin.hpp.
TEST(CasSpin, TheLowestLaneOfEachBankIsServed) {
  const u32 word[] = {0, 32, 1, 1};
  const access a = make_access(
      cas_spin(4), [&](u32 t) { return t < 4 ? word[t] * 4 : 0; }, 0xf);
  EXPECT_EQ(lanes_served(a), 0b0101u);
  EXPECT_EQ(wavefronts(a), wavefronts(make_access(
                               cas(4), [&](u32 t) { return t < 4 ? word[t] * 4 : 0; }, 0b0101)));
}

// The number of rounds equals the largest number of lanes that access one bank.
TEST(CasSpin, RoundsEnd) {
  access a = make_access(cas_spin(4), [](u32 t) { return t % 4 * 4 + t / 16 * 128; });
  u32 rounds = 0;
  for (; a.mask != 0; ++rounds) a.mask &= ~lanes_served(a);
  EXPECT_EQ(rounds, 8u);
}

TEST(CasSpin, OthersAreAllServed) {
  EXPECT_EQ(lanes_served(make_access(cas(4), [](u32) { return 0u; })), full_mask);
  EXPECT_EQ(lanes_served(make_access(ldmatrix(1), [](u32 t) { return t * 16; })), 0xffu);
}

}  // namespace
}  // namespace bankwise
