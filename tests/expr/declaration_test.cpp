// Tests declarations of arrays and constants in the syntax of a kernel.
#include "expr/parse/declaration.hpp"

#include <gtest/gtest.h>

#include "expr/parse/expression.hpp"

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

// The forms in which CUTLASS's headers write an atom: with a layout of elements, of bits, and in decltype.
TEST(Declaration, MayBeAComposedLayoutOfAddresses) {
  scope s;
  const char* const bits =
      "half a ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_1024>,Stride<_1024,_1>>>";
  for (const char* text :
       {"half a ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_64>,Stride<_64,_1>>>",
        "half a ComposedLayout<Swizzle<3,4,3>, cute::smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>,Stride<_64,_1>>>{}",
        bits, "half a decltype(composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{}))",
        "half a Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"}) {
    const auto array = parse_array(text, s);
    ASSERT_TRUE(array) << text << array.error().message;
    const std::uint64_t element[] = {5, 16};
    EXPECT_EQ(offset_of(*array, element), 5 * 64 + (16u ^ 5 << 3)) << text;
    EXPECT_EQ(bytes_of(*array), 1024u) << text;
  }
  const auto columns =
      parse_array("uint8_t a ComposedLayout<Swizzle<1,4,3>, smem_ptr_flag, Layout<Shape<_256,_8>,Stride<_1,_256>>>", s);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->extents, (std::vector<std::uint64_t>{32, 8}));
  EXPECT_FALSE(
      parse_array("half a ComposedLayout<Swizzle<3,0,3>, smem_ptr_flag, Layout<Shape<_8,_64>,Stride<_64,_1>>>", s));
}

// Compares Triton's layouts with the sentence in triton_layout.hpp.
TEST(Declaration, MayBeALayoutOfTriton) {
  scope s;
  for (
      const char* text :
      {"half s[64][32] #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
       "half s[64][32] #shared = #triton_gpu.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], hasLeadingOffset = false}>",
       "half s[64][32] vec=8 perPhase=2 maxPhase=4", "__shared__ half s[64, 32] vec = 8, per_phase = 2, max_phase = 4;",
       "half s[64][32] gl.SwizzledSharedLayout(8, 2, 4, order=[1, 0])",
       "half s[64][32] SwizzledSharedLayout(vec=8, per_phase=2, max_phase=4, order=[1, 0])"}) {
    const auto array = parse_array(text, s);
    ASSERT_TRUE(array) << text << array.error().message;
    for (std::uint64_t row = 0; row < 64; ++row)
      for (std::uint64_t column = 0; column < 32; ++column) {
        const std::uint64_t element[] = {row, column};
        EXPECT_EQ(offset_of(*array, element), row * 32 + (column / 8 ^ row / 2 % 4) * 8 + column % 8) << text;
      }
    scope declared;
    EXPECT_TRUE(declare(text, declared)) << text;
    EXPECT_EQ(declared.arrays.size(), 1u) << text;
  }
  const auto columns = parse_array("float s[16][8] vec=2 perPhase=1 maxPhase=8 order=[0, 1]", s);
  ASSERT_TRUE(columns);
  for (std::uint64_t row = 0; row < 16; ++row)
    for (std::uint64_t column = 0; column < 8; ++column) {
      const std::uint64_t element[] = {row, column};
      EXPECT_EQ(offset_of(*columns, element), column * 16 + (row / 2 ^ column) * 2 + row % 2);
    }
  for (const char* wrong :
       {"half s #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
        "half s[64][32] vec=8 perPhase=2", "half s[64][32] vec=3 perPhase=2 maxPhase=4",
        "half s[64][24] vec=8 perPhase=2 maxPhase=4", "half s[64][32] vec=8 perPhase=1 maxPhase=8",
        "half s[64][32] vec=8 perPhase=2 maxPhase=4 order=[1, 1]", "half s[64][32] vec=8 perPhase=2 maxPhase=4 depth=2",
        "half s[64][32] vec=", "half s[64][32] SwizzledSharedLayout("})
    EXPECT_FALSE(parse_array(wrong, s)) << wrong;
}

// Two elements of 4 bits share a byte.
TEST(Declaration, MayHaveElementsSmallerThanAByte) {
  scope s;
  add_array(s, *parse_array("e2m1 a[8][64]", s));
  EXPECT_EQ(bytes_of(s.arrays[0]), 8u * 32);
  for (std::uint64_t row = 0; row < 8; ++row)
    for (std::uint64_t column = 0; column < 64; ++column) {
      const std::uint64_t element[] = {row, column};
      EXPECT_EQ(offset_of(s.arrays[0], element), row * 32 + column / 2);
    }
  EXPECT_EQ(parse("a[3][17]", s)->evaluate(0)->number, 3 * 32 + 8);
  EXPECT_EQ(parse("*(uint4*)&a[t][32]", s)->evaluate(5)->number, 5 * 32 + 16);
  EXPECT_EQ(parse("*((uint4*)&a[t][0] + 1)", s)->evaluate(5)->number, 5 * 32 + 16);
  EXPECT_FALSE(parse("*(uint4*)(&a[t][0] + 32)", s));
  EXPECT_FALSE(parse("*(a + 1)", s));
  const auto permuted = parse_array("int4b_t b Swizzle<2,5,3> o (8,128):(128,1)", s);
  ASSERT_TRUE(permuted);
  const std::uint64_t element[] = {3, 33};
  EXPECT_EQ(offset_of(*permuted, element), (3 * 128 + (33u ^ ((3 * 128 + 33) >> 8 & 3) << 5)) / 2);
  EXPECT_EQ(parse_array("int4 c[8]", s)->element_bytes, 16u);
  for (const char* wrong :
       {"e2m1 d[8][33]", "e2m3 d[8][64]", "s4 d (7,64):(1,7)", "s4 d Swizzle<2,0,3> o (8,64):(64,1)"})
    EXPECT_FALSE(parse_array(wrong, s)) << wrong;
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
