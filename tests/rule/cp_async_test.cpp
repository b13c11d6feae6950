// Tests copies from global to shared memory. The cost depends on the addresses of the source and of the destination.
#include "bankwise/cp_async.hpp"

#include <gtest/gtest.h>

#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

copy_source from_every(u32 bytes) {
  copy_source s{};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) s.address[lane] = lane * bytes;
  return s;
}

// Tests the example in cp_async.hpp.
TEST(CpAsync, LanesWaitForThoseThatShareABankOfEitherEnd) {
  const access to = make_access(cp_async(4), [](u32 t) { return t * 4; });
  EXPECT_EQ(wavefronts(to), 1u);
  EXPECT_EQ(analyze(to, from_every(4)).wavefronts, 1u);
  EXPECT_EQ(analyze(to, from_every(128)).wavefronts, 32u);
  EXPECT_EQ(source_floor(to, from_every(128)), 32u);
  const explanation e = explain(to, from_every(128));
  for (u32 i = 0; i < e.wants; ++i) EXPECT_EQ(e.want_at[i].turn, i);
  EXPECT_EQ(removable(e), 0u);  // no layout of shared memory helps
}

TEST(CpAsync, WithoutASourceItIsContiguous) {
  const access cg = make_access(cp_async_cg(), [](u32 t) { return t * 16; });
  EXPECT_EQ(analyze(cg).wavefronts, analyze(cg, contiguous_source()).wavefronts);
  EXPECT_EQ(analyze(cg).wavefronts, 4u);
}

TEST(CpAsync, LanesThatFillGoTheOtherWayToo) {
  const access cg = make_access(cp_async_cg(), [](u32 t) { return t * 16; });
  copy_source half = contiguous_source();
  half.reads = 0x0000ffff;
  EXPECT_TRUE(fills(cg, half));
  EXPECT_FALSE(fills(cg, contiguous_source()));
  EXPECT_EQ(analyze(cg, half).wavefronts,
            2u + analyze(make_access(cp_async(16), [](u32 t) { return t * 16; })).wavefronts);
}

TEST(CpAsync, OthersHaveNoSource) {
  const access load = make_access(ld(4), [](u32 t) { return t * 8; });
  EXPECT_EQ(source_floor(load, from_every(128)), 0u);
  EXPECT_EQ(analyze(load, from_every(128)).wavefronts, analyze(load).wavefronts);
}

}  // namespace
}  // namespace bankwise
