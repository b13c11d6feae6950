// Tests declarations of arrays and constants in the syntax of a kernel.
#include "expr/parse/declaration.hpp"

#include <gtest/gtest.h>

#include "expr/expression.hpp"

namespace bankwise::expr {
namespace {

TEST(Declaration, OfAConstantMayUseOthers) {
  scope s;
  s.constants["pitch"] = 33;
  const auto c = parse_constant("rows = pitch - 1", s);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->first, "rows");
  EXPECT_EQ(c->second, 32);
  EXPECT_FALSE(parse_constant("x = t", s));
  EXPECT_FALSE(parse_constant("33", s));
}

// Tests the example in scope.hpp.
TEST(Declaration, ArraysLieBehindEachOtherAligned) {
  scope s;
  s.constants["n"] = 4;
  add_array(s, *parse_array("float a[3]", s));
  add_array(s, *parse_array("double b[n]", s));
  EXPECT_EQ(s.arrays[0].offset, 0u);
  EXPECT_EQ(s.arrays[1].offset, 16u);
  EXPECT_EQ(s.arrays[1].extents, std::vector<std::uint64_t>{4});
}

TEST(Declaration, ThatIsNoneIsRefused) {
  scope s;
  EXPECT_FALSE(parse_array("float a[99999999][99999999]", s));
  EXPECT_FALSE(parse_array("float a[0]", s));
  EXPECT_FALSE(parse_array("flaot a[4]", s));
  EXPECT_FALSE(parse_array("a[4]", s));
  EXPECT_FALSE(parse_array("float a[4", s));
  EXPECT_FALSE(parse_array("float a", s));
  EXPECT_FALSE(parse_array("__shared__ a[4]", s));
  EXPECT_FALSE(parse_array("__align__(16 float a[4]", s));
  EXPECT_FALSE(parse_array("float a[4] @", s));
  EXPECT_FALSE(parse_array("float a[4] @ 2", s));  // a float cannot be at this address
  EXPECT_FALSE(parse_array("float a[4] @ -4", s));
  EXPECT_FALSE(parse_array("float a[4] @ 0,", s));
  EXPECT_FALSE(parse_array("float a[3][4] @ 0, 64", s));  // an array of three stages
  EXPECT_FALSE(parse_array("float a[4]; float b[4];", s));
}

TEST(Declaration, ErrorsPointAtTheColumn) {
  const diagnostic unknown = parse_array("__shared__ flaot a[4]", {}).error();
  EXPECT_EQ(unknown.where.column, 12u);
  EXPECT_EQ(unknown.where.length, 5u);
  EXPECT_EQ(unknown.hint, "did you mean float?");
  EXPECT_EQ(parse_array("float a[4", {}).error().where.column, 8u);
}

// The launch determines the size of the memory. The declaration does not.
TEST(Declaration, MayHaveAPlace) {
  scope s;
  s.constants["k_offset"] = 4096;
  EXPECT_TRUE(parse_array("half k[64][64]", s)->places.empty());
  EXPECT_EQ(parse_array("half k[64][64] @ 2 * k_offset", s)->places, std::vector<std::uint64_t>{8192});
  const auto staged = parse_array("half k[2][64][64] @ k_offset, k_offset + 16384", s);
  EXPECT_EQ(staged->places, (std::vector<std::uint64_t>{4096, 20480}));
  EXPECT_EQ(staged->extents, (std::vector<std::uint64_t>{2, 64, 64}));
  add_array(s, *staged);
  EXPECT_EQ(s.arrays[0].offset, 4096u);
}

TEST(Declaration, MayBeCopiedFromTheKernel) {
  const scope s;
  const auto plain = parse_array("float tile[32][33]", s);
  ASSERT_TRUE(plain);
  for (const char* text :
       {"__shared__ float tile[32][33];", "float tile[32][33] ;", "static __shared__ float tile[32] [33]",
        "__shared__ __align__(128) float tile[32][33];", "alignas(16) __shared__ float tile[32][33];",
        "extern volatile __shared__ const float tile[32][33];"}) {
    const auto copied = parse_array(text, s);
    ASSERT_TRUE(copied) << text << "\n" << to_text(copied.error());
    EXPECT_EQ(copied->type, plain->type) << text;
    EXPECT_EQ(copied->name, plain->name) << text;
    EXPECT_EQ(copied->extents, plain->extents) << text;
  }
  EXPECT_EQ(parse_array("extern __shared__ float tile[];", s).error().message, "the extent of tile is missing");
}

// Tests the examples in cute_layout.hpp.
TEST(Declaration, MayBeACuteLayout) {
  scope s;
  s.constants["N"] = 32;
  const auto rows = parse_array("float tile (N,Int<32>{}):(_33,_1)", s);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->extents, (std::vector<std::uint64_t>{32, 32}));
  EXPECT_EQ(bytes_of(*rows), (31 * 33 + 31 + 1) * 4u);
  const std::uint64_t third[] = {2, 5};
  EXPECT_EQ(offset_of(*rows, third), 71u);
  const auto parts = parse_array("float tile ((8,4),(64,2)):((64,512),(1,2048))", s);
  ASSERT_TRUE(parts);
  const std::uint64_t at[] = {11, 65};
  EXPECT_EQ(offset_of(*parts, at), 3 * 64 + 1 * 512 + 1 + 2048u);
  for (const char* text :
       {"__shared__ half a Swizzle<3,3,3> o (8,64):(64,1)", "half a Sw<3,3,3> o _0 o (_8,_64):(_64,_1);"}) {
    const auto permuted = parse_array(text, s);
    ASSERT_TRUE(permuted) << text;
    const std::uint64_t element[] = {5, 16};
    EXPECT_EQ(offset_of(*permuted, element), 5 * 64 + (16u ^ 5 << 3)) << text;
    EXPECT_EQ(bytes_of(*permuted), 1024u);
  }
}

TEST(Declaration, OfALayoutThatIsNoneSaysWhere) {
  scope s;
  for (const auto& [text, column] : {std::pair("float a (4,4):(4,1", 19u), std::pair("float a (4,(2,2)):(1,2)", 22u),
                                     std::pair("float a (4,4)(4,1)", 0u), std::pair("float a (4,4):(4,1,2)", 15u),
                                     std::pair("float a (0,4):(4,1)", 10u), std::pair("float a (4,4):(4,1) 2", 21u),
                                     std::pair("float a Swizzle<3,3,1> o (8,64):(64,1)", 9u)}) {
    const auto wrong = parse_array(text, s);
    ASSERT_FALSE(wrong) << text;
    if (column != 0) {
      EXPECT_EQ(wrong.error().where.column, column) << text << ": " << wrong.error().message;
    }
  }
  EXPECT_FALSE(parse_array("float a (M,4):(4,1)", s));
  EXPECT_FALSE(parse_array("float a (4,4):(t,1)", s));
  EXPECT_FALSE(parse_array("float a (16777216,16777216):(16777216,16777216)", s));
  EXPECT_FALSE(parse_array("float a " + std::string(100, '('), s));
  EXPECT_FALSE(parse_array("float a " + std::string(100, '(') + ":", s));
}

// An element of the layout can be named by an index or in CuTe's form.
TEST(Declaration, ElementsOfALayoutLieWhereItSays) {
  scope s;
  add_array(s, *parse_array("char first[6]", s));
  add_array(s, *parse_array("half a Swizzle<3,3,3> o ((2,4),64):((64,128),1)", s));
  for (const char* text : {"a[t % 8][t]", "a(t % 8, t)"}) {
    const auto e = parse(text, s);
    ASSERT_TRUE(e) << text;
    for (std::uint32_t t = 0; t < 32; ++t) {
      const std::uint64_t element[] = {t % 8, t};
      EXPECT_EQ(e->evaluate(t)->number, static_cast<std::int64_t>(6 + 2 * offset_of(s.arrays[1], element)));
      EXPECT_FALSE(e->evaluate(t)->out_of_bounds);
    }
  }
  EXPECT_TRUE(parse("a[t][0]", s)->evaluate(8)->out_of_bounds);
  EXPECT_TRUE(parse("a[0][t * 8]", s)->evaluate(8)->out_of_bounds);
  for (const char* text : {"a[t]", "a(t)", "a(t, 0", "a(t, 0, 0)", "a[t][0][0]"}) EXPECT_FALSE(parse(text, s)) << text;
}

}  // namespace
}  // namespace bankwise::expr
