// Compares tcgen05 on sm_100a with sums and positions that this file computes one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "base/float_bits.hpp"
#include "support/kernel_run.hpp"
#include "support/tensor_operands.hpp"

namespace bankwise {
namespace {

constexpr const char* cubin = "tests/kernels/blackwell/tensor_memory.cubin";
using namespace test;

result<test::kernel_run> run(const std::string& kernel, std::vector<std::string> arguments,
                             const std::string& image = {}, std::uint32_t shared = 0) {
  return test::run_kernel({.cubin = cubin,
                           .kernel = kernel,
                           .block = {128, 1, 1},
                           .shared = shared,
                           .arguments = std::move(arguments),
                           .files = {{"image", image}}});
}

// --- tcgen05.ld

struct move_case {
  std::string kernel;
  unsigned registers;
  word (*expected)(unsigned warp, unsigned thread, unsigned k);
};
word cell(unsigned lane, unsigned column) { return 1000 * lane + column; }
word packed(unsigned lane, unsigned column) {
  return (cell(lane, column) & 0xffff) | (cell(lane, column + 1) & 0xffff) << 16;
}

TEST(TensorMemory, LoadsEveryShape) {
  const move_case cases[] = {
      {"load_32x32b", 4, [](unsigned w, unsigned t, unsigned k) { return cell(32 * w + t, 3 + k); }},
      {"load_32x32b_packed", 4, [](unsigned w, unsigned t, unsigned k) { return packed(32 * w + t, 2 + 2 * k); }},
      // Each group of four threads has two rows: threads 0 and 2 have row 0, threads 1 and 3 have row 8.
      {"load_16x64b", 4,
       [](unsigned w, unsigned t, unsigned k) {
         return cell(32 * w + t / 4 + (t % 2 == 1 ? 8 : 0), 1 + 2 * k + (t % 4 >= 2 ? 1 : 0));
       }},
      {"load_16x128b", 4,
       [](unsigned w, unsigned t, unsigned k) {
         return cell(32 * w + t / 4 + (k % 2 == 1 ? 8 : 0), 5 + t % 4 + (k >= 2 ? 4 : 0));
       }},
      {"load_16x256b", 8,
       [](unsigned w, unsigned t, unsigned k) {
         const unsigned pair = k / 2 % 2, eight = k / 4;
         return cell(32 * w + t / 4 + 8 * pair, 8 + 8 * eight + 2 * (t % 4) + k % 2);
       }},
      {"load_16x256b_packed", 8,
       [](unsigned w, unsigned t, unsigned k) {
         const unsigned pair = k / 2 % 2, eight = k / 4;
         return packed(32 * w + t / 4 + 8 * pair, 2 * (8 * eight + 2 * (t % 4) + k % 2));
       }},
      {"load_16x32bx2", 4,
       [](unsigned w, unsigned t, unsigned k) { return cell(32 * w + t % 16, k + (t >= 16 ? 16 : 0)); }},
  };
  for (const move_case& c : cases) {
    const auto done = run(c.kernel, {"out:u32[" + std::to_string(128 * c.registers) + "]"});
    ASSERT_TRUE(done) << c.kernel << to_text(done.error());
    const std::vector<word> out = done->buffer<word>(0);
    for (unsigned w = 0; w < 4; ++w)
      for (unsigned k = 0; k < c.registers; ++k)
        for (unsigned t = 0; t < 32; ++t)
          ASSERT_EQ(out[(w * c.registers + k) * 32 + t], c.expected(w, t, k))
              << c.kernel << " warp " << w << " register " << k << " thread " << t;
  }
}

// --- tcgen05.mma

struct product_case {
  std::string kernel;
  unsigned rows, columns;
  number_type a, b;
  word type;  // the instruction descriptor, except the fields M and N
  unsigned layout_a = 2, layout_b = 2;
  bool a_transposed = false, b_transposed = false, adds = true;
  double factor = 1;  // the previous D
};

// Returns the lane and column that hold an element of D.
std::pair<unsigned, unsigned> place_of(const product_case& c, unsigned row, unsigned column) {
  if (c.kernel == "product_f16_stationary") {
    const unsigned parts = 128 / c.rows, each = c.columns / parts;
    return {row + column / each * c.rows, column % each};
  }
  return c.rows == 64 ? std::pair{row / 16 * 32 + row % 16, column} : std::pair{row, column};
}

void expect_product(const product_case& c, unsigned seed) {
  random_words random(seed);
  matrix a{c.rows, 256 / c.a.bits, c.a.bits, c.layout_a, c.a_transposed},
      b{c.columns, 256 / c.b.bits, c.b.bits, c.layout_b, c.b_transposed, 32768};
  std::string image(65536, '\0');
  const bool from_tensors = c.kernel == "product_f16_from_tensors";
  std::vector<double> x, y;
  std::uint64_t descriptor = a.descriptor();
  if (from_tensors) {  // rows of a dense matrix that is not in shared memory
    a = {c.rows, a.depth, a.bits, 0};
    descriptor = 0;
    for (unsigned row = 0; row < c.rows; ++row)
      for (unsigned k = 0; k < a.depth; ++k) {
        const word n = c.a.make(random);
        x.push_back(c.a.value(n));
        put_bits(image, 32 * row, 16 * k, 16, n);
      }
  } else {
    x = fill(image, a, c.a, random);
  }
  y = fill(image, b, c.b, random);
  const word type = c.type | (c.a_transposed ? 1u << 15 : 0) | (c.b_transposed ? 1u << 16 : 0) | c.columns / 8 << 17 |
                    c.rows / 16 << 24;
  const auto done =
      run(c.kernel,
          {"u8[65536]=file:image", "u32=65536", "u64=" + std::to_string(descriptor),
           "u64=" + std::to_string(b.descriptor()), "u32=" + std::to_string(type), c.adds ? "u32=1" : "u32=0",
           "u32=" + std::to_string(c.columns), "out:u32[" + std::to_string(128 * c.columns) + "]"},
          image, 65536);
  ASSERT_TRUE(done) << c.kernel << to_text(done.error());
  const std::vector<word> out = done->buffer<word>(7);
  for (unsigned row = 0; row < c.rows; ++row)
    for (unsigned column = 0; column < c.columns; ++column) {
      const auto [lane, cell] = place_of(c, row, column);
      const float before = static_cast<float>(lane) + 0.25f * static_cast<float>(cell);
      const bool integers = (c.type >> 4 & 3) == 2;
      double sum = !c.adds ? 0 : integers ? static_cast<std::int32_t>(bits_of_float(before)) : before * c.factor;
      for (unsigned k = 0; k < a.depth; ++k) sum += x[row * a.depth + k] * y[column * a.depth + k];
      const word got = out[lane * c.columns + cell];
      if (integers)
        ASSERT_EQ(got, static_cast<word>(static_cast<std::int64_t>(sum))) << c.kernel << " " << row << " " << column;
      else
        ASSERT_EQ(float_of_bits(got), static_cast<float>(sum)) << c.kernel << " " << row << " " << column;
    }
}

TEST(TensorMemory, MultipliesEveryKindAndLayout) {
  constexpr word to_f32 = 1 << 4, to_s32 = 2 << 4;
  constexpr word tf32_types = 2 << 7 | 2 << 10, mixed = 3 << 7 | 5 << 10, signed_a = 1 << 7;
  const product_case cases[] = {
      {"product_f16", 128, 64, f16, f16, to_f32},
      {"product_f16", 128, 256, f16, f16, to_f32, 4, 6},
      {"product_f16", 64, 32, f16, f16, to_f32, 0, 0},
      {"product_f16", 128, 64, f16, f16, to_f32, 2, 2, true, true, false},
      {"product_f16", 128, 64, f16, f16, to_f32, 0, 4, true, true},
      {"product_f16_scaled", 128, 16, f16, f16, to_f32, 2, 2, false, false, true, 0.25},
      {"product_f16_from_tensors", 128, 64, f16, f16, to_f32},
      {"product_f16_stationary", 128, 64, f16, f16, to_f32},
      {"product_f16_stationary", 64, 64, f16, f16, to_f32},
      {"product_f16_stationary", 32, 128, f16, f16, to_f32},
      {"product_tf32", 128, 48, tf32, tf32, to_f32 | tf32_types},
      {"product_tf32", 128, 64, tf32, tf32, to_f32 | tf32_types, 1, 1, true, true},
      {"product_f8f6f4", 128, 40, e4m3, e4m3, to_f32, 6, 0},
      {"product_f8f6f4", 128, 128, e4m3, e4m3, to_f32, 2, 2, true, true},
      {"product_f8f6f4", 128, 16, e2m3, e2m1, to_f32 | mixed},
      {"product_i8", 128, 64, signed8, unsigned8, to_s32 | signed_a},
  };
  for (unsigned n = 0; n < std::size(cases); ++n) expect_product(cases[n], n);
}

// Each lane has 12 words of scales for the rows of A and the columns of B. Each word is for a group of 32 rows or
// columns.
struct scaled_case {
  std::string kernel;
  number_type numbers;
  word type;
  unsigned block;  // number of matrix elements that share a scale
  bool powers;
  unsigned first_byte = 0;
};

TEST(TensorMemory, AppliesScales) {
  const scaled_case cases[] = {{"product_mxf8f6f4", e4m3, 1 << 23, 32, true},
                               {"product_mxf8f6f4", e4m3, 1 << 23 | 2 << 29 | 2 << 4, 32, true, 2},
                               {"product_mxf4", packed_e2m1, 1 << 23 | 1 << 7 | 1 << 10, 32, true},
                               {"product_mxf4nvf4", packed_e2m1, 1 << 7 | 1 << 10, 16, false}};
  for (const scaled_case& c : cases) {
    random_words random(7);
    constexpr unsigned rows = 128, columns = 128;
    const matrix a{rows, 256 / c.numbers.bits, c.numbers.bits, 2},
        b{columns, 256 / c.numbers.bits, c.numbers.bits, 4, false, 32768};
    std::string image(65536 + 32 * 12 * 4, '\0');
    const std::vector<double> x = fill(image, a, c.numbers, random), y = fill(image, b, c.numbers, random);
    std::vector<unsigned char> scale(32 * 12 * 4);
    for (unsigned char& s : scale) s = static_cast<unsigned char>(c.powers ? 124 + random() % 7 : 0x30 + random() % 16);
    std::copy(scale.begin(), scale.end(), image.begin() + 65536);
    const auto scale_of = [&](unsigned n, unsigned block, unsigned first_word) {
      const unsigned char s = scale[(n % 32 * 12 + first_word + n / 32) * 4 + c.first_byte + block];
      return c.powers ? std::pow(2.0, s - 127) : small(s, 4, 3);
    };
    const word type = c.type | columns / 8 << 17 | rows / 16 << 24;
    const auto done = run(
        c.kernel,
        {"u8[" + std::to_string(image.size()) + "]=file:image", "u32=65536", "u64=" + std::to_string(a.descriptor()),
         "u64=" + std::to_string(b.descriptor()), "u32=" + std::to_string(type), "u32=0",
         "u32=" + std::to_string(columns), "out:u32[" + std::to_string(128 * columns) + "]"},
        image, 65536);
    ASSERT_TRUE(done) << c.kernel << to_text(done.error());
    const std::vector<word> out = done->buffer<word>(7);
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned column = 0; column < columns; ++column) {
        double sum = 0;
        for (unsigned k = 0; k < a.depth; ++k)
          sum += x[row * a.depth + k] * scale_of(row, k / c.block, 0) * y[column * a.depth + k] *
                 scale_of(column, k / c.block, 4);
        ASSERT_EQ(float_of_bits(out[row * columns + column]), static_cast<float>(sum))
            << c.kernel << " " << row << " " << column;
      }
  }
}

// --- tcgen05.cp

struct copy_case {
  std::string kernel;
  unsigned rows, bytes;          // of a row
  int (*row_of)(unsigned lane);  // -1: not written
  unsigned bits = 8;
};

TEST(TensorMemory, CopiesEveryShape) {
  const auto same = [](unsigned lane) { return static_cast<int>(lane); };
  const copy_case cases[] = {
      {"copy_128x256b", 128, 32, same},
      {"copy_128x128b", 128, 16, same},
      {"copy_4x256b", 8, 32, [](unsigned lane) { return lane % 32 == 0 ? static_cast<int>(lane / 32) : -1; }},
      {"copy_64x128b_02_13", 64, 16, [](unsigned lane) { return static_cast<int>(lane % 64); }},
      {"copy_64x128b_01_23", 64, 16, [](unsigned lane) { return static_cast<int>(lane / 64 * 32 + lane % 32); }},
      {"copy_32x128b", 32, 16, [](unsigned lane) { return static_cast<int>(lane % 32); }},
      {"copy_4_bits", 128, 32, same, 4},
      {"copy_6_bits", 128, 32, same, 6},
  };
  for (const copy_case& c : cases) {
    random_words random(3);
    const matrix m{c.rows, c.bytes, 8, 0};
    std::string image(8192, '\0');
    for (char& byte : image) byte = static_cast<char>(random());
    const auto done =
        run(c.kernel, {"u8[8192]=file:image", "u32=8192", "u64=" + std::to_string(m.descriptor()), "out:u32[1024]"},
            image, 8192);
    ASSERT_TRUE(done) << c.kernel << to_text(done.error());
    const std::vector<unsigned char> out = done->buffer<unsigned char>(3);
    for (unsigned lane = 0; lane < 128; ++lane)
      for (unsigned byte = 0; byte < 32; ++byte) {
        const int row = byte < c.bytes ? c.row_of(lane) : -1;
        unsigned expected = 0;
        if (row >= 0) {
          const unsigned piece = m.piece(static_cast<unsigned>(row), byte);
          for (unsigned i = 0; i < c.bits; ++i) {
            const unsigned bit = byte % 16 * c.bits + i;
            expected |= (static_cast<unsigned char>(image[piece + bit / 8]) >> bit % 8 & 1u)
                        << (c.bits == 4 ? i + 2 : i);
          }
        }
        ASSERT_EQ(out[lane * 32 + byte], expected) << c.kernel << " lane " << lane << " byte " << byte;
      }
  }
}

// --- refused uses, and counts of wavefronts

TEST(TensorMemory, NamesColumnsThatAreNotAllocated) {
  const auto done = run("loads_unallocated", {"out:u32[128]"});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find(
                "tcgen05.ld reads columns 32 to 32 of tensor memory, but the block has allocated columns 0 to 31"),
            std::string::npos)
      << done.error().message;
}

TEST(TensorMemory, NamesLanesOfOtherWarps) {
  const auto done = run("loads_lanes_of_others", {"out:u32[128]"});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("warp 0 can access only lanes 0 to 31"), std::string::npos)
      << done.error().message;
}

// The last load reads its address from tensor memory.
TEST(TensorMemory, GivesAddressesOfSharedMemory) {
  const auto done = run("address_from_tensors", {"out:u32[128]", "u32=1"});
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<word> out = done->buffer<word>(0);
  for (unsigned t = 0; t < 128; ++t) EXPECT_EQ(out[t], (t * 8 % 128) * 8 % 128) << t;
}

}  // namespace
}  // namespace bankwise
