// Tests lane expressions: their syntax, their values and their errors. The tests are also examples.
#include "expr/parse/expression.hpp"
#include "expr/parse/declaration.hpp"

#include <gtest/gtest.h>

namespace bankwise::expr {
namespace {

std::int64_t at(std::string_view text, std::uint32_t lane, const scope& names = {}) {
  const auto e = parse(text, names);
  if (!e) {
    ADD_FAILURE() << to_text(e.error());
    return -1;
  }
  const auto v = e->evaluate(lane);
  if (!v) {
    ADD_FAILURE() << to_text(v.error());
    return -1;
  }
  return v->number;
}

diagnostic error_of(std::string_view text, const scope& names = {}) {
  const auto e = parse(text, names);
  if (!e) return e.error();
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if (const auto v = e->evaluate(lane); !v) return v.error();
  ADD_FAILURE() << "there was no error for " << text;
  return {};
}

TEST(Expression, PrecedenceIsC) {
  EXPECT_EQ(at("1 + 2 * 3", 0), 7);
  EXPECT_EQ(at("(1 + 2) * 3", 0), 9);
  EXPECT_EQ(at("10 - 4 - 3", 0), 3);
  EXPECT_EQ(at("1 << 2 + 1", 0), 8);
  EXPECT_EQ(at("6 & 3 == 3", 0), 0);  // == binds tighter than &
  EXPECT_EQ(at("1 | 2 ^ 3 & 2", 0), (1 | (2 ^ (3 & 2))));
  EXPECT_EQ(at("0 || 1 && 0", 0), 0);
  EXPECT_EQ(at("-7 / 2", 0), -3);
  EXPECT_EQ(at("-7 % 3", 0), -1);
  EXPECT_EQ(at("~0 & 0xff", 0), 255);
  EXPECT_EQ(at("!5 + !0", 0), 1);
  EXPECT_EQ(at("t < 4 ? t < 2 ? 10 : 20 : 30", 3), 20);
  EXPECT_EQ(at("0x10 + 0b11 + 7u", 0), 26);
}

TEST(Expression, LanesAndThreads) {
  EXPECT_EQ(at("(t % 8) * 128 + (t / 8) * 16", 9), 144);
  EXPECT_EQ(at("lane", 31), 31);
  scope s;
  s.block = {16, 4, 2};
  s.warp = 1;
  EXPECT_EQ(at("tid", 3, s), 35);
  EXPECT_EQ(at("threadIdx.x", 3, s), 3);
  EXPECT_EQ(at("threadIdx.y", 3, s), 2);
  EXPECT_EQ(at("threadIdx.y", 20, s), 3);
  EXPECT_EQ(at("blockDim.x * warp", 0, s), 16);
  s.warp = 2;
  EXPECT_EQ(at("threadIdx.z", 0, s), 1);
}

TEST(Expression, FunctionsAndConstants) {
  scope s;
  s.constants["pitch"] = 33;
  EXPECT_EQ(at("t * pitch", 2, s), 66);
  EXPECT_EQ(at("min(t, 5, 3) + max(t, 20)", 10, s), 23);
  EXPECT_EQ(at("abs(t - 16)", 3, s), 13);
}

TEST(Expression, ElementsAreAddresses) {
  scope s;
  add_array(s, *parse_array("float tile[32][33]", s));
  add_array(s, *parse_array("double d[4]", s));
  const auto e = parse("tile[t][2]", s);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->evaluate(3)->number, (3 * 33 + 2) * 4);
  EXPECT_EQ(e->evaluate(3)->element_bytes, 4u);
  EXPECT_FALSE(e->evaluate(3)->out_of_bounds);
  EXPECT_EQ(at("tile[1]", 0, s), 132);           // a row
  EXPECT_EQ(at("d[1]", 0, s), 32 * 33 * 4 + 8);  // the array d starts after tile, at a multiple of 8
  EXPECT_EQ(at("&tile[t][0] + 4", 1, s), 136);
  EXPECT_EQ(at("t < 16 ? tile[t][0] : tile[0][t]", 17, s), 68);
  EXPECT_TRUE(parse("tile[t + 1][0]", s)->evaluate(31)->out_of_bounds);
}

TEST(Expression, LogicStopsEarly) {
  EXPECT_EQ(at("t == 0 || 8 / t > 3", 0), 1);
  EXPECT_EQ(at("t != 0 && 8 / t > 3", 0), 0);
  EXPECT_EQ(at("t == 0 ? 0 : 8 / t", 0), 0);
}

TEST(Expression, ErrorsPointAtTheColumn) {
  EXPECT_EQ(error_of("1 + ").where.column, 5u);
  EXPECT_EQ(error_of("(tt % 8)").where.column, 2u);
  EXPECT_EQ(error_of("(tt % 8)").where.length, 2u);
  EXPECT_EQ(error_of("lame * 4").hint, "did you mean lane?");
  EXPECT_EQ(error_of("N * 4").hint, "set the value of a constant with --let N=32. The name of the lane is t");
  EXPECT_EQ(error_of("t * (3 + 1").message, "expected ')' to close this expression");
  EXPECT_EQ(error_of("t ) 3").where.column, 3u);
  EXPECT_EQ(error_of("t = 3").where.column, 3u);
  EXPECT_EQ(error_of("8 / (t - 5)").message, "the expression divides by zero in lane 5");
  EXPECT_EQ(error_of("8 / (t - 5)").where.column, 3u);
  EXPECT_EQ(error_of("1 << (t + 60)").message, "a shift by 63 bits is not possible in lane 3");
  EXPECT_EQ(error_of("0x7fffffffffffffff + t").message, "overflow in lane 1");
  EXPECT_EQ(error_of("99999999999999999999").where.length, 20u);
  EXPECT_EQ(error_of("threadIdx").message, "threadIdx needs .x, .y or .z");
  EXPECT_EQ(error_of("threadIdx.w").message, "threadIdx has .x, .y and .z");
  EXPECT_EQ(error_of("1.5").message, "only whole numbers are allowed in an expression");
  EXPECT_EQ(error_of("").message, "the expression is empty");
  EXPECT_EQ(error_of("sqrt(t)").message, "unknown function 'sqrt'");
  scope s;
  add_array(s, *parse_array("float a[8]", s));
  EXPECT_EQ(error_of("a[0][1]", s).message, "a has only 1 dimension");
  EXPECT_EQ(error_of("a[0] * 4", s).where.column, 1u);
}

TEST(Expression, HostileTextIsRefusedNotFollowed) {
  EXPECT_EQ(error_of(std::string(100000, '(')).message, "expression is longer than 65536 characters");
  EXPECT_NE(error_of(std::string(5000, '(')).message.find("nested deeper"), std::string::npos);
  EXPECT_NE(error_of(std::string(5000, '-') + "1").message.find("nested deeper"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 20000; ++i) sum += "+1";
  EXPECT_EQ(error_of(sum).message, "the expression is too long");
}

}  // namespace
}  // namespace bankwise::expr
