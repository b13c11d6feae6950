// Arrays and constants as a kernel declares them.
#include "expr/declaration.hpp"

#include <gtest/gtest.h>

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

// The example of scope.hpp.
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
  EXPECT_FALSE(parse_array("float a[4] @ 2", s));  // not where a float can be
  EXPECT_FALSE(parse_array("float a[4] @ -4", s));
  EXPECT_FALSE(parse_array("float a[4] @ 0,", s));
  EXPECT_FALSE(parse_array("float a[3][4] @ 0, 64", s));  // of three stages
  EXPECT_FALSE(parse_array("float a[4]; float b[4];", s));
}

TEST(Declaration, ErrorsPointAtTheColumn) {
  const diagnostic unknown = parse_array("__shared__ flaot a[4]", {}).error();
  EXPECT_EQ(unknown.where.column, 12u);
  EXPECT_EQ(unknown.where.length, 5u);
  EXPECT_EQ(unknown.hint, "did you mean float?");
  EXPECT_EQ(parse_array("float a[4", {}).error().where.column, 8u);
}

// Where the launch, and no declaration, says how much memory there is.
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

}  // namespace
}  // namespace bankwise::expr
