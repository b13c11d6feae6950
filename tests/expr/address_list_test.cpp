// Tests lists of addresses: which lanes a list describes, and the errors of wrong lists.
#include "expr/address_list.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// Tests the example in address_list.hpp.
TEST(AddressList, ALaneMayBeLeftOut) {
  const auto list = read_addresses("0, 128, -, 384", "the list");
  ASSERT_TRUE(list) << to_text(list.error());
  EXPECT_EQ(list->count, 4u);
  EXPECT_EQ(list->lanes, 0b1011u);
  EXPECT_EQ(list->address[3], 384u);
}

TEST(AddressList, MayBeTheWordsOfAFile) {
  const auto list = read_addresses("0x10\n0b11\t32\r\nx\n", "FILE");
  ASSERT_TRUE(list) << to_text(list.error());
  EXPECT_EQ(list->count, 4u);
  EXPECT_EQ(list->lanes, 7u);
  EXPECT_EQ(list->address[0], 16u);
  EXPECT_EQ(list->address[1], 3u);
}

TEST(AddressList, IsToldFromAnExpression) {
  for (const char* text : {"0,128", "0, 4, -", "0x10,x"}) EXPECT_TRUE(is_address_list(text)) << text;
  for (const char* text : {"0", "t, 4", "min(0, 1)", ""}) EXPECT_FALSE(is_address_list(text)) << text;
}

TEST(AddressList, ErrorsPointAtTheWord) {
  const diagnostic missing = read_addresses("0,,4", "the list").error();
  EXPECT_EQ(missing.where.column, 3u);
  EXPECT_EQ(missing.message, "there is no address before this comma");
  const diagnostic word = read_addresses("0\n4 four", "FILE").error();
  EXPECT_EQ(word.where.line, 2u);
  EXPECT_EQ(word.where.column, 3u);
  EXPECT_EQ(word.where.length, 4u);
  EXPECT_EQ(word.where.source_line, "4 four");
  EXPECT_FALSE(read_addresses("4294967296,0", "the list"));
  EXPECT_EQ(read_addresses(" \n", "FILE").error().message, "FILE does not contain an address");
  std::string many;
  for (int i = 0; i < 33; ++i) many += "0 ";
  EXPECT_EQ(read_addresses(many, "FILE").error().message, "the list has more than 32 addresses");
}

}  // namespace
}  // namespace bankwise
