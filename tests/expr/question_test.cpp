// Tests questions in the form of the command line, and the accesses of these questions.
#include "expr/question.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// Tests the example in question.hpp.
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
  EXPECT_EQ(read_question({{{"width", {"8"}}}}, "t * 4").error().flag, "expr");  // the address in lane 1 is not aligned
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
  EXPECT_EQ(read_question({}, "3", "FILE").error().hint,
            "the hardware faults on a misaligned address. The list must contain byte addresses");
}

TEST(Question, SaysWhatItCounts) {
  EXPECT_EQ(read_question({}, "t * 32")->unit, "bytes");
  EXPECT_EQ(read_question({{{"type", {"float"}}}}, "t")->unit, "elements of float, 4 bytes each");
  EXPECT_EQ(read_question({{{"array", {"float s[32]"}}}}, "s[t]")->unit, "");
  EXPECT_EQ(read_question({}, "0,4,8")->unit, "");
}

TEST(Question, OfABlockIsAnsweredForAllItsWarps) {
  flag_values flags{{{"block", {"32,4"}}, {"array", {"float s[32][36]"}}}};
  const auto q = read_question(flags, "s[tx][ty * (ty / 2) * 4]");
  ASSERT_TRUE(q) << to_text(q.error());
  ASSERT_EQ(q->warps.size(), 4u);
  EXPECT_EQ(q->warps[0].wavefronts, 4u);
  EXPECT_EQ(read_question({{{"block", {"64"}}, {"type", {"float"}}}}, "tid < 32 ? t : t * 8")->warps[1].wavefronts, 8u);
  flags.values["warp"] = {"1"};
  EXPECT_TRUE(read_question(flags, "s[tx][ty]")->warps.empty());
  EXPECT_TRUE(read_question({}, "t * 4")->warps.empty());
}

// The expected counts come from kernels that nvcc compiled and bankwise executed.
TEST(Question, OfAnAtomicFunctionIsAnsweredForTheInstructionThatItBecomes) {
  const auto of = [](const char* array, const char* line) { return read_question({{{"array", {array}}}}, line); };
  const auto real = of("float s[32]", "atomicAdd(&s[t % 4], 1.0f);");
  ASSERT_TRUE(real && real->loop);
  EXPECT_EQ(real->loop->wavefronts, 24u);
  EXPECT_EQ(real->loop->rounds, 8u);
  for (const char* array : {"double s[32]", "half2 s[32]", "unsigned long long s[32]"})
    EXPECT_TRUE(of(array, "atomicAdd(&s[t % 4], v);")->loop) << array;
  EXPECT_EQ(of("int s[32]", "atomicAdd(&s[t % 4], 1);")->op.spelling, "popc.inc.b32");
  for (const char* line : {"atomicAdd(&s[t % 4], 2);", "atomicAdd(&s[t % 4], -1);", "old = atomicAdd(&s[t % 4], 1);",
                           "atomicAdd(&s[t % 4], v);"})
    EXPECT_EQ(of("int s[32]", line)->op.spelling, "atom.add.b32") << line;
  EXPECT_EQ(of("float s[32]", "atomicExch(&s[t], v);")->op.spelling, "atom.exch.b32");
  // Uses different names of atomics and different architectures. atomic_choice_test compares the choice with nvcc's.
  EXPECT_EQ(of("int s[32]", "atomicSub(&s[t % 4], -1);")->op.spelling, "popc.inc.b32");
  EXPECT_EQ(of("unsigned s[32]", "atomicInc(&s[t % 4], 0xffffffff);")->op.spelling, "popc.inc.b32");
  EXPECT_EQ(of("unsigned s[32]", "atomicInc(&s[t % 4], 31);")->op.spelling, "atom.inc.b32");
  const auto on = [](const char* arch, const char* array, const char* line) {
    return read_question({{{"arch", {arch}}, {"array", {array}}}}, line);
  };
  EXPECT_EQ(on("sm_75", "int s[32]", "atomicAdd(&s[t % 4], 1);")->op.spelling, "atom.add.b32");
  EXPECT_TRUE(on("sm_75", "int s[32]", "atomicAdd(&s[t % 4], v);")->alternatives.empty());
  EXPECT_EQ(on("sm_100", "unsigned long long s[32]", "atomicOr(&s[t], -1);")->op.spelling, "atom.exch.b64");
  EXPECT_TRUE(on("sm_100", "long long s[32]", "atomicMax(&s[t], -1);")->loop);
  const auto halves = on("sm_80", "nv_bfloat162 s[32]", "atomicAdd(&s[t % 4], v);");
  EXPECT_EQ(halves->op.spelling, "atom.cas.b32");
  EXPECT_EQ(halves->loop->rounds, 8u);
  // The question has neither a type nor an operand, so the answer reports both possible costs.
  const auto open = read_question({{{"op", {"atom.add"}}}}, "t % 4 * 4");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->op.spelling, "atom.add.b32");
  ASSERT_EQ(open->alternatives.size(), 2u);
  EXPECT_EQ(open->alternatives[0].wavefronts, 1u);
  EXPECT_EQ(open->alternatives[1].wavefronts, 24u);
}

TEST(Question, OfAMisalignedElementSaysWhatToIndex) {
  const auto hint = [](const char* array, const char* width, const char* text) {
    const auto q = read_question({{{"array", {array}}, {"width", {width}}}}, text);
    EXPECT_FALSE(q) << text;
    return q ? std::string() : q.error().hint;
  };
  EXPECT_NE(hint("half s[64]", "16", "s[t]").find("s[8 * t]"), std::string::npos);
  EXPECT_NE(hint("float s[32][33]", "16", "s[t][0]").find("rows of s have 132 bytes"), std::string::npos);
  EXPECT_EQ(hint("float s[64]", "8", "s[t]").find("EXPR is in bytes"), std::string::npos);
  EXPECT_NE(read_question({{{"width", {"8"}}}}, "t").error().hint.find("EXPR is in bytes"), std::string::npos);
}

TEST(Question, OfWavesOf64LanesHasAllOfThem) {
  flag_values flags{{{"arch", {"gfx942"}}, {"mask", {"0xffffffff00000000"}}}};
  EXPECT_EQ(read_question(flags, "t * 4")->what.address[1], 33u * 4);
  std::string list = "0";
  for (int i = 1; i < 64; ++i) list += "," + std::to_string(4 * i);
  EXPECT_EQ(read_question({{{"arch", {"gfx942"}}}}, list)->wave, 2u);
  EXPECT_EQ(read_question({{{"arch", {"64x4"}}, {"phases", {"64,32,16"}}}}, list)->wave, 1u);
  EXPECT_FALSE(read_question({{{"arch", {"sm_90"}}}}, list));
  EXPECT_FALSE(read_question({{{"mask", {"0xffffffff00000000"}}}}, "t * 4"));
}

}  // namespace
}  // namespace bankwise
