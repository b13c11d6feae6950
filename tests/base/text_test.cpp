// Tests numbers in text, the search for similar names, and the width of text in a terminal.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bankwise {
namespace {

TEST(Text, EnumeratesWords) {
  EXPECT_EQ(enumerated({}), "");
  EXPECT_EQ(enumerated({"a"}), "a");
  EXPECT_EQ(enumerated({"a", "b"}), "a and b");
  EXPECT_EQ(enumerated({"a", "b", "c"}), "a, b and c");
}

TEST(Text, NumbersAreWholeTexts) {
  EXPECT_EQ(parse_u64("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_u64("0x10"), 16u);
  EXPECT_EQ(parse_u64("0b101"), 5u);
  for (const char* text : {"", "18446744073709551616", "1 ", " 1", "-1", "0x", "1k", "0b2"})
    EXPECT_EQ(parse_u64(text), std::nullopt) << text;
  EXPECT_EQ(parse_i64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_i64("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_size("48K"), 48u << 10);
  EXPECT_EQ(parse_size("17179869184G"), std::nullopt);  // 2^64
}

TEST(Text, LanesInAMask) {
  EXPECT_EQ(lane_list(0xff00), "8-15");
  EXPECT_EQ(lane_list(0x15), "0, 2, 4");
  EXPECT_EQ(lane_list(0x3), "0, 1");
  EXPECT_EQ(lane_list(0xffffffff), "0-31");
  EXPECT_EQ(lane_list(0), "");
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(123), "123");
  EXPECT_EQ(count_of(1, "launch", "launches"), "1 launch");
  EXPECT_EQ(count_of(1234, "line"), "1,234 lines");
  EXPECT_EQ(fixed(0.125, 2), "0.12");
  EXPECT_EQ(hex(0xab, 4), "00ab");
}

TEST(Text, PartsAndEnds) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(base_name("a/b.cu"), "b.cu");
  EXPECT_EQ(indented("a\nb", "  "), "  a\n  b\n");
}

TEST(Text, CharactersAreNotBytes) {
  EXPECT_EQ(display_width("\xc3\xa4"
                          "b"),
            2u);
  EXPECT_EQ(pad_left("\xc3\xa4", 3), "  \xc3\xa4");
  EXPECT_EQ(character_at("a\xc3\xa4", 1), "\xc3\xa4");
}

TEST(Text, NearNamesComeFirst) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(nearest("lame", {"name", "lane", "t"}, 1), std::vector<std::string>{"name"});
  EXPECT_EQ(nearest("tr_pad", {"void tr_pad<0>(float*)", "other"}, 3),
            std::vector<std::string>{"void tr_pad<0>(float*)"});
  EXPECT_TRUE(nearest("zzzzzz", {"abc"}, 3).empty());
  EXPECT_TRUE(nearest("N", {"t"}, 1).empty()) << "the two names have no letter in common";
  EXPECT_TRUE(nearest("k", {"blockDim.x"}, 1).empty());
}

}  // namespace
}  // namespace bankwise
