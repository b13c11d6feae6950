// Tensor cores of sm_120: products of floats of 4, 6 and 8 bits, with and without scales for blocks of numbers.
//
// Fragments have the form described in matrix.cpp. The scales of a row of A are bytes in one of two pairs of lanes. The
// lower lane of a pair has the scales of row %laneid / 4, and the upper lane has the scales of row %laneid / 4 + 8. The
// scales of a column of B are bytes in one of four lanes. A uniform register selects lanes and bytes: bits 0-1 are the
// first byte of A, bit 2 is the pair of lanes of A, bits 3-4 are the first byte of B, bits 5-6 are the lane of B.
//
// These facts were not measured. Positions are from the PTX manual, and the order of additions is from MMA-Sim (arXiv
// 2511.10909).
#include <cmath>

#include "emulate/execute/small_floats.hpp"
#include "emulate/execute/tensor/sparse_rows.hpp"
#include "emulate/execute/tensor/tensor_core.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::scaled_product;
using sass::small_float;

// A number with the value integer * 2^(exponent - fraction_bits). `fraction_bits` depends on the type. Subnormal
// numbers have the type's least exponent. The exponent of zero is less than the exponent of any product.
struct small_number {
  std::int16_t integer = 0;
  std::int16_t exponent = 0;
  bool is_finite = true;
  float value = 0;
};
constexpr std::int16_t exponent_of_zero = -5000;
constexpr int least_exponent = -126;  // the least exponent of a float, and so also of a sum
constexpr int kept_bits = 25, kept_bits_of_groups = 35;
constexpr unsigned most_terms = 64, most_stored = 128, group_terms = 16;

constexpr small_float_format format_of(small_float t) {
  switch (t) {
    case small_float::e4m3: return e4m3_format;
    case small_float::e5m2: return e5m2_format;
    case small_float::e3m2: return e3m2_format;
    case small_float::e2m3: return e2m3_format;
    case small_float::e2m1: return e2m1_format;
  }
  return {};
}

small_number make_small_number(small_float type, unsigned bits) {
  const small_float_format f = format_of(type);
  const small_float_parts p = parts_of(f, bits);
  small_number n;
  n.integer = static_cast<std::int16_t>(p.is_negative ? -p.integer : p.integer);
  n.exponent = p.integer == 0 ? exponent_of_zero : static_cast<std::int16_t>(p.exponent);
  n.value = static_cast<float>(std::ldexp(n.integer, p.exponent - f.fraction_bits));
  if (type == small_float::e4m3 && (bits & 0x7f) == 0x7f) n.value = NAN, n.is_finite = false;
  if (type == small_float::e5m2 && (bits & 0x7c) == 0x7c)
    n.value = (bits & 3) != 0 ? NAN : std::copysign(INFINITY, p.is_negative ? -1.0f : 1.0f), n.is_finite = false;
  return n;
}
struct small_table {
  small_number at[256];
};
// All numbers of a type. The index is the byte that stores the number.
const small_table& bytes_of(small_float type) {
  static const auto make = [](small_float t) {
    small_table table;
    // A number of 4 bits is in the middle bits of its byte.
    for (unsigned byte = 0; byte < 256; ++byte)
      table.at[byte] = make_small_number(t, t == small_float::e2m1 ? byte >> 2 : byte);
    return table;
  };
  static const small_table tables[] = {make(small_float::e4m3), make(small_float::e5m2), {},
                                       make(small_float::e3m2), make(small_float::e2m3), make(small_float::e2m1)};
  return tables[static_cast<unsigned>(type)];
}

// The bytes of A row by row, or of B column by column.
struct small_fragment {
  i32 integer[16][most_stored] = {};
  i32 exponent[16][most_stored] = {};
  float value[16][most_stored] = {};
  bool is_finite[16] = {};
};
// Calls put(row, k, word, n) for each element. B has half as many rows as A, so its registers continue with later
// values of k.
template <class Put>
void each_small(worker& m, unsigned first, unsigned registers, bool of_a, unsigned per_register, Put put) {
  for (unsigned i = 0; i < registers; ++i) {
    const u32* word = operand_row(m, first, i);
    const unsigned half = of_a ? i % 2 : 0, chunk = of_a ? i / 2 : i;
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned n = 0; n < per_register; ++n)
        put(t / 4 + 8 * half, (4 * chunk + t % 4) * per_register + n, word[t], n);
  }
}
void read_bytes(worker& m, unsigned first, unsigned registers, bool of_a, small_float type, bool negate,
                small_fragment& f) {
  const small_table& table = bytes_of(type);
  for (bool& finite : f.is_finite) finite = true;
  each_small(m, first, registers, of_a, 4, [&](unsigned row, unsigned k, u32 word, unsigned n) {
    const small_number& number = table.at[word >> 8 * n & 0xff];
    f.integer[row][k] = negate ? -number.integer : number.integer;
    f.exponent[row][k] = number.exponent;
    f.value[row][k] = negate ? -number.value : number.value;
    f.is_finite[row] &= number.is_finite;
  });
}

// A scale. Its value is integer * 2^exponent for UE8M0, and integer * 2^(exponent - 3) for UE4M3.
struct block_scale {
  int integer = 1, exponent = 0;
  bool is_nan = false;
};
block_scale scale_of(u32 byte, bool ue4m3) {
  if (!ue4m3) return {1, static_cast<int>(byte) - 127, byte == 0xff};
  const small_float_parts p = parts_of(e4m3_format, byte & 0x7f);
  return (byte & 0x7f) == 0x7f ? block_scale{0, 0, true} : block_scale{p.integer, p.exponent, false};
}
// The first index is the row of A or the column of B. The second index is the block of numbers along k.
struct scale_table {
  block_scale at[16][4];
};
void read_scales(worker& m, const scaled_product& p, scale_table& a, scale_table& b) {
  const u32 places = m.w->uniform[p.places];
  const u32 *of_a = operand_row(m, p.a_scales, 0), *of_b = operand_row(m, p.b_scales, 0);
  const auto byte = [](u32 word, unsigned n) { return word >> 8 * (n % 4) & 0xff; };
  for (unsigned k = 0; k < p.scales; ++k) {
    for (unsigned row = 0; row < 16; ++row)
      a.at[row][k] = scale_of(byte(of_a[4 * (row % 8) + 2 * (places >> 2 & 1) + row / 8], (places & 3) + k), p.ue4m3);
    for (unsigned column = 0; column < 8; ++column)
      b.at[column][k] = scale_of(byte(of_b[4 * column + (places >> 5 & 3)], (places >> 3 & 3) + k), p.ue4m3);
  }
}

// A number of C with the value integer * 2^(exponent - 23).
struct small_sum {
  i64 integer = 0;
  int exponent = least_exponent;
};
small_sum sum_of(double c) {
  if (c == 0) return {};
  const int exponent = std::max(std::ilogb(c), least_exponent);
  return {static_cast<i64>(std::ldexp(c, 23 - exponent)), exponent};
}
// Shifts n to the left, or to the right with rounding toward zero.
i64 shift_toward_zero(i64 n, int left) {
  if (left >= 0) return n << left;
  const i64 magnitude = n < 0 ? -n : n, cut = left <= -63 ? 0 : magnitude >> -left;
  return n < 0 ? -cut : cut;
}

// Stores D, which has 16 x 8 sums. sum_up(row, column, c) computes a sum.
template <class SumUp>
void store_small_sums(worker& m, const scaled_product& p, SumUp sum_up, u32 mask) {
  const bool to_f32 = p.shape.result_bits == 32;
  const unsigned registers = to_f32 ? 4 : 2;
  u32 r[4][32] = {};
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      const unsigned i = row / 8 * 2 + column % 2, t = row % 8 * 4 + column / 2, shift = 16 * (column % 2);
      const u32 word = operand_row(m, p.c, to_f32 ? i : i / 2)[t];
      const double c = to_f32 ? float_of_bits(word) : float_of_half(static_cast<std::uint16_t>(word >> shift));
      const double sum = sum_up(row, column, c);
      if (to_f32)
        r[i][t] = cut_to_float(sum);
      else
        r[i / 2][t] |= static_cast<u32>(half_of_double(sum)) << shift;
    }
  for (unsigned i = 0; i < registers; ++i) store(m.w->reg(written_row(p.result, i)), r[i], mask);
}

// Products of floats in bytes. All bits that are more than 25 places below the largest exponent of the products and C
// are dropped.
void multiply_bytes(worker& m, const scaled_product& p, u32 mask) {
  const sass::tensor_shape& s = p.shape;
  small_fragment a, b;
  scale_table a_scales, b_scales;
  read_bytes(m, p.a, s.a_registers(), true, p.a_type, p.negates_a, a);
  read_bytes(m, p.b, s.b_registers(), false, p.b_type, p.negates_b, b);
  if (p.scales != 0) read_scales(m, p, a_scales, b_scales);
  const rows_met met(s, operand_row(m, p.metadata, 0), p.selector);
  const unsigned count = s.a_columns();
  const int fraction_bits = format_of(p.a_type).fraction_bits + format_of(p.b_type).fraction_bits;
  const auto sum_up = [&](unsigned row, unsigned column, double c) -> double {
    const block_scale &sa = a_scales.at[row][0], &sb = b_scales.at[column][0];
    if (sa.is_nan || sb.is_nan) return NAN;
    const std::uint8_t* at = met.at[row];
    const int scale = sa.exponent + sb.exponent;
    if (!a.is_finite[row] || !b.is_finite[column] || !std::isfinite(c)) {
      double special = c;  // stays finite if a sparse A skips all infinite numbers of B
      for (unsigned k = 0; k < count; ++k) special += static_cast<double>(a.value[row][k]) * b.value[column][at[k]];
      if (!std::isfinite(special)) return special;
    }
    i32 product[most_terms], exponent[most_terms];
    i32 top_product = 2 * exponent_of_zero;
    for (unsigned k = 0; k < count; ++k) {
      product[k] = a.integer[row][k] * b.integer[column][at[k]];
      exponent[k] = a.exponent[row][k] + b.exponent[column][at[k]];
      top_product = std::max(top_product, exponent[k]);
    }
    const small_sum start = sum_of(c);
    const int top = std::max(start.exponent, top_product + scale);
    i64 sum = shift_toward_zero(start.integer, start.exponent - 23 + kept_bits - top);
    for (unsigned k = 0; k < count; ++k) {
      // The magnitude is below 2^31. The count of a right shift is never negative.
      const int right = std::min(top - exponent[k] - scale + fraction_bits - kept_bits + 23, 31);
      const u32 magnitude = static_cast<u32>(product[k] < 0 ? -product[k] : product[k]) << 23 >> right;
      sum += product[k] < 0 ? -static_cast<i64>(magnitude) : static_cast<i64>(magnitude);
    }
    return std::ldexp(static_cast<double>(sum), top - kept_bits);
  };
  store_small_sums(m, p, sum_up, mask);
}

// Products of 4-bit floats. 16 products are added exactly, and their sum is multiplied by the two scales. Then all bits
// that are more than 35 places below the largest exponent of the scale pairs and C are dropped.
void multiply_nibbles(worker& m, const scaled_product& p, u32 mask) {
  static constexpr std::int8_t halves[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const sass::tensor_shape& s = p.shape;
  std::int8_t a[16][most_stored], b[8][most_stored];
  scale_table a_scales, b_scales;
  each_small(m, p.a, s.a_registers(), true, 8,
             [&](unsigned row, unsigned k, u32 word, unsigned n) { a[row][k] = halves[word >> 4 * n & 0xf]; });
  each_small(m, p.b, s.b_registers(), false, 8,
             [&](unsigned column, unsigned k, u32 word, unsigned n) { b[column][k] = halves[word >> 4 * n & 0xf]; });
  read_scales(m, p, a_scales, b_scales);
  const rows_met met(s, operand_row(m, p.metadata, 0), p.selector);
  const unsigned groups = s.a_columns() / group_terms, groups_of_scale = groups / p.scales;
  const int fraction_bits = p.ue4m3 ? 2 + 6 : 2;
  const auto sum_up = [&](unsigned row, unsigned column, double c) -> double {
    i64 term[most_terms / group_terms];
    int exponent[most_terms / group_terms];
    bool is_nan = false;
    const small_sum start = std::isfinite(c) ? sum_of(c) : small_sum{};
    int top = start.exponent;
    for (unsigned g = 0; g < groups; ++g) {
      const block_scale &sa = a_scales.at[row][g / groups_of_scale], &sb = b_scales.at[column][g / groups_of_scale];
      is_nan |= sa.is_nan || sb.is_nan;
      i32 sum = 0;
      for (unsigned k = group_terms * g; k < group_terms * (g + 1); ++k) sum += a[row][k] * b[column][met.at[row][k]];
      term[g] = static_cast<i64>(sum) * sa.integer * sb.integer;
      exponent[g] = sa.exponent + sb.exponent;
      if (term[g] != 0) top = std::max(top, exponent[g]);
    }
    if (is_nan) return NAN;
    if (!std::isfinite(c)) return c;
    i64 sum = shift_toward_zero(start.integer, start.exponent - 23 + kept_bits_of_groups - top);
    for (unsigned g = 0; g < groups; ++g)
      if (term[g] != 0) sum += shift_toward_zero(term[g], exponent[g] - fraction_bits + kept_bits_of_groups - top);
    return std::ldexp(static_cast<double>(sum), top - kept_bits_of_groups);
  };
  store_small_sums(m, p, sum_up, mask);
}

step scaled_mma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& p = u.as<scaled_product>();
  if (p.has_predicate)
    return m.fail("bankwise cannot execute a matrix instruction with a predicate yet", -1, missing_hint);
  p.shape.element_bits == 4 ? multiply_nibbles(m, p, mask) : multiply_bytes(m, p, mask);
  return step::next;
}

}  // namespace

step multiply_small_numbers(worker& m, const micro_op& u, u32 mask) { return scaled_mma(m, u, mask); }

void add_scaled_products(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::QMMA_SF, scaled_mma);
  set(op::OMMA_SF, scaled_mma);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
