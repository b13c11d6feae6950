// Tests how values are put into sentences: text, characters, integers of each size.
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

// Compares the implementation for WebAssembly with fmt: the results must be equal.
#define join join_in_page
#include "wasm/format.cpp"
#undef join

namespace bankwise {
namespace {

template <class... Values>
void expect_equal(std::type_identity_t<format_detail::pattern<Values...>> pattern, const Values&... values) {
  const format_detail::value list[] = {values...};
  EXPECT_EQ(format_detail::join_in_page(pattern.text, list, sizeof...(Values)),
            format_detail::join(pattern.text, list, sizeof...(Values)))
      << pattern.text;
}

TEST(Format, PutsTextIntoItsPlaces) {
  const std::string name = "tile";
  const std::string_view part = std::string_view("pitch=33").substr(0, 5);
  const char* word = "bytes";
  EXPECT_EQ(formatted("array '{}', {}{} {}", name, part, ':', word), "array 'tile', pitch: bytes");
  EXPECT_EQ(formatted("nothing"), "nothing");
  EXPECT_EQ(formatted("{{}}"), "{}");
  EXPECT_EQ(formatted("{}", std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Format, WritesIntegersOfEachSize) {
  EXPECT_EQ(formatted("{} {}", std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::int64_t>::min()),
            "18446744073709551615 -9223372036854775808");
  // A byte is formatted as a number, but a character is not.
  EXPECT_EQ(formatted("{} {} {}", std::uint8_t{65}, std::int8_t{-1}, 'A'), "65 -1 A");
  EXPECT_EQ(formatted("{:#x} {:04x} {:>5}|", 64u, 10, 7), "0x40 000a     7|");
  EXPECT_EQ(formatted("{:<6}|{:>6}|", "ab", std::string("cd")), "ab    |    cd|");
}

// Braces in a value are text, not a pattern.
TEST(Format, DoesNotReadBracesOfValues) { EXPECT_EQ(formatted("{}", "{} {:x}"), "{} {:x}"); }

TEST(Format, IsEqualInThePage) {
  const std::string name = "tile";
  expect_equal("{{{}}}: {}{}", name, 'c', "");
  expect_equal("{:>8}|{:<8}|{:^7}|{:8}", name, name, name, name);
  expect_equal("{:>8}|{:<8}|{:^7}|{:8}", 12, 345u, 6, -7);
  expect_equal("{:04} {:04x} {:06} {:x} {:#x} {:#08x}", 7, 171u, -12, 0u, 255u, 255u);
  expect_equal("{} {}", std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::int64_t>::min());
  expect_equal("{:>3}|{:<3}|{:2}", 'a', 'b', "longer");
}

}  // namespace
}  // namespace bankwise
