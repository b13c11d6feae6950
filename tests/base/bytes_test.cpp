// Tests reads from untrusted bytes. A read inside the bytes returns the value. A read outside returns zero and sets an
// error.
#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace bankwise {
namespace {

byte_span span_of(const auto& bytes) { return std::as_bytes(std::span(bytes)); }

TEST(Bytes, AreLittleEndianAndReadInOrder) {
  const std::array<std::uint8_t, 15> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  byte_reader r(span_of(bytes));
  EXPECT_EQ(r.u8(), 0x01);
  EXPECT_EQ(r.u16(), 0x0302);
  EXPECT_EQ(r.u32(), 0x07060504u);
  EXPECT_EQ(r.u64(), 0x0f0e0d0c0b0a0908u);
  EXPECT_TRUE(r.at_end());
  EXPECT_FALSE(r.failed());
}

TEST(Bytes, PastTheEndAreZeroAndRemembered) {
  const std::array<std::uint8_t, 3> bytes = {1, 2, 3};
  byte_reader r(span_of(bytes));
  EXPECT_EQ(r.u32(), 0u);
  EXPECT_TRUE(r.failed());
  EXPECT_EQ(r.u8(), 0);  // reads after the error also return 0
  byte_reader taken(span_of(bytes));
  EXPECT_TRUE(taken.take(std::numeric_limits<std::uint64_t>::max()).empty());
  EXPECT_TRUE(taken.failed());
  EXPECT_TRUE(byte_reader(span_of(bytes), 4).take(0).empty());
}

// The examples of LEB128 numbers in the DWARF standard.
TEST(Bytes, OfVariableLengthIntegers) {
  const std::array<std::uint8_t, 9> bytes = {0x7f, 0x80, 0x01, 0xe5, 0x8e, 0x26, 0x80, 0x7f, 0x02};
  byte_reader r(span_of(bytes));
  EXPECT_EQ(r.uleb(), 127u);
  EXPECT_EQ(r.uleb(), 128u);
  EXPECT_EQ(r.uleb(), 624485u);
  EXPECT_EQ(r.sleb(), -128);
  EXPECT_EQ(r.sleb(), 2);
  // A LEB128 number may be longer than 64 bits: the upper bits are dropped. A number without an end is an error.
  std::array<std::uint8_t, 32> endless{};
  endless.fill(0xff);
  byte_reader e(span_of(endless));
  EXPECT_EQ(e.uleb(), 0u);
  EXPECT_TRUE(e.failed());
}

TEST(Bytes, OfTextEndAtAZero) {
  byte_reader r(bytes_of(std::string_view("ab\0c", 4)));
  EXPECT_EQ(r.c_string(), "ab");
  EXPECT_EQ(r.c_string(), "");
  EXPECT_TRUE(r.failed());
}

TEST(Bytes, BehindTheEndThereIsNoText) {
  byte_reader r({}, 1);
  EXPECT_EQ(r.c_string(), "");
  EXPECT_TRUE(r.failed());
}

TEST(Bytes, InsideIsNotFooledByLargeNumbers) {
  const std::array<std::uint8_t, 8> bytes{};
  EXPECT_TRUE(inside(span_of(bytes), 4, 4));
  EXPECT_TRUE(inside(span_of(bytes), 8, 0));
  EXPECT_FALSE(inside(span_of(bytes), 4, 5));
  EXPECT_FALSE(inside(span_of(bytes), 4, ~std::uint64_t{0}));
  EXPECT_FALSE(inside(span_of(bytes), ~std::uint64_t{0}, 1));
}

}  // namespace
}  // namespace bankwise
