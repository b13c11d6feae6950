// Tests ldmatrix and stmatrix of 8-bit elements on sm_100a and sm_120a. The documents of PTX and CUTLASS's layouts say
// which elements are moved. We assume that the cost equals the cost of other matrices with the same number of rows.
#include <gtest/gtest.h>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr const char* cubin = "tests/kernels/blackwell/byte_matrices.cubin";

unsigned byte_of(std::uint32_t word, unsigned n) { return word >> 8 * n & 0xff; }

// For stmatrix, a register holds two elements of one column, and two elements of the column that is eight columns
// further. From ldmatrix, a register gets four elements of one column. CUTLASS exchanges bytes after the load
// (SM100_U8x8_LDSM_T) to get registers for the store.
TEST(ByteMatrices, LoadedRegistersHaveFourElementsOfAColumn) {
  const auto run =
      test::run_kernel({.cubin = cubin, .kernel = "there_and_back", .arguments = {"u32[64]=random:1", "u32[64]=0"}});
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<std::uint32_t> stored = run->buffer<std::uint32_t>(0), loaded = run->buffer<std::uint32_t>(1);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t first = loaded[2 * lane], second = loaded[2 * lane + 1];
    EXPECT_EQ(stored[2 * lane], (first & 0xffff) | second << 16) << lane;
    EXPECT_EQ(stored[2 * lane + 1], first >> 16 | (second & 0xffff0000)) << lane;
  }
}

// A register gets four adjacent elements of a column. The next register gets four elements of the column that is eight
// columns further. With .m8n16, a register gets four adjacent elements of a row.
TEST(ByteMatrices, LoadsOfEveryWidth) {
  const auto run =
      test::run_kernel({.cubin = cubin, .kernel = "loads", .arguments = {"u32[128]=random:2", "u32[640]=0"}});
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<unsigned char> memory = run->buffer<unsigned char>(0);
  const std::vector<std::uint32_t> got = run->buffer<std::uint32_t>(1);
  const auto in_memory = [&](unsigned row, unsigned column, unsigned bits) {
    unsigned value = 0;  // unpacks one bit at a time
    for (unsigned b = 0; b < bits; ++b) {
      const unsigned at = bits * column + b;
      value |= (memory[16 * row + at / 8] >> at % 8 & 1u) << b;
    }
    return value;
  };
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < 2; ++matrix)
      for (unsigned n = 0; n < 8; ++n) {  // each register gets 4 of the 16 rows of two columns
        const unsigned row = 16 * matrix + lane % 4 * 4 + n % 4, column = lane / 4 + n / 4 * 8;
        const auto at = [&](unsigned form) { return byte_of(got[128 * form + 4 * lane + 2 * matrix + n / 4], n % 4); };
        EXPECT_EQ(at(0), in_memory(row, column, 8));
        EXPECT_EQ(at(1), in_memory(row, column, 6));
        EXPECT_EQ(at(2), in_memory(row, column, 4));
      }
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < 4; ++matrix)
      for (unsigned n = 0; n < 4; ++n) {
        const unsigned row = 8 * matrix + lane / 4, column = lane % 4 * 4 + n;
        EXPECT_EQ(byte_of(got[128 * 3 + 4 * lane + matrix], n), in_memory(row, column, 6));
        EXPECT_EQ(byte_of(got[128 * 4 + 4 * lane + matrix], n), in_memory(row, column, 4));
      }
}

TEST(ByteMatrices, CostWhatTheirRowsCost) {
  const auto run =
      test::run_kernel({.cubin = cubin, .kernel = "loads", .arguments = {"u32[128]=random:2", "u32[640]=0"}});
  ASSERT_TRUE(run) << to_text(run.error());
  unsigned matrices = 0;
  for (const site& s : run->launch().sites) {
    if (s.op.op.kind != op_kind::ldmatrix) continue;
    ++matrices;
    EXPECT_EQ(s.op.op, ldmatrix(4)) << s.sass;
    EXPECT_EQ(s.wavefronts, 4u) << s.sass;
    EXPECT_EQ(s.rule.level, evidence::assumed) << s.sass;
  }
  EXPECT_EQ(matrices, 5u);
}

}  // namespace
}  // namespace bankwise
