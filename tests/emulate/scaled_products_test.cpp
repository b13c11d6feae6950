// Tests products of floats of 4, 6 and 8 bits, scaled or not, against a reference that follows only the manuals. The
// reference computes each element in rational numbers that have a common power of two. Exact sums are compared with
// long doubles. Other sums are compared with the rule of MMA-Sim (arXiv 2511.10909), which was not confirmed on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "emulate/block/block_state.hpp"
#include "emulate/block/worker.hpp"
#include "emulate/code/handler_table.hpp"

namespace bankwise::emulate {
namespace {

using sass::opcode;
using sass::scaled_product;
using sass::small_float;
using u32 = std::uint32_t;
using random_numbers = std::mt19937_64;

constexpr unsigned a_at = 0, b_at = 8, c_at = 16, d_at = 24, metadata_at = 40, a_scales_at = 41, b_scales_at = 42;

// The tables of the OCP and NVIDIA formats, written out.
constexpr double e2m1_values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
constexpr double e2m3_values[] = {0,     0.125, 0.25,  0.375, 0.5,   0.625, 0.75, 0.875, 1,    1.125, 1.25,
                                  1.375, 1.5,   1.625, 1.75,  1.875, 2,     2.25, 2.5,   2.75, 3,     3.25,
                                  3.5,   3.75,  4,     4.5,   5,     5.5,   6,    6.5,   7,    7.5};
constexpr double e3m2_values[] = {0,     0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625, 0.75,
                                  0.875, 1,      1.25,  1.5,    1.75, 2,      2.5,   3,      3.5, 4,     5,
                                  6,     7,      8,     10,     12,   14,     16,    20,     24,  28};

struct value {
  double number = 0;
  int exponent = 0;  // exponent of the leading bit; for a subnormal number, exponent of the smallest normal number
};
value from_table(const double* table, unsigned bits, unsigned magnitude_bits, int least) {
  const double magnitude = table[bits & ((1u << magnitude_bits) - 1)];
  const int exponent = magnitude == 0 ? -5000 : std::max(std::ilogb(magnitude), least);
  return {(bits >> magnitude_bits & 1) != 0 ? -magnitude : magnitude, exponent};
}
value from_byte(unsigned byte, int exponent_bits, int fraction_bits) {
  const int biased = static_cast<int>(byte >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1, e = std::max(biased, 1) - bias;
  const double fraction = static_cast<double>(byte & ((1u << fraction_bits) - 1)) / (1 << fraction_bits);
  double magnitude = std::ldexp(fraction + (biased != 0 ? 1 : 0), e);
  if (exponent_bits == 4 && (byte & 0x7f) == 0x7f) magnitude = NAN;
  if (exponent_bits == 5 && biased == 31) magnitude = fraction != 0 ? NAN : INFINITY;
  return {(byte & 0x80) != 0 ? -magnitude : magnitude, magnitude == 0 ? -5000 : e};
}
// Decodes a number in a byte. A number of 6 bits is in the lower bits, and a number of 4 bits is in the middle bits.
value decode(small_float type, unsigned byte) {
  switch (type) {
    case small_float::e4m3: return from_byte(byte, 4, 3);
    case small_float::e5m2: return from_byte(byte, 5, 2);
    case small_float::e3m2: return from_table(e3m2_values, byte & 0x3f, 5, -2);
    case small_float::e2m3: return from_table(e2m3_values, byte & 0x3f, 5, 0);
    case small_float::e2m1: return from_table(e2m1_values, byte >> 2 & 0xf, 3, 0);
  }
  return {};
}
struct scale {
  double significand = 1;
  int exponent = 0;
  bool is_nan = false;
};
scale decode_scale(unsigned byte, bool ue4m3) {
  if (!ue4m3) return {1, static_cast<int>(byte) - 127, byte == 0xff};
  const value v = from_byte(byte & 0x7f, 4, 3);
  if (std::isnan(v.number)) return {0, 0, true};
  return v.number == 0 ? scale{0, -6} : scale{std::ldexp(v.number, -v.exponent), v.exponent};
}

// The matrices in the layout of the PTX manual. K is the number of rows of B, also for a sparse A.
struct matrices {
  std::vector<std::vector<value>> a, b;    // `a` is indexed by row and column, `b` by column and row
  std::vector<std::vector<unsigned>> met;  // the row of B that belongs to each row and stored column of A
  std::vector<std::vector<scale>> a_scale, b_scale;
};

unsigned nibble(u32 word, unsigned n) { return word >> 4 * n & 0xf; }
unsigned byte_of(u32 word, unsigned n) { return word >> 8 * n & 0xff; }

matrices read(const warp& w, const scaled_product& p) {
  const sass::tensor_shape& s = p.shape;
  const bool nibbles = s.element_bits == 4;
  const unsigned stored = s.sparse ? s.k / 2 : s.k, each = nibbles ? 8 : 4;
  matrices m;
  m.a.assign(16, std::vector<value>(stored)), m.met.assign(16, std::vector<unsigned>(stored));
  m.b.assign(8, std::vector<value>(s.k));
  const auto element = [&](small_float type, u32 word, unsigned n, bool negated) {
    value v = nibbles ? from_table(e2m1_values, nibble(word, n), 3, 0) : decode(type, byte_of(word, n));
    if (negated) v.number = -v.number;
    return v;
  };
  // As in the manual: groupID = %laneid >> 2, threadID_in_group = %laneid % 4.
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned group = lane >> 2, thread = lane % 4;
    for (unsigned i = 0; i < stored / 2; ++i) {  // `i` is the index of a_i in the manual, in the order of the registers
      const unsigned row = i / each % 2 == 0 ? group : group + 8;
      const unsigned column = thread * each + i % each + (i >= 2 * each ? 4 * each : 0);
      m.a[row][column] = element(p.a_type, w.registers[a_at + i / each].at[lane], i % each, p.negates_a);
    }
    for (unsigned i = 0; i < s.k / 4; ++i)
      m.b[group][i / each * 4 * each + thread * each + i % each] =
          element(p.b_type, w.registers[b_at + i / each].at[lane], i % each, p.negates_b);
  }
  // A sparse A has 4 bits of metadata for four bytes, or for eight nibbles (four pairs). Two lanes hold the metadata of
  // a row.
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < stored; ++k) {
      m.met[row][k] = k;
      if (!s.sparse) continue;
      const unsigned piece = nibbles ? 2 : 1, group = k / (2 * piece), in_group = k / piece % 2;
      const u32 word = w.registers[p.metadata].at[4 * (row % 8) + row / 8 + 2 * (group / 8)];
      const unsigned chosen = word >> (4 * (group % 8) + 2 * in_group) & 3;
      m.met[row][k] = group * 4 * piece + chosen * piece + k % piece;
    }
  const u32 places = w.uniform[p.places];
  m.a_scale.assign(16, std::vector<scale>(4)), m.b_scale.assign(8, std::vector<scale>(4));
  for (unsigned k = 0; k < p.scales; ++k) {
    for (unsigned row = 0; row < 16; ++row) {
      const unsigned lane = 4 * (row % 8) + 2 * (places >> 2 & 1) + row / 8;
      m.a_scale[row][k] = decode_scale(byte_of(w.registers[p.a_scales].at[lane], (places & 3) + k), p.ue4m3);
    }
    for (unsigned column = 0; column < 8; ++column) {
      const unsigned lane = 4 * column + (places >> 5 & 3);
      m.b_scale[column][k] = decode_scale(byte_of(w.registers[p.b_scales].at[lane], (places >> 3 & 3) + k), p.ue4m3);
    }
  }
  return m;
}

double cut(double d) { return std::trunc(d); }

// Computes a sum by the rule of MMA-Sim, in the form of the paper.
double documented_sum(const matrices& m, const scaled_product& p, unsigned row, unsigned column, double c) {
  std::vector<double> terms{c};
  std::vector<int> exponents{c == 0 ? -126 : std::max(std::ilogb(c), -126)};
  const unsigned stored = static_cast<unsigned>(m.a[row].size());
  const bool nibbles = p.shape.element_bits == 4;
  const unsigned each = nibbles ? 16 : 1;
  for (unsigned first = 0; first < stored; first += each) {
    double sum = 0;
    int exponent = 0;
    for (unsigned k = first; k < first + each; ++k) {
      const value &a = m.a[row][k], &b = m.b[column][m.met[row][k]];
      sum += a.number * b.number;
      if (!nibbles) exponent = a.exponent + b.exponent;
    }
    if (p.scales != 0) {
      const unsigned block = first * p.scales / stored;
      const scale &sa = m.a_scale[row][block], &sb = m.b_scale[column][block];
      if (sa.is_nan || sb.is_nan) return NAN;
      exponent += sa.exponent + sb.exponent;
      sum *= sa.significand * sb.significand * std::ldexp(1.0, sa.exponent + sb.exponent);
    }
    if (sum == 0) exponent = -126;
    terms.push_back(sum), exponents.push_back(exponent);
  }
  double special = 0;
  for (const double t : terms) special += t;
  if (!std::isfinite(special)) return special;
  const int top = *std::max_element(exponents.begin(), exponents.end()), kept = nibbles ? 35 : 25;
  double sum = 0;
  for (const double t : terms) sum += cut(std::ldexp(t, kept - top));
  return std::ldexp(sum, top - kept);
}

// Returns the bits of the value, stored as a float or as a half.
u32 float_bits_of(double sum) {
  if (std::isnan(sum)) return 0x7fffffff;
  float f = static_cast<float>(sum);
  if (std::isfinite(sum) && std::fabs(static_cast<double>(f)) > std::fabs(sum))
    f = std::nextafter(f, 0.0f);  // toward zero
  if (std::isfinite(sum) && std::fabs(sum) >= 0x1p128) f = std::copysign(INFINITY, f);
  u32 bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}
u32 half_bits_of(double sum) {
  if (std::isnan(sum)) return 0x7fff;
  const u32 sign = std::signbit(sum) ? 0x8000 : 0;
  const double magnitude = std::fabs(sum);
  u32 best = 0;
  double distance = INFINITY;
  if (magnitude >= 65520) return sign | 0x7c00;
  for (u32 h = 0; h < 0x7c00; ++h) {
    const int e = static_cast<int>(h >> 10);
    const double v = std::ldexp((h & 0x3ff) + (e != 0 ? 1024.0 : 0.0), std::max(e, 1) - 25);
    const double d = std::fabs(v - magnitude);
    if (d < distance || (d == distance && h % 2 == 0)) best = h, distance = d;
    if (v > magnitude) break;
  }
  return sign | best;
}
double half_value(u32 h) {
  const int e = static_cast<int>(h >> 10 & 31);
  const double m = (h & 0x3ff) + (e != 0 ? 1024.0 : 0.0);
  const double v = e == 31 ? ((h & 0x3ff) != 0 ? NAN : INFINITY) : std::ldexp(m, std::max(e, 1) - 25);
  return (h & 0x8000) != 0 ? -v : v;
}

void run(instruction_use use, opcode op, const scaled_product& p, warp& w) {
  micro_op u;
  u.op = op;
  u.fields = p;
  path at{0, ~0u};
  worker m;
  m.w = &w;
  m.p = &at;
  ASSERT_EQ(handlers(use)[static_cast<std::size_t>(op)](m, u, ~0u), step::next) << m.fault;
}

struct product_kind {
  opcode op;
  unsigned k, element_bits, result_bits;
  bool sparse;
  unsigned scales;
  bool ue4m3;
};
constexpr product_kind kinds[] = {
    {opcode::QMMA, 32, 8, 32, false, 0, false},    {opcode::QMMA, 32, 8, 16, false, 0, false},
    {opcode::QMMA, 64, 8, 32, true, 0, false},     {opcode::QMMA, 64, 8, 16, true, 0, false},
    {opcode::QMMA_SF, 32, 8, 32, false, 1, false}, {opcode::QMMA_SF, 64, 8, 32, true, 1, false},
    {opcode::OMMA_SF, 64, 4, 32, false, 2, false}, {opcode::OMMA_SF, 64, 4, 32, false, 4, true},
    {opcode::OMMA_SF, 64, 4, 32, false, 4, false}, {opcode::OMMA_SF, 128, 4, 32, true, 2, false},
    {opcode::OMMA_SF, 128, 4, 32, true, 4, true},
};
constexpr small_float types[] = {small_float::e4m3, small_float::e5m2, small_float::e3m2, small_float::e2m3,
                                 small_float::e2m1};

scaled_product product_of(const product_kind& kind, small_float a, small_float b) {
  scaled_product p;
  p.shape = {16, kind.k, kind.element_bits, kind.result_bits, kind.sparse};
  p.a = a_at, p.b = b_at, p.c = c_at, p.result = d_at, p.metadata = metadata_at;
  p.a_scales = a_scales_at, p.b_scales = b_scales_at, p.places = 3;
  p.a_type = a, p.b_type = b, p.scales = static_cast<std::uint8_t>(kind.scales), p.ue4m3 = kind.ue4m3;
  return p;
}

enum class operands : std::uint8_t { any, finite, near, tiny };
warp random_warp(const scaled_product& p, operands which, random_numbers& next) {
  warp w;
  w.registers.resize(register_rows);
  for (unsigned r = 0; r < 48; ++r)
    for (u32& lane : w.registers[r].at) lane = static_cast<u32>(next());
  const bool to_half = p.shape.result_bits == 16;
  for (unsigned r = c_at; r < c_at + 4; ++r)
    for (u32& lane : w.registers[r].at) {
      if (which == operands::any) continue;
      const u32 sign = static_cast<u32>(next() % 2) << 31;
      lane = to_half ? static_cast<u32>(next()) & 0xbfffbfff
                     : sign | static_cast<u32>(118 + next() % 18) << 23 | static_cast<u32>(next() & 0x7fffff);
      if (which == operands::tiny) lane = to_half ? 0 : sign | static_cast<u32>(next() & 0x00ffffff);
    }
  if (which != operands::any)  // the operands contain no NaN and no infinity
    for (unsigned r = 0; r < 16; ++r)
      for (u32& lane : w.registers[r].at) lane &= p.shape.element_bits == 4 ? ~0u : 0xbfbfbfbf;
  for (const unsigned r : {a_scales_at, b_scales_at})
    for (u32& lane : w.registers[r].at)
      for (unsigned n = 0; n < 4; ++n) {
        if (which == operands::any) continue;
        const u32 one = p.ue4m3 ? 0x38 : 127;
        const u32 byte =
            which == operands::tiny ? static_cast<u32>(next() % 64) : one - 4 + static_cast<u32>(next() % 9);
        lane = (lane & ~(0xffu << 8 * n)) | byte << 8 * n;
      }
  // Selects two of four numbers, in order, as the manual requires for ordered metadata.
  if (which == operands::near)
    for (u32& lane : w.registers[metadata_at].at) {
      static constexpr u32 pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
      lane = 0;
      for (unsigned n = 0; n < 8; ++n) lane |= pairs[next() % 6] << 4 * n;
    }
  const auto some_byte = [&] {
    return p.scales == 1 ? static_cast<u32>(next() % 4) : p.scales == 2 ? static_cast<u32>(next() % 2) * 2 : 0;
  };
  const u32 byte_a = some_byte(), byte_b = some_byte();
  w.uniform[p.places] = byte_a | static_cast<u32>(next() % 2) << 2 | byte_b << 3 | static_cast<u32>(next() % 4) << 5;
  return w;
}

void compare(instruction_use use, const product_kind& kind, small_float a, small_float b, operands which,
             random_numbers& next) {
  scaled_product p = product_of(kind, a, b);
  p.negates_a = kind.op == opcode::QMMA && next() % 4 == 0, p.negates_b = kind.op == opcode::QMMA && next() % 4 == 0;
  warp w = random_warp(p, which, next);
  const matrices m = read(w, p);
  const warp before = w;
  run(use, kind.op, p, w);
  const bool to_half = kind.result_bits == 16;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
      const u32 word = before.registers[c_at + (to_half ? i / 2 : i)].at[lane];
      float f;
      std::memcpy(&f, &word, 4);
      const double c = to_half ? half_value(word >> 16 * (i % 2) & 0xffff) : static_cast<double>(f);
      const double sum = documented_sum(m, p, row, column, c);
      const u32 found = w.registers[d_at + (to_half ? i / 2 : i)].at[lane];
      const u32 expected = to_half ? half_bits_of(sum) : float_bits_of(sum);
      ASSERT_EQ(to_half ? found >> 16 * (i % 2) & 0xffff : found, expected)
          << "k " << kind.k << ", scales " << kind.scales << ", types " << static_cast<int>(a) << " "
          << static_cast<int>(b) << ", row " << row << ", column " << column << ": " << sum;
    }
}

class ScaledProducts : public testing::TestWithParam<instruction_use> {};

TEST_P(ScaledProducts, AreTheDocumentedSums) {
  random_numbers next(20261126);
  for (const product_kind& kind : kinds)
    for (const small_float a : types)
      for (const small_float b : types) {
        const bool is_plain = kind.op == opcode::QMMA && a <= small_float::e5m2 && b <= small_float::e5m2;
        if (is_plain) continue;  // matrix.cpp: tensor_products_test
        if (kind.op == opcode::OMMA_SF && (a != small_float::e2m1 || b != small_float::e2m1)) continue;
        for (const operands which : {operands::any, operands::finite, operands::near, operands::tiny})
          for (unsigned round = 0; round < (kind.op == opcode::OMMA_SF ? 30u : 2u); ++round) {
            compare(GetParam(), kind, a, b, which, next);
            if (HasFatalFailure()) return;
          }
      }
}

// Only one element of A and one element of B are not zero. So one sum is the product of these two elements and their
// scales. The other sums are zero.
TEST_P(ScaledProducts, EachElementMeetsItsPartnerAndItsScales) {
  for (const product_kind& kind : kinds) {
    if (kind.scales == 0 || kind.sparse) continue;
    scaled_product p = product_of(kind, small_float::e2m1, small_float::e2m1);
    const unsigned each = 32 / kind.element_bits, block = kind.k / kind.scales;
    for (unsigned k = 0; k < kind.k; ++k) {
      const unsigned row = (5 * k + 3) % 16, column = (3 * k + 1) % 8;
      warp w;
      w.registers.resize(register_rows);
      const unsigned shift = kind.element_bits * (k % each) + (kind.element_bits == 8 ? 2 : 0);
      const unsigned chunk = k / (4 * each), lane = k / each % 4;
      w.registers[a_at + 2 * chunk + row / 8].at[4 * (row % 8) + lane] = 0x3u << shift;  // 1.5
      w.registers[b_at + chunk].at[4 * column + lane] = 0x7u << shift;                   // 6
      const u32 one = p.ue4m3 ? 0x38 : 127, four = p.ue4m3 ? 0x48 : 129;
      for (const unsigned r : {a_scales_at, b_scales_at}) w.registers[r].at[0] = 0;
      for (unsigned t = 0; t < 32; ++t)
        w.registers[a_scales_at].at[t] = w.registers[b_scales_at].at[t] = one * 0x01010101u;
      // In A's row, the block that contains the element has the scale 4. This scale is in lane `row / 8` of the first
      // pair.
      u32& scales = w.registers[a_scales_at].at[4 * (row % 8) + row / 8];
      scales = (scales & ~(0xffu << 8 * (k / block))) | four << 8 * (k / block);
      run(GetParam(), kind.op, p, w);
      for (unsigned t = 0; t < 32; ++t)
        for (unsigned i = 0; i < 4; ++i) {
          const bool is_it = t / 4 + 8 * (i / 2) == row && 2 * (t % 4) + i % 2 == column;
          float f;
          std::memcpy(&f, &w.registers[d_at + i].at[t], 4);
          ASSERT_EQ(f, is_it ? 36.0f : 0.0f) << "k " << k << ", lane " << t << ", register " << i;
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Uses, ScaledProducts,
                         testing::Values(instruction_use::plain, instruction_use::avx2, instruction_use::best));

}  // namespace
}  // namespace bankwise::emulate
