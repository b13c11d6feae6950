// Tests products of tcgen05 with a sparse A. The expected sums are computed one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/float_bits.hpp"
#include "model/shared_traffic.hpp"
#include "model/time_bound.hpp"
#include "support/tensor_form.hpp"

namespace bankwise {
namespace {

using namespace test;

struct sparse_case {
  std::string kernel;
  number_type numbers;  // of A and B
  word type;
  unsigned rows = 128, columns = 32, blocks = 1, selector = 0, chunk = 4;
  unsigned scales = 0;  // number of scales of a row, or 0
  bool powers = true;
};

// Where a part of a row of D is: the block, the lane, the first column and the number of columns.
struct row_place {
  unsigned block, lane, first, count;
};
std::vector<row_place> places_of(const sparse_case& c, unsigned row) {
  if (c.blocks == 2 && c.rows == 128) return {{row / 64, row % 64 / 16 * 32 + row % 16, 0, c.columns}};
  if (c.kernel == "sparse_stationary") {
    std::vector<row_place> all;
    for (unsigned part = 0; part < lanes / c.rows; ++part) {
      const unsigned each = c.columns / (lanes / c.rows);
      all.push_back({0, row + part * c.rows, part * each, each});
    }
    return all;
  }
  return {{0, c.rows == 64 ? row / 16 * 32 + row % 16 : row, 0, c.columns}};
}

void expect_sparse(const sparse_case& c) {
  random_words random(static_cast<word>(c.rows + c.columns));
  form f(c.kernel, c.blocks);
  f.columns = c.columns;
  f.adds = c.scales == 0;
  f.type = c.type | shape(c.rows, c.columns) | 1 << 2 | (c.scales == 0 ? c.selector : 0);
  const bool from_tensors = c.kernel == "sparse_from_tensors";
  const unsigned stored = 256 / c.numbers.bits, depth = 2 * stored, each_rows = c.rows / c.blocks,
                 each_columns = c.columns / c.blocks;
  const matrix a{each_rows, stored, c.numbers.bits, 2}, b{each_columns, depth, c.numbers.bits, 2, false, 32768};
  f.a = a.descriptor(), f.b = b.descriptor();
  std::vector<double> x, y;
  for (unsigned block = 0; block < c.blocks; ++block) {
    if (from_tensors) {
      for (unsigned row = 0; row < c.rows; ++row)
        for (unsigned k = 0; k < stored; ++k) {
          const word n = c.numbers.make(random);
          x.push_back(c.numbers.value(n));
          f.cell(0, row, a_at + k / 2) |= n << 16 * (k % 2);
        }
    } else {
      for (const double v : fill(f.images[block], a, c.numbers, random)) x.push_back(v);
    }
    for (const double v : fill(f.images[block], b, c.numbers, random)) y.push_back(v);
  }
  // The rows of A with their zeros. The selection codes are where CUTLASS's tmem_e_frg puts them.
  std::vector<double> whole(c.rows * depth);
  constexpr unsigned pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe};
  const bool by_halves = c.numbers.bits >= 16;
  for (unsigned row = 0; row < c.rows; ++row)
    for (unsigned chunk = 0; chunk < depth / c.chunk; ++chunk) {
      const unsigned code = c.chunk == 2 ? (random() % 2 != 0 ? 0xe : 0x4) : pairs[random() % std::size(pairs)];
      const unsigned width = std::max(1u, c.chunk / 4);
      for (unsigned i = 0; i < c.chunk / 2; ++i) {
        const unsigned at = c.chunk == 2 ? (code == 0xe ? 1 : 0) : (code >> 2 * (i / width) & 3) * width + i % width;
        whole[row * depth + chunk * c.chunk + at] = x[row * stored + chunk * c.chunk / 2 + i];
      }
      for (const row_place& p : places_of(c, row)) {
        const unsigned in_group = p.lane % 16;
        if (by_halves)
          f.cell(p.block, p.lane - in_group + in_group % 8 + 8 * (chunk / 4), metadata_at + c.selector) |=
              code << (16 * (in_group / 8) + 4 * (chunk % 4));
        else
          f.cell(p.block, p.lane, metadata_at + chunk / 8) |= code << 4 * (chunk % 8);
      }
    }
  std::vector<unsigned char> scale_bytes(32 * 12 * 4);
  for (unsigned char& s : scale_bytes)
    s = static_cast<unsigned char>(c.powers ? 125 + random() % 5 : 0x30 + random() % 16);
  for (unsigned lane = 0; c.scales != 0 && lane < lanes; ++lane)
    for (unsigned column = 0; column < 12; ++column) {
      word w = 0;
      for (unsigned i = 0; i < 4; ++i) w |= word{scale_bytes[(lane % 32 * 12 + column) * 4 + i]} << 8 * i;
      f.cell(0, lane, (column < 4 ? a_scales_at : b_scales_at - 4) + column) = w;
    }
  const auto scale_of = [&](unsigned n, unsigned k, unsigned first_word) {
    if (c.scales == 0) return 1.0;
    const unsigned char s = scale_bytes[(n % 32 * 12 + first_word + n / 32) * 4 + k / (depth / c.scales)];
    return c.powers ? std::pow(2.0, s - 127) : small(s, 4, 3);
  };
  f.run();
  if (f.out.empty()) return;
  for (unsigned row = 0; row < c.rows; ++row)
    for (const row_place& p : places_of(c, row))
      for (unsigned column = 0; column < p.count; ++column) {
        const bool integers = (c.type >> 4 & 3) == 2 && c.scales == 0;
        const float before = form::before(p.lane, column);
        double sum = !f.adds ? 0 : integers ? static_cast<std::int32_t>(bits_of_float(before)) : double{before};
        for (unsigned k = 0; k < depth; ++k)
          sum += whole[row * depth + k] * scale_of(row, k, 0) * y[(p.first + column) * depth + k] *
                 scale_of(p.first + column, k, 4);
        const word got = f.sum(p.block, p.lane, column);
        if (integers)
          ASSERT_EQ(got, static_cast<word>(static_cast<std::int64_t>(sum))) << c.kernel << " " << row << " " << column;
        else
          ASSERT_EQ(float_of_bits(got), static_cast<float>(sum)) << c.kernel << " " << row << " " << column;
      }
}

TEST(TensorSparse, MultipliesASparseA) {
  const sparse_case cases[] = {
      {.kernel = "sparse_f16", .numbers = f16, .type = to_f32},
      {.kernel = "sparse_f16", .numbers = f16, .type = to_f32, .columns = 64, .selector = 1},
      {.kernel = "sparse_f16", .numbers = f16, .type = to_f32, .rows = 64},
      {.kernel = "sparse_tf32", .numbers = tf32, .type = to_f32 | 2 << 7 | 2 << 10, .chunk = 2},
      {.kernel = "sparse_tf32",
       .numbers = tf32,
       .type = to_f32 | 2 << 7 | 2 << 10,
       .rows = 64,
       .selector = 1,
       .chunk = 2},
      {.kernel = "sparse_f8f6f4", .numbers = e4m3, .type = to_f32},
      {.kernel = "sparse_f8f6f4", .numbers = e2m3, .type = to_f32 | 3 << 7 | 3 << 10, .rows = 64},
      {.kernel = "sparse_i8", .numbers = signed8, .type = 2 << 4 | 1 << 7 | 1 << 10},
      {.kernel = "sparse_from_tensors", .numbers = f16, .type = to_f32},
      {.kernel = "sparse_stationary", .numbers = f16, .type = to_f32, .columns = 64},
      {.kernel = "sparse_stationary", .numbers = f16, .type = to_f32, .rows = 64, .columns = 64},
      {.kernel = "sparse_stationary", .numbers = f16, .type = to_f32, .rows = 32, .columns = 64},
      {.kernel = "sparse_pair", .numbers = f16, .type = to_f32, .columns = 64, .blocks = 2},
      {.kernel = "sparse_mxf8f6f4", .numbers = e4m3, .type = 1 << 23, .scales = 1},
      {.kernel = "sparse_mxf4", .numbers = packed_e2m1, .type = 1 << 23 | 1 << 7 | 1 << 10, .chunk = 8, .scales = 2},
      {.kernel = "sparse_mxf4nvf4",
       .numbers = packed_e2m1,
       .type = 1 << 7 | 1 << 10,
       .chunk = 8,
       .scales = 4,
       .powers = false},
  };
  for (const sparse_case& c : cases) expect_sparse(c);
}

TEST(TensorSparse, RefusesUnknownSelectorsAndMetadata) {
  form f("sparse_f16");
  f.type |= shape(128, 32) | 1 << 2 | 2;
  const matrix a{128, 16, 16, 2}, b{32, 32, 16, 2, false, 32768};
  f.a = a.descriptor(), f.b = b.descriptor();
  const auto done = f.launch();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("the sparsity selector 2 (bits 0-1)"), std::string::npos) << done.error().message;
}

}  // namespace
}  // namespace bankwise
