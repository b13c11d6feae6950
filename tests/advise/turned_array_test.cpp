// Tests which arrays can be transposed when they are stored. Also tests the new position of every element, and the
// cost.
#include "advise/turned_array.hpp"

#include <gtest/gtest.h>

#include "advise/search/evaluator.hpp"

namespace bankwise::advise {
namespace {

// float tile[64][8]: 64 threads store the rows, and each thread loads 8 elements of a column.
struct tile {
  problem p;

  tile() {
    p.on = *parse_machine("sm_90");
    p.bytes = 64 * 8 * 4;
    p.pitch_bytes = 32;
    p.element_bytes = 4;
    p.groups = {{"store", {st(4), "st.b32"}}, {"load", {ld(4), "ld.b32"}}};
    for (u32 n = 0; n < 16; ++n) add(0, n, st(4), [&](u32 lane) { return 4 * (32 * n + lane); });
    for (u32 i = 0; i < 8; ++i)
      for (u32 warp = 0; warp < 2; ++warp)
        add(1, 16 + i, ld(4), [&](u32 lane) {
          const u32 t = 32 * warp + lane;
          return 32 * (t / 8 * 8 + i) + t % 8 * 4;
        });
  }
  template <class Address>
  void add(u32 group, u32 instruction, operation op, Address address) {
    weighted_access w{{op, full_mask, {}}, 10, group, instruction, 0};
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) w.what.address[lane] = address(lane);
    p.accesses.push_back(w);
  }
};

TEST(TurnedArray, AColumnOfAThreadBecomesWideLoads) {
  const tile of;
  const auto t = turn(of.p);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->rows, 64u);
  EXPECT_EQ(t->columns, 8u);
  EXPECT_EQ(t->before.spelling, "ld.b32");
  EXPECT_EQ(t->after.spelling, "ld.b128");
  EXPECT_EQ(t->instructions_before, 8u);
  EXPECT_EQ(t->instructions_after, 2u);
  EXPECT_EQ(t->executed_before, 320u);
  EXPECT_EQ(t->executed_after, 200u);
  // The transposed array has 8 rows of 64 columns of 4 bytes. A load takes four phases, and a store writes 8 words in
  // each of 4 banks.
  EXPECT_EQ(t->best.kind, family::row_padding);
  EXPECT_EQ(t->best.layout.gap % 16, 0u);  // the loads stay aligned
  EXPECT_EQ(t->best.wavefronts, 16u * 10 + 4u * 4 * 10);
  EXPECT_TRUE(is_better(*t, advise(of.p)));
}

// Every access reads or writes the same elements as before. In the transposed array, each element is at column * 64 +
// row.
TEST(TurnedArray, EveryElementGoesToItsColumn) {
  const tile of;
  const auto t = turn(of.p);
  ASSERT_TRUE(t);
  const auto turned = [](u32 offset) { return offset / 4 % 8 * 256 + offset / 32 * 4; };
  std::size_t stores = 0;
  for (const weighted_access& now : t->what.accesses) {
    if (now.group != 0) continue;
    const weighted_access& was = of.p.accesses[stores++];
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) EXPECT_EQ(now.what.address[lane], turned(was.what.address[lane]));
  }
  EXPECT_EQ(stores, 16u);
  for (const weighted_access& now : t->what.accesses) {
    if (now.group != 1) continue;
    EXPECT_EQ(now.what.op.width_bytes, 16);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) EXPECT_EQ(now.what.address[lane] % 16, 0u);
  }
}

// The length of a row is only known from the distance between the loads of a thread.
TEST(TurnedArray, RowsShow) {
  tile of;
  of.p.pitch_bytes = 0;
  const auto t = turn(of.p);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->columns, 8u);
}

// A store of 16 bytes along a row becomes four stores.
TEST(TurnedArray, WideStoresAreCut) {
  tile of;
  std::erase_if(of.p.accesses, [](const weighted_access& w) { return w.group == 0; });
  of.p.groups[0].op = {st(16), "st.b128"};
  for (u32 n = 0; n < 4; ++n) of.add(0, n, st(16), [&](u32 lane) { return 16 * (32 * n + lane); });
  const auto t = turn(of.p);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->what.groups[0].op.spelling, "st.b32");
  EXPECT_EQ(t->executed_before, 40u + 160);
  EXPECT_EQ(t->executed_after, 160u + 40);
  of.p.pitch_bytes = 0;  // if the length of a row is unknown, the number of rows may also be unknown
  EXPECT_FALSE(turn(of.p));
}

TEST(TurnedArray, NotWhatDependsOnDataOrMovesOtherwise) {
  tile by_data;
  by_data.p.of_data.push_back(by_data.p.accesses.front());
  EXPECT_FALSE(turn(by_data.p));
  tile matrices;
  matrices.p.groups.push_back({"matrix", {ldmatrix(4), "ldmatrix.x4"}});
  matrices.add(2, 40, ldmatrix(4), [](u32 lane) { return 32 * lane; });
  EXPECT_FALSE(turn(matrices.p));
  tile odd;  // this element crosses the end of a row of 32 bytes
  odd.p.groups.push_back({"odd", {ld(8), "ld.b64"}});
  odd.add(2, 40, ld(8), [](u32 lane) { return 32 * lane + 28; });
  EXPECT_FALSE(turn(odd.p));
  tile rows;  // the loads of a thread are already adjacent
  std::erase_if(rows.p.accesses, [](const weighted_access& w) { return w.group == 1; });
  for (u32 i = 0; i < 8; ++i) rows.add(1, 16 + i, ld(4), [&](u32 lane) { return 32 * lane + 4 * i; });
  EXPECT_FALSE(turn(rows.p));
}

}  // namespace
}  // namespace bankwise::advise
