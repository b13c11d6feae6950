// Tests code of sm_120a for floats of 4, 6 and 8 bits: scaled products with nonzero selectors, sparse products, and
// conversions. With these operands, every order of additions gives the same sums, so plain matrix products are the
// reference. scaled_products_test covers sums that are not exact.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/float_bits.hpp"
#include "emulate/execute/small_floats.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using u32 = std::uint32_t;

constexpr const char* cubin = "tests/kernels/rtx/small_floats.cubin";

struct operands {
  u32 a[4], b[4], a_scales, b_scales, metadata, unused;
};
struct product {
  const char* kernel;
  unsigned k, bits;
  bool sparse;
  unsigned blocks;
  unsigned a_byte, a_pair, b_byte, b_lane;  // the selectors that the kernel uses
  double (*a)(u32), (*b)(u32);              // decoders of a number in a byte, or in 4 bits
};

double e2m1(u32 bits) { return value_of(e2m1_format, bits); }
double e2m1_in_byte(u32 byte) { return value_of(e2m1_format, byte >> 2); }
double e2m3(u32 bits) { return value_of(e2m3_format, bits); }
double e3m2(u32 bits) { return value_of(e3m2_format, bits); }
double e5m2(u32 byte) { return float_of_e5m2(static_cast<std::uint8_t>(byte)); }

const product products[] = {
    {"bytes", 32, 8, false, 1, 2, 1, 1, 3, e3m2, e2m1_in_byte},
    {"four_scales", 64, 4, false, 4, 0, 1, 0, 2, e2m1, e2m1},
    {"two_scales", 64, 4, false, 2, 2, 0, 0, 1, e2m1, e2m1},
    {"sparse_bytes", 64, 8, true, 1, 3, 0, 0, 0, e2m3, e5m2},
    {"sparse_nibbles", 128, 4, true, 4, 0, 0, 0, 3, e2m1, e2m1},
};

TEST(SmallFloatKernels, ScaledProductsOfMatrices) {
  std::mt19937_64 next(20261126);
  for (const product& p : products) {
    std::vector<operands> in(32);
    const bool ue4m3 = p.blocks == 4;
    for (operands& o : in) {
      for (u32& word : o.a) word = static_cast<u32>(next());
      for (u32& word : o.b) word = static_cast<u32>(next());
      // Uses E5M2 numbers from 2^-2 to 2^2.
      if (p.b == e5m2)
        for (u32& word : o.b) word = (word & 0x8b8b8b8b) | 0x38383838;
      for (u32* scales : {&o.a_scales, &o.b_scales}) {
        *scales = 0;
        for (unsigned n = 0; n < 4; ++n) {
          static constexpr u32 few[] = {0x38, 0x3c, 0x40};  // 1, 1.5, 2
          *scales |= (ue4m3 ? few[next() % 3] : 126 + static_cast<u32>(next() % 3)) << 8 * n;
        }
      }
      static constexpr u32 pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
      for (unsigned n = 0; n < 8; ++n) o.metadata |= pairs[next() % 6] << 4 * n;
    }
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = p.kernel,
                                       .arguments = {"u32[]=file:in", "out:f32[128]"},
                                       .files = {{"in", test::bytes_of(in)}}});
    ASSERT_TRUE(run) << to_text(run.error());
    const std::vector<float> got = run->buffer<float>(1);

    // Makes a dense A of 16 x K elements, and B.
    const unsigned stored = p.sparse ? p.k / 2 : p.k, each = 32 / p.bits, piece = p.bits == 4 ? 2 : 1;
    std::vector<double> a(16 * p.k), b(8 * p.k);
    const auto element = [&](u32 word, unsigned n) { return word >> p.bits * n & ((1u << p.bits) - 1); };
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned r = 0; r < 4; ++r)
        for (unsigned n = 0; n < each; ++n) {
          const unsigned row = lane / 4 + r % 2 * 8, k = (r / 2 * 4 + lane % 4) * each + n;
          unsigned column = k;
          if (p.sparse) {
            const unsigned group = k / (2 * piece), word_lane = 4 * (row % 8) + row / 8 + 2 * (group / 8);
            const u32 chosen = in[word_lane].metadata >> (4 * (group % 8) + 2 * (k / piece % 2)) & 3;
            column = (4 * group + chosen) * piece + k % piece;
          }
          if (k < stored) a[row * p.k + column] = p.a(element(in[lane].a[r], n));
          const unsigned b_row = (4 * r + lane % 4) * each + n;
          if (b_row < p.k) b[lane / 4 * p.k + b_row] = p.b(element(in[lane].b[r], n));
        }
    const auto scale = [&](u32 word, unsigned byte) -> double {
      const u32 x = word >> 8 * byte & 0xff;
      return ue4m3 ? float_of_e4m3(static_cast<std::uint8_t>(x)) : float_of_ue8m0(x);
    };
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        double sum = 1;
        for (unsigned k = 0; k < p.k; ++k) {
          const unsigned block = k * p.blocks / p.k;
          sum += a[row * p.k + k] * b[column * p.k + k] *
                 scale(in[4 * (row % 8) + 2 * p.a_pair + row / 8].a_scales, p.a_byte + block) *
                 scale(in[4 * column + p.b_lane].b_scales, p.b_byte + block);
        }
        const unsigned lane = row % 8 * 4 + column / 2, i = row / 8 * 2 + column % 2;
        ASSERT_EQ(got[4 * lane + i], sum) << p.kernel << ", row " << row << ", column " << column;
      }
  }
}

TEST(SmallFloatKernels, Conversions) {
  const std::vector<float> in = {1.0f,      -0.3f,    6.5f,       -100.0f,   0.25f, 0.75f,    2.5f,  3.5f,
                                 0.0f,      -0.0f,    7.9f,       1e-3f,     NAN,   INFINITY, 5.0f,  -1.75f,
                                 0.1875f,   0.0625f,  20.0f,      26.0f,     1.1f,  -1.1f,    1e30f, 3e-38f,
                                 0x1p-127f, 0x1p127f, 0x1.8p127f, -INFINITY, 2.25f, 2.75f,    0.3f,  -6.0f};
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "convert",
                                     .block = {16, 1, 1},
                                     .arguments = {"f32[]=file:in", "out:u32[256]"},
                                     .files = {{"in", test::bytes_of(in)}}});
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<u32> got = run->buffer<u32>(1);
  const auto relu = [](float x) { return x > 0 || x != x ? x : 0.0f; };
  for (unsigned t = 0; t < 16; ++t) {
    const float x = in[2 * t], y = in[2 * t + 1];
    const u32* const r = &got[16 * t];
    const auto pair = [](u32 upper, u32 lower) { return upper << 8 | lower; };
    EXPECT_EQ(r[0], pair(small_bits_of(e2m3_format, y), small_bits_of(e2m3_format, x))) << x << " " << y;
    EXPECT_EQ(r[1], pair(small_bits_of(e3m2_format, y), small_bits_of(e3m2_format, x)));
    EXPECT_EQ(r[2], pair(small_bits_of(e3m2_format, relu(y)), small_bits_of(e3m2_format, relu(x))));
    EXPECT_EQ(r[3],
              pair(ue8m0_of_float(bits_of_float(y), false, false), ue8m0_of_float(bits_of_float(x), false, false)));
    EXPECT_EQ(r[4], pair(ue8m0_of_float(bits_of_float(y), true, true), ue8m0_of_float(bits_of_float(x), true, true)));
    const u32 first = small_bits_of(e2m1_format, y) << 4 | small_bits_of(e2m1_format, x);
    const u32 second = small_bits_of(e2m1_format, relu(x)) << 4 | small_bits_of(e2m1_format, relu(y));
    const u32 packed = (first | second << 8) * 0x10001u;
    EXPECT_EQ(r[5], packed) << x << " " << y;
    const auto halves = [](float upper, float lower) {
      return static_cast<u32>(half_of_float(upper)) << 16 | half_of_float(lower);
    };
    EXPECT_EQ(r[6], halves(value_of(e2m3_format, r[0] >> 8), value_of(e2m3_format, r[0])));
    EXPECT_EQ(r[7], halves(value_of(e3m2_format, r[1] >> 8), value_of(e3m2_format, r[1])));
    const u32 upper = bfloat16_of_float(float_of_ue8m0(r[3] >> 8)),
              lower = bfloat16_of_float(float_of_ue8m0(r[3] & 0xff));
    EXPECT_EQ(r[8], upper << 16 | lower);
    EXPECT_EQ(r[9], r[3]);  // back again
    for (unsigned n = 0; n < 4; ++n) {
      const u32 byte = (packed ^ 0x80000) >> 8 * n;
      EXPECT_EQ(r[10 + n], halves(value_of(e2m1_format, byte >> 4), value_of(e2m1_format, byte))) << n;
    }
  }
}

}  // namespace
}  // namespace bankwise
