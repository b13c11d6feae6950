// Tests layouts that move every byte of an array to a different position.
#include "advise/search/relayout.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bankwise::advise {
namespace {

struct random {
  explicit random(std::uint32_t seed) : engine(seed) {}
  u32 below(u32 n) { return static_cast<u32>(engine() % n); }
  std::mt19937 engine;
};

TEST(Relayout, TermsOfAMatrixAreTheMatrix) {
  random r(5);
  for (int n = 0; n < 200; ++n) {
    bit_matrix m = bit_matrix::identity(8);
    for (u32& column : m.image) column = r.below(256);
    relayout l;
    l.terms = terms_of(m);
    for (u32 x = 0; x < 1024; ++x) ASSERT_EQ(l(x), m(x & 0xff) | (x & ~0xffu)) << n;
    const bit_matrix again = matrix_of(l.terms, 8);
    ASSERT_EQ(again.image, m.image);
    if (!is_invertible(m)) continue;
    const bit_matrix back = inverse(m);
    for (u32 x = 0; x < 256; ++x) ASSERT_EQ(back(m(x)), x);
  }
}

TEST(Relayout, PanelsThenPaddingThenXor) {
  // 8 rows of 256 bytes are stored as two panels of 128 bytes, each with TMA's 128-byte swizzle.
  const relayout l{.panel_bytes = 128, .pitch_bytes = 256, .rows = 8, .terms = terms_of(swizzle{3, 4, 3})};
  EXPECT_EQ(l(0), 0u);
  EXPECT_EQ(l(128), 1024u);       // the second panel begins after the eight rows of the first panel
  EXPECT_EQ(l(256), 128u ^ 16u);  // row 1 of the first panel is swizzled
  EXPECT_EQ(l(256 + 128 + 4), (1024u + 128) ^ 16u ^ 4u);
  EXPECT_EQ(bytes_after(l, 2048), 2048u);
}

// Tests the example in relayout.hpp.
TEST(Relayout, OfASwizzleHasItsTerms) {
  const relayout l{.terms = terms_of(swizzle{3, 4, 3})};
  EXPECT_EQ(l(128), 144u);
  ASSERT_EQ(l.terms.size(), 2u);
  EXPECT_EQ(l.terms[1].shift, 3);
  EXPECT_EQ(l.terms[1].mask, 0x70u);
}

}  // namespace
}  // namespace bankwise::advise
