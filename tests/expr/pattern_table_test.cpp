// Tests how tables of accesses are read. The errors name the line and the column.
#include "expr/pattern_table.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// Returns the first error of a table, or an empty diagnostic.
diagnostic error_of(std::string_view text) {
  auto t = pattern_table::open(text, "t.csv");
  if (!t) return t.error();
  for (;;) {
    auto row = t->next();
    if (!row) return row.error();
    if (!*row) return {};
  }
}

TEST(PatternTable, ReadsColumnsByName) {
  auto t =
      pattern_table::open("a1,note,op,a0,mask\n8,\"two, quoted\",ld.b64,0,3\r\n\n4,x,st.b32,0,00000002\n", "t.csv");
  ASSERT_TRUE(t);
  auto row = t->next();
  ASSERT_TRUE(row && *row) << to_text(row.error());
  EXPECT_EQ((*row)->what.op, ld(8));
  EXPECT_EQ((*row)->what.mask, 3u);
  EXPECT_EQ((*row)->what.address[1], 8u);
  EXPECT_EQ(t->field("note"), "two, quoted");
  row = t->next();
  ASSERT_TRUE(row && *row);
  EXPECT_EQ((*row)->what.op, st(4));
  row = t->next();
  EXPECT_TRUE(row && !*row);
}

// A row may give the distance between source addresses or list the addresses. By default, source addresses are
// contiguous.
TEST(PatternTable, ReadsWhereCopiesComeFrom) {
  const auto cost_of = [](const std::string& text) {
    auto t = pattern_table::open(text, "t.csv");
    const auto row = t->next();
    return row ? std::to_string((*row)->value(maxwell_model()).wavefronts) : to_text(row.error());
  };
  EXPECT_EQ(cost_of("op,mask,a0,a1,a2\ncp.async.ca.4,7,0,4,8\n"), "1");
  EXPECT_EQ(cost_of("op,mask,source_stride,a0,a1,a2\ncp.async.ca.4,7,128,0,4,8\n"), "3");
  EXPECT_EQ(cost_of("op,mask,a0,a1,a2,s0,s1,s2\ncp.async.ca.4,7,0,4,8,0,256,4\n"), "2");
  EXPECT_NE(cost_of("op,mask,source_stride,a0\ncp.async.ca.4,1,6,0\n").find("not a multiple of the width"),
            std::string::npos);
  EXPECT_NE(cost_of("op,mask,a0,s0\ncp.async.ca.8,1,0,4\n").find("'4' is not a valid source address"), std::string::npos);
}

TEST(PatternTable, SkipsAByteOrderMark) {
  auto t = pattern_table::open("\xef\xbb\xbfop,a0,mask\nld.b32,4,1\n", "t.csv");
  ASSERT_TRUE(t) << to_text(t.error());
  EXPECT_EQ((*t->next())->what.address[0], 4u);
}

TEST(PatternTable, ErrorsNameThePlace) {
  EXPECT_EQ(error_of("").message, "the table is empty");
  EXPECT_EQ(error_of("mask,a0\n").message, "the table has no column 'op'");
  EXPECT_EQ(error_of("op,mask\n").message, "the table has no column 'a0'");
  const diagnostic unknown = error_of("op,mask,a0\nld.b32,1,0\nlx.b32,1,0\n");
  EXPECT_EQ(unknown.where.line, 3u);
  EXPECT_EQ(unknown.where.column, 1u);
  EXPECT_EQ(error_of("op,mask,a0\nld.b32,zz,0\n").where.column, 8u);
  EXPECT_EQ(error_of("op,mask,a0\nld.b32,3,0\n").message, "lane 1 is active but has no address");
  EXPECT_EQ(error_of("op,mask,a0\nld.b64,1,4\n").message,
            "lane 0: the address is not a multiple of 8, the width of ld.b64");
  EXPECT_EQ(error_of("op,mask,a0\nld.b32,1\n").message, "this line has 2 fields, but the header has 3 fields");
  EXPECT_EQ(error_of("op,mask,a0\nld.b32,1,\"0\n").message, "the quote that opens here has no closing quote");
  EXPECT_EQ(error_of("op,mask,a0\nld.b32,1,99999999999\n").where.column, 10u);
}

}  // namespace
}  // namespace bankwise
