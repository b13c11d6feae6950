// Tests how values of flags are read, and which values are refused.
#include "base/flag_values.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

const flag_values flags{{{"grid", {"1", "8x4"}}, {"n", {"12"}}, {"bad", {"-1"}}, {"color", {"red"}}}};

TEST(FlagValues, TheLastOneCounts) {
  EXPECT_EQ(flags.value("grid"), "8x4");
  EXPECT_EQ(flags.all("grid").size(), 2u);
  EXPECT_EQ(flags.value("block"), std::nullopt);
  EXPECT_TRUE(flags.all("block").empty());
}

TEST(FlagValues, Numbers) {
  EXPECT_EQ(*number(flags, "n", 3, 1, 32), 12u);
  EXPECT_EQ(*number(flags, "m", 3, 1, 32), 3u);
  for (const auto& n : {number(flags, "n", 3, 13, 32), number(flags, "n", 3, 1, 11), number(flags, "bad", 3, 0, 32)}) {
    ASSERT_FALSE(n);
    EXPECT_NE(n.error().flag, "");
  }
}

TEST(FlagValues, Triples) {
  EXPECT_EQ(*triple(flags, "grid", {1, 1, 1}), (std::array<std::uint32_t, 3>{8, 4, 1}));
  EXPECT_EQ(*triple({{{"grid", {"2,3,4"}}}}, "grid", {1, 1, 1}), (std::array<std::uint32_t, 3>{2, 3, 4}));
  EXPECT_EQ(*triple(flags, "block", {32, 1, 1}), (std::array<std::uint32_t, 3>{32, 1, 1}));
  for (const char* text : {"", "1,2,3,4", "1,,2", "a", "99999999999"})
    EXPECT_EQ(triple({{{"grid", {text}}}}, "grid", {1, 1, 1}).error().flag, "grid") << text;
}

TEST(FlagValues, Choices) {
  EXPECT_EQ(*choice(flags, "color", "blue", {"blue", "red"}), "red");
  EXPECT_EQ(*choice(flags, "colour", "blue", {"blue", "red"}), "blue");
  EXPECT_EQ(choice(flags, "color", "blue", {"blue"}).error().flag, "color");
}

TEST(FlagValues, AnErrorKeepsTheFlagThatItNames) {
  EXPECT_EQ(about("pad", {"wrong"}).flag, "pad");
  diagnostic named{"wrong"};
  named.flag = "mask";
  EXPECT_EQ(about("pad", named).flag, "mask");
}

}  // namespace
}  // namespace bankwise
