// Compares the best simple layout with the best of all layouts.
#include "advise/plain_layout.hpp"

#include <gtest/gtest.h>

#include "expr/question.hpp"
#include "report/text/layout_code.hpp"

namespace bankwise::advise {
namespace {

using flags = std::map<std::string, std::vector<std::string>, std::less<>>;

plain_layout best(const std::string& text, flags f) {
  auto found = find_plain_layout({std::move(f)}, text, "");
  EXPECT_TRUE(found) << to_text(found.error());
  return *found;
}

// Tests the example in plain_layout.hpp.
TEST(PlainLayout, LongerRowsGoFirst) {
  const plain_layout l = best("tile[t][0]", {{"array", {"float tile[32][32]"}}, {"pad", {"128:8"}}});
  EXPECT_EQ(l.best.kind, family::row_padding);
  EXPECT_EQ(l.before, 32u);
  EXPECT_EQ(l.best.wavefronts, 1u);
  EXPECT_EQ(words_of(l.change).pad, "128:4");
  EXPECT_EQ(code_of(l.array, l.what, l.best).edit, "__shared__ float tile[32][32 + 1];  // nothing else changes\n");
}

TEST(PlainLayout, MemoryWithoutRowsIsPaddedBehindRowsOfBanks) {
  const plain_layout l = best("t * 4", {{"type", {"float"}}});
  EXPECT_EQ(l.best.wavefronts, l.floor);
  EXPECT_EQ(words_of(l.change).pad, "128:4");
}

TEST(PlainLayout, WhatIsAtItsFloorStays) {
  const plain_layout atomics = best("0", {{"type", {"int"}}, {"op", {"atom.add"}}});
  EXPECT_EQ(atomics.best.kind, family::as_it_is);
  EXPECT_EQ(atomics.before, 32u);
  EXPECT_EQ(atomics.floor, 32u);
  EXPECT_EQ(atomics.tried, 0u);
}

// The answer contains flags for `explain`. If a flag has a different effect in `explain`, the answer says so.
TEST(PlainLayout, TheFlagsOfAnAnswerGiveItsWavefronts) {
  const std::vector<std::pair<std::string, flags>> asked = {
      {"t * 32", {{"type", {"float"}}}},
      {"t * 2", {{"type", {"double"}}}},
      {"(t % 16) * 64 + (t / 16) * 8", {{"type", {"half"}}, {"op", {"ldmatrix.x4"}}}},
      {"b[t][1]", {{"array", {"float a[5]", "float b[32][32]"}}}},
      {"b[t][0]", {{"array", {"char a[100]", "char b[64][64]"}}, {"op", {"st"}}}},
      {"m[t][4]", {{"array", {"int m[10][10]"}}, {"where", {"t < 10"}}, {"arch", {"10x4"}}}},
      {"(t ^ 5) * 96", {{"type", {"half2"}}, {"op", {"cp.async.ca"}}, {"source", {"t * 8"}}}},
  };
  for (const auto& [text, given] : asked) {
    const plain_layout l = best(text, given);
    if (!l.applies) continue;
    flags with = given;
    if (const layout_words w = words_of(l.change); !w.pad.empty())
      with["pad"] = {w.pad};
    else if (!w.swizzle.empty())
      with["swizzle"] = {w.swizzle + ":bytes"};
    const auto q = read_question({with}, text);
    ASSERT_TRUE(q) << text << ": " << to_text(q.error());
    EXPECT_EQ((q->has_source ? analyze(q->what, q->from, q->on.model) : analyze(q->what, q->on.model)).wavefronts,
              l.best.wavefronts)
        << text;
    EXPECT_GE(l.best.wavefronts, l.floor) << text;
  }
}

TEST(PlainLayout, NeedsALaneAndRoom) {
  EXPECT_FALSE(find_plain_layout({flags{{"where", {"t > 40"}}, {"type", {"float"}}}}, "t", ""));
  EXPECT_FALSE(find_plain_layout({flags{{"type", {"float"}}}}, "t * 100000000", ""));
  EXPECT_FALSE(find_plain_layout({flags{{"type", {"float"}}}}, "t +", ""));
}

}  // namespace
}  // namespace bankwise::advise
