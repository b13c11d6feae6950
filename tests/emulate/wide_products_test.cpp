// For tcgen05.mma with K = 96 on sm_103a, expects the sums that this test computes one by one. Checks the positions of
// the scales and of the 48 bytes of a row. The expected positions come from CUTLASS's mainloop for sm_103.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/float_bits.hpp"
#include "model/shared_traffic.hpp"
#include "support/kernel_run.hpp"
#include "support/tensor_operands.hpp"

namespace bankwise {
namespace {

using namespace test;

constexpr const char* cubin = "tests/kernels/ultra/wide_products.cubin";
constexpr unsigned image_bytes = 98304, table_columns = 32, lanes = 128, depth = 96;
constexpr unsigned a_scales_at = 8, b_scales_at = 16;
// Numbers of a row in one buffer, bytes of a row, and rows of an atom.
constexpr unsigned in_buffer = 256, row_bytes = 128, rows_of_atom = 8;
constexpr std::array<unsigned, 2> a_at{0, 16384}, b_at{32768, 65536};

struct wide_case {
  const char* kernel;
  unsigned rows = 128, columns = 128, blocks = 1;
  unsigned first_a = 0, first_b = 0;  // first index along K, counted through both buffers
  bool absolute = true;
  unsigned block = 16;  // number of elements that share a scale
  unsigned scale_a = 0, scale_b = 0;
  bool powers = false;
};

void put_number(std::string& image, const std::array<unsigned, 2>& at, unsigned row, unsigned k, word x) {
  const unsigned byte = k % in_buffer / 2;
  const unsigned address = at[k / in_buffer] + row * row_bytes + (byte ^ row % rows_of_atom << 4);
  put_bits(image, address, k % 2 * 4, 4, x);
}
std::uint64_t descriptor_of(const std::array<unsigned, 2>& at, unsigned first, bool absolute) {
  const unsigned begin = at[first / in_buffer] + first % in_buffer / 2;
  return std::uint64_t{begin >> 4} | std::uint64_t{(absolute ? at[1] : at[1] - at[0]) >> 4} << 16 |
         std::uint64_t{rows_of_atom * row_bytes >> 4} << 32 | std::uint64_t{1} << 46 |
         std::uint64_t{absolute ? 1u : 0u} << 52 | std::uint64_t{2} << 61;
}

// Fills both buffers of all rows with random numbers. Returns the K numbers of each row that the product uses.
std::vector<double> fill_rows(std::string& image, const std::array<unsigned, 2>& at, unsigned rows, unsigned first,
                              random_words& random) {
  std::vector<double> values;
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned k = 0; k < 2 * in_buffer; ++k) {
      const word x = packed_e2m1.make(random);
      put_number(image, at, row, k, x);
      if (k >= first && k < first + depth) values.push_back(packed_e2m1.value(x));
    }
  return values;
}

class wide_run {
 public:
  explicit wide_run(const wide_case& c)
      : c_(c), images_(c.blocks, std::string(image_bytes, '\0')), table_(c.blocks * lanes * table_columns) {
    random_words random(c.rows + c.columns + c.first_a);
    for (std::string& image : images_) {
      for (const double v : fill_rows(image, a_at, c.rows / c.blocks, c.first_a, random)) a_.push_back(v);
      for (const double v : fill_rows(image, b_at, c.columns / c.blocks, c.first_b, random)) b_.push_back(v);
    }
    for (auto* const all : {&of_a_, &of_b_}) {
      all->resize((all == &of_a_ ? c.rows : c.columns) * scales());
      for (unsigned char& s : *all)
        s = static_cast<unsigned char>(c.powers ? 125 + random() % 5 : 0x30 + random() % 16);
    }
    place_scales();
  }
  result<kernel_run> launch(word more_type = 0) const {
    std::string image, words(reinterpret_cast<const char*>(table_.data()), table_.size() * 4);
    for (const std::string& i : images_) image += i;
    const word type = 1u << 31 | c_.scale_a << 29 | c_.rows / 16 << 24 | (c_.powers ? 1u << 23 : 0) |
                      c_.columns / 8 << 17 | 1 << 10 | 1 << 7 | c_.scale_b << 4 | more_type;
    const auto n = [](std::size_t x) { return std::to_string(x); };
    return run_kernel(
        {.cubin = cubin,
         .kernel = c_.kernel,
         .grid = {c_.blocks, 1, 1},
         .block = {128, 1, 1},
         .shared = image_bytes,
         .arguments = {"u8[" + n(image.size()) + "]=file:image", "u32=" + n(image_bytes), "u32=" + n(type),
                       "u64=" + n(descriptor_of(a_at, c_.first_a, c_.absolute)),
                       "u64=" + n(descriptor_of(b_at, c_.first_b, c_.absolute)),
                       "u8[" + n(words.size()) + "]=file:table", "u32=0", "u32=" + n(c_.columns), "u8[32]=zero",
                       "u64=0", "out:u32[" + n(c_.blocks * lanes * (c_.columns + table_columns)) + "]"},
         .files = {{"image", image}, {"table", words}}});
  }
  void expect_sums() const {
    const auto done = launch();
    ASSERT_TRUE(done) << c_.kernel << to_text(done.error());
    const std::vector<word> out = done->buffer<word>(10);
    for (unsigned row = 0; row < c_.rows; ++row)
      for (unsigned column = 0; column < c_.columns; ++column) {
        double sum = 0;
        for (unsigned k = 0; k < depth; ++k)
          sum += a_[row * depth + k] * value(of_a_[row * scales() + k / c_.block]) * b_[column * depth + k] *
                 value(of_b_[column * scales() + k / c_.block]);
        const auto [block, lane, at] = place_of(row, column);
        const word got = out[(block * lanes + lane) * (c_.columns + table_columns) + at];
        ASSERT_EQ(float_of_bits(got), static_cast<float>(sum))
            << c_.kernel << ", K from " << c_.first_a << ", N = " << c_.columns << ": " << row << " " << column;
      }
  }

 private:
  unsigned scales() const { return depth / c_.block; }
  double value(unsigned char s) const { return c_.powers ? std::pow(2.0, s - 127) : small(s, 4, 3); }
  bool in_halves() const { return c_.blocks == 2 && c_.rows == 128; }  // each half of the lanes has half of D
  std::array<unsigned, 3> place_of(unsigned row, unsigned column) const {
    if (!in_halves()) return {row / 128, row % 128, column};
    return {row / 64, row % 64 + column / (c_.columns / 2) * 64, column % (c_.columns / 2)};
  }
  void put_scale(unsigned block, unsigned lane, unsigned first_column, unsigned step, unsigned row, unsigned number,
                 unsigned char s) {
    word& cell = table_[(block * lanes + lane) * table_columns + first_column + number / 4 * step + row / 32];
    cell |= word{s} << 8 * (number % 4);
  }
  void place_scales() {
    const unsigned each = c_.rows / c_.blocks, half = in_halves() ? c_.columns / 2 : c_.columns;
    const unsigned step = (c_.columns + 127) / 128 * 4 / (in_halves() ? 2 : 1);
    for (unsigned block = 0; block < c_.blocks; ++block)
      for (unsigned group = 0; group < 4; ++group)
        for (unsigned k = 0; k < scales(); ++k) {
          for (unsigned row = 0; row < each; ++row)
            put_scale(block, 32 * group + row % 32, a_scales_at, 4, row, c_.scale_a + k,
                      of_a_[(block * each + row) * scales() + k]);
          for (unsigned n = 0; n < half; ++n)
            put_scale(block, 32 * group + n % 32, b_scales_at, step, n, c_.scale_b + k,
                      of_b_[((in_halves() ? group / 2 * half : 0) + n) * scales() + k]);
        }
  }

  wide_case c_;
  std::vector<std::string> images_;
  std::vector<word> table_;
  std::vector<double> a_, b_;
  std::vector<unsigned char> of_a_, of_b_;
};

// CUTLASS multiplies a tile with eight products. K begins at a different position in each product. The scales are at
// CUTLASS's positions.
TEST(WideProducts, TakeKFromTwoBuffers) {
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned first = 96 * n % 288;
    wide_run({.kernel = "wide_block16", .first_a = first, .first_b = first, .scale_a = n % 2 * 2, .scale_b = n % 2 * 2})
        .expect_sums();
    wide_run({.kernel = "wide_block32",
              .first_a = first,
              .first_b = 96,
              .block = 32,
              .scale_a = 3 * n % 4,
              .scale_b = 3 * n % 4,
              .powers = true})
        .expect_sums();
  }
  wide_run({.kernel = "wide_block16", .first_a = 224, .first_b = 160}).expect_sums();
  wide_run({.kernel = "wide_block16", .first_a = 192, .first_b = 224, .absolute = false}).expect_sums();
  wide_run({.kernel = "wide_mxf4", .first_a = 192, .block = 32, .scale_a = 1, .powers = true}).expect_sums();
}

TEST(WideProducts, FindTheScalesOfEveryN) {
  for (const unsigned columns : {16u, 64u, 192u, 256u})
    wide_run({.kernel = "wide_block16", .columns = columns, .first_a = 96, .scale_a = 2, .scale_b = 2}).expect_sums();
}

TEST(WideProducts, MultiplyInPairs) {
  for (const unsigned rows : {128u, 256u})
    for (const unsigned columns : {128u, 256u}) {
      wide_run({.kernel = "wide_pair_block16",
                .rows = rows,
                .columns = columns,
                .blocks = 2,
                .first_a = 192,
                .first_b = 192,
                .scale_a = 2,
                .scale_b = 2})
          .expect_sums();
      wide_run({.kernel = "wide_pair_block32",
                .rows = rows,
                .columns = columns,
                .blocks = 2,
                .block = 32,
                .scale_a = 3,
                .scale_b = 3,
                .powers = true})
          .expect_sums();
    }
}

// A product reads 48 bytes for each of 128 rows and 64 columns. The tensor cores take as much time as for K = 64.
TEST(WideProducts, CountTheTrafficOfSharedMemory) {
  const auto done = wide_run({.kernel = "wide_block16", .columns = 64}).launch();
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<shared_traffic> all = traffic_of(done->launch());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].bytes, 48u * (128 + 64));
  EXPECT_EQ(all[0].byte_passes, 48u * (128 + 64) / 128);
  EXPECT_EQ(all[0].tensor_cycles, 32u);
}

TEST(WideProducts, RefuseASparseA) {
  const auto done = wide_run({.kernel = "wide_block16"}).launch(1 << 2);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("K = 96 cannot be combined with a sparse A"), std::string::npos)
      << done.error().message;
}

}  // namespace
}  // namespace bankwise
