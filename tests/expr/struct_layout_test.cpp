// Tests the layout of structs, and several declarations of a kernel in one line.
#include "expr/parse/structures.hpp"

#include <gtest/gtest.h>

#include "expr/parse/declaration.hpp"

namespace bankwise::expr {
namespace {

TEST(Structures, AreLaidOutAsCDoes) {
  scope s;
  ASSERT_TRUE(declare("struct P { char a; double b; float c[3], d; };", s));
  const structure& p = *s.structures[0];
  EXPECT_EQ(p.bytes, 32u);
  EXPECT_EQ(p.align, 8u);
  EXPECT_EQ(p.members[1].offset, 8u);
  EXPECT_EQ(p.members[2].offset, 16u);
  EXPECT_EQ(p.members[3].offset, 28u);
  ASSERT_TRUE(declare("struct alignas(16) Q { float3 v; P p; } q[4];", s));
  EXPECT_EQ(s.structures[1]->bytes, 48u);
  EXPECT_EQ(s.arrays[0].element_bytes, 48u);
  ASSERT_TRUE(declare("__shared__ P more[2];", s));
  EXPECT_EQ(s.arrays[1].offset, 192u);
}

TEST(Structures, ThatCannotBeReadSaySo) {
  for (const char* text : {"struct P { float x", "struct P { }", "struct P { struct Q { int a; } q; } p[2]",
                           "union U { int a; } u[2]", "struct P { floot x; } p[2]", "struct 1P* { int a; } p[2]",
                           "{ int a; } p[2]", "struct P { int a[99999]; } p[2]"}) {
    scope s;
    EXPECT_FALSE(declare(text, s)) << text;
  }
}

TEST(Declarations, AreThoseOfKernels) {
  scope s;
  ASSERT_TRUE(declare("__shared__ float a[32][8], b[8];", s));
  ASSERT_TRUE(declare("float c[32, 4]", s));
  ASSERT_TRUE(declare("extern __shared__ float4 d[];", s));
  EXPECT_EQ(s.arrays.size(), 4u);
  EXPECT_EQ(s.arrays[1].offset, 1024u);
  EXPECT_EQ(s.arrays[2].extents, (std::vector<std::uint64_t>{32, 4}));
  EXPECT_FALSE(s.arrays[3].sized);
  EXPECT_EQ(s.arrays[3].element_bytes, 16u);
  EXPECT_FALSE(declare("float e[32][]", s));
}

}  // namespace
}  // namespace bankwise::expr
