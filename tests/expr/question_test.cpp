// Questions in the words of the command line: the access that they mean.
#include "expr/question.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// The example of the header.
TEST(Question, AnElementOfAPaddedArray) {
  flag_values flags;
  flags.values["array"] = {"float tile[32][32]"};
  flags.values["pad"] = {"128:4"};
  const auto q = read_question(flags, "tile[t][0]");
  ASSERT_TRUE(q) << to_text(q.error());
  EXPECT_EQ(q->op.spelling, "ld.b32");
  EXPECT_EQ(q->what.mask, full_mask);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) EXPECT_EQ(q->what.address[lane], lane * 132);
  EXPECT_EQ(q->title, "tile[t][0], padded 128:4");
}

TEST(Question, LanesAreThoseOfTheBlockTheMaskAndTheCondition) {
  flag_values flags;
  flags.values["block"] = {"40"};
  flags.values["warp"] = {"1"};
  EXPECT_EQ(read_question(flags, "t * 4")->what.mask, 0xffu);
  flags.values["mask"] = {"0x3c"};
  flags.values["where"] = {"t % 2 == 0"};
  EXPECT_EQ(read_question(flags, "t * 4")->what.mask, 0x14u);
  flags.values["warp"] = {"2"};
  EXPECT_EQ(read_question(flags, "t * 4").error().flag, "warp");
}

TEST(Question, AWidthIsSaidOnceOrTheSameTwice) {
  EXPECT_EQ(read_question({{{"type", {"float4"}}}}, "t")->what.op, ld(16));
  EXPECT_EQ(read_question({{{"type", {"float4"}}}}, "t")->what.address[1], 16u);
  EXPECT_EQ(read_question({{{"op", {"st.b64"}}}}, "t * 8")->what.op, st(8));
  EXPECT_TRUE(read_question({{{"op", {"st.b64"}}, {"width", {"8"}}}}, "t * 8"));
  EXPECT_EQ(read_question({{{"op", {"st.b64"}}, {"width", {"4"}}}}, "t * 8").error().flag, "width");
  EXPECT_EQ(read_question({{{"width", {"8"}}}}, "t * 4").error().flag, "expr");  // lane 1 is not aligned
}

TEST(Question, ACopyMaySayWhereItComesFrom) {
  const auto from = read_question({{{"op", {"cp.async.ca.4"}}, {"source", {"t * 128"}}}}, "t * 4");
  ASSERT_TRUE(from) << to_text(from.error());
  EXPECT_TRUE(from->has_source);
  EXPECT_EQ(from->from.address[31], 31u * 128);
  const auto fills = read_question({{{"op", {"cp.async.cg"}}, {"zfill", {""}}}}, "t * 16");
  ASSERT_TRUE(fills) << to_text(fills.error());
  EXPECT_TRUE(fills->from.may_fill);
  EXPECT_EQ(read_question({{{"source", {"t * 128"}}}}, "t * 4").error().flag, "source");
}

TEST(Question, AListOfAddressesNamesItsLanes) {
  const auto q = read_question({}, "0, 128, -, 384");
  ASSERT_TRUE(q) << to_text(q.error());
  EXPECT_EQ(q->what.mask, 0b1011u);
  EXPECT_EQ(q->title, "4 addresses of the list");
  EXPECT_EQ(read_question({}, "12", "FILE")->title, "1 address of FILE");
  EXPECT_EQ(read_question({}, "3", "FILE").error().hint, "the hardware faults here; the list is of byte addresses");
}

}  // namespace
}  // namespace bankwise
