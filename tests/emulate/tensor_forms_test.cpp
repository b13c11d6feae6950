// Tests forms of tcgen05 that few programs use. The expected sums and positions are computed one by one in this file.
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

// --- dense products

struct dense_form {
  unsigned rows, columns, blocks = 1;
  number_type numbers = f16;
  word type = to_f32;
  unsigned b_columns = 0;  // number of columns of B in shared memory; 0 means `columns`
};
struct dense_operands {
  std::vector<double> a, b;
  unsigned depth;
};
dense_operands fill_dense(form& f, const dense_form& d, random_words& random) {
  dense_operands o{{}, {}, 256 / d.numbers.bits};
  const unsigned b_columns = d.b_columns != 0 ? d.b_columns : d.columns / d.blocks;
  const matrix a{d.rows / d.blocks, o.depth, d.numbers.bits, 2}, b{b_columns, o.depth, d.numbers.bits, 2, false, 32768};
  f.a = a.descriptor(), f.b = b.descriptor();
  f.columns = d.columns;
  f.type = d.type | shape(d.rows, d.columns);
  for (unsigned block = 0; block < d.blocks; ++block) {
    for (const double v : fill(f.images[block], a, d.numbers, random)) o.a.push_back(v);
    for (const double v : fill(f.images[block], b, d.numbers, random)) o.b.push_back(v);
  }
  return o;
}
double dot(const dense_operands& o, unsigned row, unsigned column) {
  double sum = 0;
  for (unsigned k = 0; k < o.depth; ++k) sum += o.a[row * o.depth + k] * o.b[column * o.depth + k];
  return sum;
}

TEST(TensorForms, LeavesLanesThatAreOff) {
  for (const unsigned blocks : {1u, 2u}) {
    random_words random(5);
    form f(blocks == 1 ? "lanes_off" : "lanes_off_pair", blocks);
    const dense_operands o = fill_dense(f, {128 * blocks, 32, blocks}, random);
    for (unsigned n = 0; n < 4 * blocks; ++n) f.lanes_off[n] = random();
    f.run();
    ASSERT_FALSE(f.out.empty());
    for (unsigned row = 0; row < 128 * blocks; ++row)
      for (unsigned column = 0; column < 32; ++column) {
        const float before = form::before(row % 128, column);
        const bool off = (f.lanes_off[row / 32] >> row % 32 & 1) != 0;
        ASSERT_EQ(float_of_bits(f.sum(row / 128, row % 128, column)),
                  off ? before : static_cast<float>(before + dot(o, row, column)))
            << row << " " << column;
      }
  }
}

// After the product, each row of A moves to the previous lane. The last row of each group of 32 does not move.
TEST(TensorForms, ShiftsARowsOfA) {
  for (const unsigned blocks : {1u, 2u}) {
    random_words random(6);
    form f(blocks == 1 ? "shifts_a" : "shifts_a_pair", blocks);
    dense_operands o = fill_dense(f, {128 * blocks, 32, blocks}, random);
    for (unsigned row = 0; row < 128 * blocks; ++row)
      for (unsigned k = 0; k < 16; ++k) {
        const word n = f16.make(random);
        o.a[row * 16 + k] = f16.value(n);
        f.cell(row / 128, row % 128, a_at + k / 2) |= n << 16 * (k % 2);
      }
    f.run();
    ASSERT_FALSE(f.out.empty());
    for (unsigned row = 0; row < 128 * blocks; ++row) {
      for (unsigned column = 0; column < 32; ++column)
        ASSERT_EQ(float_of_bits(f.sum(row / 128, row % 128, column)),
                  static_cast<float>(form::before(row % 128, column) + dot(o, row, column)));
      for (unsigned column = 0; column < 8; ++column)
        ASSERT_EQ(f.after(row / 128, row % 128, column),
                  f.cell(row / 128, row % 32 == 31 ? row % 128 : row % 128 + 1, column));
    }
  }
}

TEST(TensorForms, ShiftsTensorMemory) {
  for (const unsigned blocks : {1u, 2u}) {
    random_words random(7);
    form f(blocks == 1 ? "shifts" : "shifts_pair", blocks);
    for (word& w : f.table) w = random();
    f.run();
    ASSERT_FALSE(f.out.empty());
    for (unsigned block = 0; block < blocks; ++block)
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned column = 0; column < table_columns; ++column)
          ASSERT_EQ(f.after(block, lane, column), f.cell(block, lane + (column < 8 && lane % 32 != 31 ? 1 : 0), column))
              << block << " " << lane << " " << column;
  }
}

// Collector buffers do not change the sums.
TEST(TensorForms, CollectsOperands) {
  for (const char* const kernel : {"collects_a", "collects_b"}) {
    random_words random(8);
    form f(kernel);
    const dense_operands o = fill_dense(f, {128, 32}, random);
    f.adds = false;
    f.run();
    ASSERT_FALSE(f.out.empty());
    for (unsigned row = 0; row < 128; ++row)
      for (unsigned column = 0; column < 32; ++column)
        ASSERT_EQ(float_of_bits(f.sum(0, row, column)), static_cast<float>(4 * dot(o, row, column)));
  }
}

// Masks columns as the examples of the PTX manual do, and shifts the columns of B.
TEST(TensorForms, MasksColumns) {
  struct mask_case {
    unsigned rows, columns;
    unsigned used, zeros;                     // of a pattern
    std::array<unsigned, 4> skipped, begins;  // by part
    unsigned shift;
  };
  const mask_case cases[] = {{128, 64, 4, 3, {}, {}, 0},
                             {64, 64, 4, 3, {}, {1, 0}, 0},
                             {32, 128, 4, 3, {0, 1, 2, 1}, {1, 1, 0, 0}, 2},
                             {128, 32, 5, 2, {3}, {}, 8}};
  for (const mask_case& c : cases) {
    random_words random(9);
    form f("zero_columns");
    const dense_operands o = fill_dense(f, {.rows = c.rows, .columns = c.columns, .b_columns = 256}, random);
    f.type |= 1u << 30;  // shifts the columns by at most 8
    f.zero_columns = std::uint64_t{1} << 39 | std::uint64_t{c.zeros - 1} << 40 | std::uint64_t{c.used - 1} << 48 |
                     std::uint64_t{c.shift} << 56;
    for (unsigned n = 0; n < 4; ++n)
      f.zero_columns |= std::uint64_t{c.skipped[n]} << 8 * n | std::uint64_t{c.begins[n]} << (32 + n);
    f.run();
    ASSERT_FALSE(f.out.empty());
    const unsigned parts = lanes / c.rows, each = c.columns / parts;
    for (unsigned row = 0; row < c.rows; ++row)
      for (unsigned column = 0; column < c.columns; ++column) {
        // Writes the mask as text, column by column, in the form of the manual.
        const unsigned part = column / each;
        std::string pattern;
        bool zero = c.begins[part] != 0;
        while (pattern.size() < each + 8) {
          pattern.append(zero ? c.zeros : c.used, zero ? '1' : '0');
          zero = !zero;
        }
        const bool is_zero = pattern[column % each + c.skipped[part]] == '1';
        const unsigned lane = row + part * c.rows;
        const float before = form::before(lane, column % each);
        ASSERT_EQ(float_of_bits(f.sum(0, lane, column % each)),
                  static_cast<float>(before + (is_zero ? 0 : dot(o, row, column + c.shift))))
            << c.rows << ": " << row << " " << column;
      }
  }
}

TEST(TensorForms, RefusesAShiftPastTheDescriptor) {
  random_words random(10);
  form f("zero_columns");
  fill_dense(f, {.rows = 128, .columns = 32, .b_columns = 64}, random);
  f.zero_columns = std::uint64_t{4} << 56;
  const auto done = f.launch();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("the mask shifts by 4 columns"), std::string::npos) << done.error().message;
}

// --- pairs of blocks

// Returns the block, lane and column that hold this element of D.
std::array<unsigned, 3> place_in_pair(unsigned rows, unsigned columns, unsigned row, unsigned column) {
  if (rows == 256) return {row / 128, row % 128, column};
  return {row / 64, row % 64 + column / (columns / 2) * 64, column % (columns / 2)};
}

TEST(TensorForms, MultipliesInPairs) {
  for (const unsigned rows : {128u, 256u}) {
    random_words random(11);
    form f("pair_f16", 2);
    const dense_operands o = fill_dense(f, {rows, 64, 2}, random);
    f.run();
    ASSERT_FALSE(f.out.empty());
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned column = 0; column < 64; ++column) {
        const auto [block, lane, at] = place_in_pair(rows, 64, row, column);
        ASSERT_EQ(float_of_bits(f.sum(block, lane, at)),
                  static_cast<float>(form::before(lane, at) + dot(o, row, column)))
            << rows << ": " << row << " " << column;
      }
  }
}

// Each block has the scales of its own rows of A. In each group of 32 lanes, the block also has the scales of the
// columns of B that these lanes need.
TEST(TensorForms, AppliesScalesInPairs) {
  struct scale_case {
    const char* kernel;
    number_type numbers;
    word type;
    unsigned block;
    bool powers;
  };
  const scale_case cases[] = {{"pair_mxf8f6f4", e4m3, 1 << 23, 32, true},
                              {"pair_mxf4", packed_e2m1, 1 << 23 | 1 << 7 | 1 << 10, 32, true},
                              {"pair_mxf4nvf4", packed_e2m1, 1 << 7 | 1 << 10, 16, false}};
  for (const scale_case& c : cases)
    for (const unsigned rows : {128u, 256u}) {
      random_words random(12);
      form f(c.kernel, 2);
      constexpr unsigned columns = 128;
      const dense_operands o = fill_dense(f, {rows, columns, 2, c.numbers, c.type}, random);
      f.adds = false;
      const unsigned each = rows / 2, count = o.depth / c.block;
      std::vector<unsigned char> of_a(rows * 4), of_b(columns * 4);
      for (auto* const all : {&of_a, &of_b})
        for (unsigned char& s : *all)
          s = static_cast<unsigned char>(c.powers ? 125 + random() % 5 : 0x30 + random() % 16);
      const auto value = [&](unsigned char s) { return c.powers ? std::pow(2.0, s - 127) : small(s, 4, 3); };
      for (unsigned block = 0; block < 2; ++block)
        for (unsigned lane = 0; lane < lanes; ++lane)
          for (unsigned column = 0; column < 4; ++column)
            for (unsigned i = 0; i < 4; ++i) {
              const unsigned row = lane % 32 + 32 * column;
              if (row < each)
                f.cell(block, lane, a_scales_at + column) |= word{of_a[(block * each + row) * 4 + i]} << 8 * i;
              // With M = 128, the upper half of the lanes holds the upper half of the columns.
              const unsigned n = rows == 256 ? row : row + lane / 64 * (columns / 2);
              const bool has = rows == 256 ? n < columns : row < columns / 2;
              if (has) f.cell(block, lane, b_scales_at + column) |= word{of_b[n * 4 + i]} << 8 * i;
            }
      f.run();
      ASSERT_FALSE(f.out.empty());
      for (unsigned row = 0; row < rows; ++row)
        for (unsigned column = 0; column < columns; ++column) {
          double sum = 0;
          for (unsigned k = 0; k < o.depth; ++k)
            sum += o.a[row * o.depth + k] * value(of_a[row * 4 + k / c.block]) * o.b[column * o.depth + k] *
                   value(of_b[column * 4 + k / c.block]);
          const auto [block, lane, at] = place_in_pair(rows, columns, row, column);
          ASSERT_EQ(float_of_bits(f.sum(block, lane, at)), static_cast<float>(sum))
              << c.kernel << " " << rows << ": " << row << " " << column << ", " << count;
        }
    }
}

// --- tcgen05.cp

TEST(TensorForms, CopiesInPairs) {
  random_words random(13);
  form f("copies_pair", 2);
  const matrix m{128, 32, 8, 0};
  f.a = m.descriptor();
  for (std::string& image : f.images)
    for (unsigned i = 0; i < 4096; ++i) image[i] = static_cast<char>(random());
  f.run();
  ASSERT_FALSE(f.out.empty());
  for (unsigned block = 0; block < 2; ++block)
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned byte = 0; byte < 32; ++byte)
        ASSERT_EQ(f.after(block, lane, byte / 4) >> byte % 4 * 8 & 0xff,
                  static_cast<unsigned char>(f.images[block][m.piece(lane, byte / 16 * 16) + byte % 16]));
}

TEST(TensorForms, DecompressesToSeveralLanes) {
  for (const unsigned bits : {4u, 6u}) {
    random_words random(14);
    form f(bits == 4 ? "copies_4_bits_to_all" : "copies_6_bits_to_pairs");
    const matrix m{bits == 4 ? 32u : 64u, 16, 8, 0};
    f.a = m.descriptor();
    for (unsigned i = 0; i < 1024; ++i) f.images[0][i] = static_cast<char>(random());
    f.run();
    ASSERT_FALSE(f.out.empty());
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned byte = 0; byte < 16; ++byte) {
        const unsigned row = bits == 4 ? lane % 32 : lane / 64 * 32 + lane % 32;
        unsigned expected = 0;
        for (unsigned i = 0; i < bits; ++i) {
          const unsigned bit = byte * bits + i;
          expected |= (static_cast<unsigned char>(f.images[0][m.piece(row, 0) + bit / 8]) >> bit % 8 & 1u)
                      << (bits == 4 ? i + 2 : i);
        }
        ASSERT_EQ(f.after(0, lane, byte / 4) >> byte % 4 * 8 & 0xff, expected) << bits << " " << lane << " " << byte;
      }
  }
}

// --- the traffic of shared memory

// Each row of a sparse A has 32 bytes, and each column of B has 64 bytes. D fills 64 columns of the 128 lanes.
TEST(TensorForms, CountsTheTrafficOfSharedMemory) {
  form f("sparse_f16");
  f.columns = 64;
  f.type |= shape(128, 64) | 1 << 2;
  const matrix a{128, 16, 16, 2}, b{64, 32, 16, 2, false, 32768};
  f.a = a.descriptor(), f.b = b.descriptor();
  const auto done = f.launch();
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<shared_traffic> all = traffic_of(done->launch());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].operation, "tcgen05.mma");
  EXPECT_FALSE(all[0].to_shared);
  EXPECT_EQ(all[0].executed, 1u);
  EXPECT_EQ(all[0].bytes, 128u * 32 + 64 * 64);
  EXPECT_EQ(all[0].byte_passes, 64u);
  EXPECT_EQ(all[0].tensor_cycles, 32u);
  const time_bound bound = bound_of(done->launch());
  EXPECT_EQ(bound.byte_passes, 64u);
  EXPECT_EQ(bound.tensor_cycles, 32u);
  EXPECT_TRUE(bound.nominal);
  const site& product = *std::find_if(done->launch().sites.begin(), done->launch().sites.end(),
                                      [](const site& s) { return s.async.kind == async_kind::tensor_product; });
  EXPECT_EQ(product.cycles, 0u);  // the product takes no cycles of the pipe for loads and stores
}

// --- large loads and stores

word cell(unsigned lane, unsigned column) { return 1000 * lane + column; }
word packed(unsigned lane, unsigned column) {
  return (cell(lane, 2 * column) & 0xffff) | (cell(lane, 2 * column + 1) & 0xffff) << 16;
}

TEST(TensorForms, LoadsLargeShapes) {
  using expected = word (*)(unsigned first, unsigned t, unsigned k);
  const std::pair<const char*, expected> cases[] = {
      {"large_32x32b", [](unsigned first, unsigned t, unsigned k) { return cell(first + t, k); }},
      {"large_32x32b_packed", [](unsigned first, unsigned t, unsigned k) { return packed(first + t, k); }},
      {"large_16x64b",
       [](unsigned first, unsigned t, unsigned k) { return cell(first + t / 4 + t % 2 * 8, 2 * k + t % 4 / 2); }},
      {"large_16x128b",
       [](unsigned first, unsigned t, unsigned k) { return cell(first + t / 4 + k % 2 * 8, k / 2 * 4 + t % 4); }},
      {"large_16x256b", [](unsigned first, unsigned t,
                           unsigned k) { return cell(first + t / 4 + k % 4 / 2 * 8, k / 4 * 8 + t % 4 * 2 + k % 2); }},
      {"large_16x32bx2",
       [](unsigned first, unsigned t, unsigned k) { return cell(first + t % 16, k + (t < 16 ? 0 : 256)); }},
      {"large_16x32bx2_packed",
       [](unsigned first, unsigned t, unsigned k) { return packed(first + t % 16, k + (t < 16 ? 0 : 128)); }},
  };
  for (const auto& [kernel, value] : cases) {
    const auto done = run_kernel({.cubin = forms_cubin,
                                  .kernel = kernel,
                                  .block = {128, 1, 1},
                                  .arguments = {"out:u32[" + std::to_string(4 * 4096) + "]"}});
    ASSERT_TRUE(done) << kernel << to_text(done.error());
    const std::vector<word> out = done->buffer<word>(0);
    for (unsigned w = 0; w < 4; ++w)
      for (unsigned k = 0; k < 128; ++k)
        for (unsigned t = 0; t < 32; ++t)
          ASSERT_EQ(out[w * 4096 + 32 * k + t], value(32 * w, t, k)) << kernel << " " << w << " " << k << " " << t;
  }
}

// On sm_103a, each thread also gets the minimum or maximum of the values that it loads.
TEST(TensorForms, ReducesWhatItLoads) {
  constexpr word nan = 0x7fffffff;
  const auto of = [](word x) { return float_of_bits(x); };
  const auto least = [&](word a, word b) {
    return std::isnan(of(a)) ? b : std::isnan(of(b)) || of(a) <= of(b) ? a : b;
  };
  const auto greatest = [&](word a, word b) {
    return std::isnan(of(a)) ? b : std::isnan(of(b)) || of(a) >= of(b) ? a : b;
  };
  const std::pair<const char*, std::function<word(word, word)>> cases[] = {
      {"least_u32", [](word a, word b) { return std::min(a, b); }},
      {"greatest_u32", [](word a, word b) { return std::max(a, b); }},
      {"least_s32", [](word a, word b) { return word(std::min(int(a), int(b))); }},
      {"greatest_s32", [](word a, word b) { return word(std::max(int(a), int(b))); }},
      {"least_f32", least},
      {"greatest_f32", greatest},
      {"greatest_magnitude", [&](word a, word b) { return greatest(a & 0x7fffffff, b & 0x7fffffff); }},
      {"least_with_nan", [&](word a, word b) { return std::isnan(of(a)) || std::isnan(of(b)) ? nan : least(a, b); }},
      {"greatest_of_halves", [](word a, word b) { return std::max(a, b); }}};
  random_words random(15);
  std::vector<word> image(128 * 64);
  for (word& w : image)
    w = random() % 16 == 0 ? 0x7fc00001 : bits_of_float(static_cast<float>(int(random() % 2001)) - 1000);
  for (const auto& [kernel, reduce] : cases) {
    const auto done = run_kernel({.cubin = "tests/kernels/ultra/reduced_loads.cubin",
                                  .kernel = kernel,
                                  .block = {128, 1, 1},
                                  .arguments = {"u8[32768]=file:image", "out:u32[256]"},
                                  .files = {{"image", bytes_of(image)}}});
    ASSERT_TRUE(done) << kernel << to_text(done.error());
    const std::vector<word> out = done->buffer<word>(1);
    const bool halves = std::string(kernel) == "greatest_of_halves";
    for (unsigned t = 0; t < 128; ++t) {
      const unsigned lane = halves ? t / 32 * 32 + t % 16 : t, first = halves && t % 32 >= 16 ? 16 : 0;
      const word* const cells = image.data() + lane * 64 + first;
      word expected = std::string(kernel) == "greatest_magnitude" ? cells[0] & 0x7fffffff : cells[0];
      for (unsigned k = 1; k < 8; ++k) expected = reduce(expected, cells[k]);
      EXPECT_EQ(out[2 * t], expected) << kernel << " " << t;
      EXPECT_EQ(out[2 * t + 1], cells[7]) << kernel << " " << t;
    }
  }
}

TEST(TensorForms, StoresEveryShape) {
  // `place` returns the cell that gets register k of thread t. `unpacks` means that a register fills two columns with
  // 16 bits each.
  struct store_case {
    const char* kernel;
    std::pair<unsigned, unsigned> (*place)(unsigned t, unsigned k);
    bool unpacks = false;
  };
  const store_case cases[] = {{"store_16x64b",
                               [](unsigned t, unsigned k) {
                                 return std::pair{t / 4 + t % 2 * 8, 2 * k + t % 4 / 2};
                               }},
                              {"store_16x128b_unpacked",
                               [](unsigned t, unsigned k) {
                                 return std::pair{t / 4 + k % 2 * 8, k / 2 * 4 + t % 4};
                               },
                               true},
                              {"store_16x256b",
                               [](unsigned t, unsigned k) {
                                 return std::pair{t / 4 + k % 4 / 2 * 8, t % 4 * 2 + k % 2};
                               }},
                              {"store_16x32bx2", [](unsigned t, unsigned k) {
                                 return std::pair{t % 16, k + (t < 16 ? 0 : 16)};
                               }}};
  for (const store_case& c : cases) {
    const auto done =
        run_kernel({.cubin = forms_cubin, .kernel = c.kernel, .block = {128, 1, 1}, .arguments = {"out:u32[8192]"}});
    ASSERT_TRUE(done) << c.kernel << to_text(done.error());
    std::vector<word> expected(8192);
    for (unsigned w = 0; w < 4; ++w)
      for (unsigned t = 0; t < 32; ++t)
        for (unsigned k = 0; k < 4; ++k) {
          const auto [lane, column] = c.place(t, k);
          const word value = 0x10000 * (1000 + k) + 32 * w + t;
          word* const row = expected.data() + (32 * w + lane) * 64;
          if (c.unpacks)
            row[2 * column] = value & 0xffff, row[2 * column + 1] = value >> 16;
          else
            row[column] = value;
        }
    EXPECT_EQ(done->buffer<word>(0), expected) << c.kernel;
  }
}

}  // namespace
}  // namespace bankwise
