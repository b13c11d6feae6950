// Tests which lanes are served together, and which loads merge phases.
#include "bankwise/phases.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bankwise {
namespace {

// The pictures in phases.hpp.
static_assert(phase_lanes(make_access(ld(4), [](u32) { return 0u; }), maxwell_model()) == 32);
static_assert(phase_lanes(make_access(ld(8), [](u32) { return 0u; }), maxwell_model()) == 16);
static_assert(phase_lanes(make_access(ld(16), [](u32) { return 0u; }), maxwell_model()) == 8);
static_assert(phase_lanes(make_access(ldmatrix(4), [](u32) { return 0u; }), maxwell_model()) == 8);
static_assert(phase_lanes(make_access(ld(4), [](u32) { return 0u; }), tesla_model()) == 16);
static_assert(merge_of(make_access(ld(8), [](u32 t) { return t / 2 * 16; })) == merge::partner_1);
static_assert(merge_of(make_access(ld(8), [](u32 t) { return t / 4 * 32 + t % 2 * 16; })) == merge::partner_2);
static_assert(merge_of(make_access(ld(8), [](u32 t) { return t * 16; })) == merge::none);

TEST(Phases, MergeOnTheWholeWarpOrNotAtAll) {
  for (u32 odd = 0; odd < lanes_per_warp; ++odd) {
    access a = make_access(ld(16), [](u32 t) { return t / 4 * 64; });
    EXPECT_EQ(merge_of(a), merge::partner_1);
    a.address[odd] += 1024;
    EXPECT_EQ(merge_of(a), merge::none) << odd;
    a.mask &= ~(1u << odd);
    EXPECT_EQ(merge_of(a), merge::partner_1) << odd;
  }
}

TEST(Phases, OfAnythingButWideLoadsNeverMerge) {
  for (const operation op : {ld(4), st(16), ld_generic(16), ldmatrix(4), cp_async(16), atom(8)})
    EXPECT_EQ(merge_of(make_access(op, [](u32) { return 0u; })), merge::none);
  EXPECT_EQ(merge_of(make_access(ld(16), [](u32) { return 0u; }), fermi_model()), merge::none);
}

TEST(Phases, AreVisitedOnceEach) {
  const auto lanes_of = [](const access& a, merge merged) {
    std::vector<u32> masks;
    detail::each_phase(a, maxwell_model(), merged, [&](u32 index, u32 lanes) {
      EXPECT_EQ(index, masks.size());
      masks.push_back(lanes);
    });
    return masks;
  };
  const access wide = make_access(
      ld(16), [](u32 t) { return t * 16; }, 0xff00ffffu);  // a phase without lanes is not counted
  EXPECT_EQ(lanes_of(wide, merge::none), (std::vector<u32>{0x000000ff, 0x0000ff00, 0xff000000}));
  EXPECT_EQ(lanes_of(wide, merge::partner_1), (std::vector<u32>{0x0000ffff, 0xff000000}));
  EXPECT_EQ(lanes_of(make_access(ldmatrix(2), [](u32 t) { return t * 16; }), merge::none),
            (std::vector<u32>{0x000000ff, 0x0000ff00}));
}

}  // namespace
}  // namespace bankwise
