// Tests how the intended shape of an array is found. Existing padding is found, and gaps that only look like padding
// are kept.
#include "advise/meant_shape.hpp"

#include <gtest/gtest.h>

#include "advise/advice.hpp"
#include "advise/search/evaluator.hpp"

namespace bankwise::advise {
namespace {

problem words(std::uint64_t count, u32 pitch_words) {
  problem p;
  p.on = *parse_machine("sm_90");
  p.bytes = count * 4;
  p.pitch_bytes = pitch_words * 4;
  p.element_bytes = 4;
  return p;
}

template <class Word>
void add(problem& p, const char* op, const Word& word) {
  const named_operation o = *parse_operation(op);
  p.groups.push_back({op, o});
  p.accesses.push_back(
      {make_access(o.op, [&](u32 t) { return word(t) * 4; }), 1, static_cast<u32>(p.groups.size() - 1)});
}

// NVIDIA's transpose with tiles of 16 x 16. A warp covers two rows. With one unused word after each row, the last word
// of a row shares a bank with the first word of the next row.
problem transpose16() {
  problem p = words(16 * 17, 17);
  for (u32 warp = 0; warp < 8; ++warp) {
    add(p, "st.b32", [&](u32 t) { return (2 * warp + t / 16) * 17 + t % 16; });
    add(p, "ld.b32", [&](u32 t) { return t % 16 * 17 + 2 * warp + t / 16; });
  }
  return p;
}

TEST(MeantShape, DeclaredColumnsThatNobodyUsesArePadding) {
  problem p = transpose16();
  expr::array_decl tile{"tile", "float", 4, {16, 17}};
  const std::uint64_t before = evaluator(p).wavefronts({});
  take_padding_out(p, tile);
  EXPECT_EQ(tile.extents, (std::vector<std::uint64_t>{16, 16}));
  EXPECT_EQ(p.bytes, 16u * 16 * 4);
  EXPECT_EQ(p.pitch_bytes, 64u);
  EXPECT_EQ(p.as_it_is, (relayout{.every = 64, .gap = 4}));
  EXPECT_EQ(evaluator(p).wavefronts(p.as_it_is), before);  // every element keeps its position
}

TEST(MeantShape, TheTransposeOfSixteenTakesColumnXorRow) {
  problem p = transpose16();
  expr::array_decl tile{"tile", "float", 4, {16, 17}};
  take_padding_out(p, tile);
  const advice a = advise(p);
  EXPECT_EQ(a.before.wavefronts, 32u);
  EXPECT_EQ(a.before.bytes, 16u * 17 * 4);
  ASSERT_FALSE(a.answers.empty());
  EXPECT_EQ(a.answers[0].kind, family::swizzle);
  ASSERT_TRUE(a.answers[0].permute.has_value());
  EXPECT_EQ(a.answers[0].permute->bits, 4u);
  EXPECT_EQ(a.answers[0].permute->base, 2u);
  EXPECT_EQ(a.answers[0].permute->shift, 4u);
  EXPECT_EQ(a.answers[0].wavefronts, 16u);
  EXPECT_EQ(a.answers[0].bytes, 16u * 16 * 4);  // 64 bytes less
}

TEST(MeantShape, GapsTellWhereNothingIsDeclared) {
  problem p = words(4 * 33, 0);
  for (u32 row = 0; row < 4; ++row) add(p, "st.b32", [&](u32 t) { return row * 33 + t; });
  expr::array_decl none;
  take_padding_out(p, none);
  EXPECT_EQ(p.as_it_is, (relayout{.every = 128, .gap = 4}));
  EXPECT_EQ(none.extents, (std::vector<std::uint64_t>{4, 32}));

  problem three = words(3 * 33, 0);  // three rows with a gap may be a coincidence
  for (u32 row = 0; row < 3; ++row) add(three, "st.b32", [&](u32 t) { return row * 33 + t; });
  take_padding_out(three, none);
  EXPECT_EQ(three.as_it_is, relayout{});
}

TEST(MeantShape, OneColumnOfManyIsNoPadding) {
  problem p = words(32 * 32, 32);
  add(p, "ld.b32", [](u32 t) { return t * 32; });
  expr::array_decl tile{"tile", "float", 4, {32, 32}};
  take_padding_out(p, tile);
  EXPECT_EQ(p.as_it_is, relayout{});
  EXPECT_EQ(tile.extents.back(), 32u);
}

TEST(MeantShape, WhatDataLeavesOutIsNoPadding) {
  problem p = transpose16();
  p.of_data.push_back(p.accesses[0]);
  expr::array_decl tile{"tile", "float", 4, {16, 17}};
  take_padding_out(p, tile);
  EXPECT_EQ(p.as_it_is, relayout{});
}

TEST(MeantShape, OddPaddingsStandBehindWhatPeopleWrite) {
  // This kernel uses every second word, as a scan does. The search must not report layouts such as "2 free bytes after
  // every 2" as existing padding.
  problem p = words(512, 0);
  for (u32 stride = 2; stride <= 16; stride *= 2) add(p, "ld.b32", [&](u32 t) { return stride * t; });
  bool odd_seen = false;
  for (const answer& x : advise(p).answers) {
    if (x.kind == family::padding && x.plain) {
      EXPECT_GE(x.layout.every, 8u * 4);
      EXPECT_LE(x.layout.gap * 4, x.layout.every);
    }
    EXPECT_FALSE(x.plain && odd_seen);
    odd_seen |= !x.plain;
  }
}

}  // namespace
}  // namespace bankwise::advise
