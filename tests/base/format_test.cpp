// Formatting sentences with values: text, characters, integers of each size.
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace bankwise {
namespace {

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

// A value is text, not a pattern.
TEST(Format, DoesNotReadBracesOfValues) { EXPECT_EQ(formatted("{}", "{} {:x}"), "{} {:x}"); }

}  // namespace
}  // namespace bankwise
