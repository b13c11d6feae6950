// Computes products of a warp's fragments with vector instructions. A function returns false if it cannot compute the
// product. The caller then computes the product number by number.
#pragma once

#include "emulate/execute/packs.hpp"
#include "emulate/execute/tensor/float_tile.hpp"
#include "emulate/execute/tensor/integer_tile.hpp"
#include "emulate/execute/tensor/sparse_rows.hpp"

#if defined(BANKWISE_TENSOR_VECTORS)
namespace bankwise::emulate::BANKWISE_ISA {

// These functions return the core matrices of A and of B. The registers of A alternate between rows 0 to 7 and rows 8
// to 15.
static inline auto rows_at(worker& m, const sass::matrix_product& p) {
  return [&m, &p](unsigned half, unsigned n) -> const void* {
    return operand_row(m, p.a, p.shape.rows == 16 ? 2 * n + half : n);
  };
}
// Whether the shape consists of whole core matrices and fits into the arrays.
static inline bool has_whole_cores(const sass::tensor_shape& s) {
  const unsigned a_bits = s.a_columns() * s.element_bits, b_bits = s.k * s.element_bits;
  return a_bits % 128 == 0 && a_bits <= 256 && b_bits <= 512;
}
static inline auto columns_at(worker& m, const sass::matrix_product& p) {
  return [&m, &p](unsigned n) -> const void* { return operand_row(m, p.b, n); };
}

// How a tensor core adds products. `together`: number of products that are added at a time. `kept`: bits of a sum.
// `shortens`: whether a float result keeps fewer bits.
struct sum_rule {
  unsigned together;
  int kept = 25;
  bool shortens = false;
};

// Adds `count` products to each of 16 x 8 sums. `to_half`: rounds each result to the nearest half.
template <class Columns>
static inline bool add_in_parts(const float_rows& a, const Columns& b, unsigned count, bool relative,
                                const sum_rule& rule, bool to_half, float_sums& s) {
  for (unsigned first = 0; first < count; first += rule.together) {
    if (first != 0 && to_half) round_to_halves(s);
    if (!add_products(a, b, first, rule.together, relative, rule.kept, to_half, s)) return false;
    if (rule.shortens && !to_half) shorten(s);
  }
  return true;
}

// Reads the core matrices of B, and adds `count` products to each sum. `met`: the selected rows of B for a sparse A;
// null if A is dense.
template <number a_kind, number b_kind, bool exact, class Columns>
[[gnu::always_inline]] static inline bool read_b_and_add(const float_rows& a, Columns columns, unsigned columns_count,
                                                         unsigned count, const rows_met* met, bool negates_b,
                                                         const sum_rule& rule, bool to_half, float_sums& s) {
  constexpr bool relative = number_form<a_kind, exact>::relative;
  if (met == nullptr) {
    float_columns b;
    return read_columns<b_kind, exact>(columns, columns_count, negates_b, b) &&
           add_in_parts(a, b, count, relative, rule, to_half, s);
  }
  met_columns chosen;
  if constexpr (b_kind == number::tf32) {
    if (!choose_halves<exact>(columns, columns_count, met->at, count, negates_b, chosen)) return false;
  } else {
    float_columns b;
    if (!read_columns<b_kind, exact>(columns, columns_count, negates_b, b)) return false;
    choose_columns(b, met->at, count, chosen);
  }
  return add_in_parts(a, chosen, count, relative, rule, to_half, s);
}

template <number a_kind, number b_kind>
static bool multiply_fragments(worker& m, const sass::matrix_product& p, const sum_rule& rule, u32 mask) {
  const sass::tensor_shape& shape = p.shape;
  if (shape.rows != 16 || !has_whole_cores(shape)) return false;
  const bool to_half = shape.result_bits != 32;
  const auto c = [&](unsigned i) { return operand_row(m, p.c, i); };
  float_sums s;
  to_half ? load_half_sums(c, s) : load_float_sums(c, s);
  float_rows a;
  if (!read_rows<a_kind, false>(rows_at(m, p), shape.a_registers() / 2, p.negates_a, a)) return false;
  const auto add = [&](const rows_met* met) {
    return read_b_and_add<a_kind, b_kind, false>(a, columns_at(m, p), shape.b_registers(), shape.a_columns(), met,
                                                 p.negates_b, rule, to_half, s);
  };
  if (shape.sparse) {
    const rows_met met(shape, operand_row(m, p.metadata, 0), p.selector);
    if (!add(&met)) return false;
  } else if (!add(nullptr)) {
    return false;
  }
  u32 r[4][32];
  to_half ? save_half_sums(s, r) : save_float_sums(s, r);
  for (unsigned i = 0; i < (to_half ? 2u : 4u); ++i) store(m.w->reg(written_row(p.result, i)), r[i], mask);
  return true;
}

template <integer_form form, class Product>
static bool multiply_integer_fragments(worker& m, const sass::matrix_product& p, u32 mask) {
  const sass::tensor_shape& shape = p.shape;
  if (!has_whole_cores(shape)) return false;
  const unsigned words = shape.a_columns() * shape.element_bits / 128 * 4 * fours_of(form);
  integer_rows a;
  integer_columns b;
  integer_sums s;
  read_integers<form>(rows_at(m, p), shape.rows, words / (4 * fours_of(form)), p.a_signed, a);
  read_integer_columns<form>(columns_at(m, p), shape.b_registers(), p.b_signed, b);
  load_integer_sums([&](unsigned i) { return operand_row(m, p.c, i); }, shape.rows, s);
  if (shape.sparse) {
    met_integers chosen;
    choose_integers(b, rows_met(shape, operand_row(m, p.metadata, 0), p.selector).at, 2 * words, chosen);
    add_integers<Product>(a, chosen, shape.rows, words, p.saturates, s);
  } else {
    add_integers<Product>(a, b, shape.rows, words, p.saturates, s);
  }
  save_integer_sums(
      s, shape.rows, [&](unsigned i) { return m.w->reg(written_row(p.result, i)); }, mask);
  return true;
}

// Computes a product of doubles. The order of additions is the same as in dmma(). Returns false if a result is NaN.
static inline bool multiply_doubles(worker& m, const sass::matrix_product& p, u32 mask) {
  const sass::tensor_shape& shape = p.shape;
  alignas(64) u64 a[16][16], b[16][8], sums[2][16][4];
  const auto load = [&](unsigned first, unsigned n, unsigned lane, bool negates) {
    const wide_pack x = join_pack(operand_row(m, first, 2 * n) + lane, operand_row(m, first, 2 * n + 1) + lane);
    return negates ? x ^ u64 { 1 } << 63 : x;
  };
  const auto put = [](u64* to, wide_pack x) { std::memcpy(to, &x, sizeof x); };
  const auto at = [](const u64* from) {
    double_pack x;
    std::memcpy(&x, from, sizeof x);
    return x;
  };
  const unsigned halves = shape.rows / 8;
  for (unsigned i = 0; i < shape.k / 4 * halves; ++i)
    for (unsigned row = 0; row < 8; ++row)
      put(a[row + i % halves * 8] + i / halves * 4, load(p.a, i, 4 * row, p.negates_a));
  for (unsigned i = 0; i < shape.k / 4; ++i)
    for (unsigned column = 0; column < 8; ++column) {
      const wide_pack four = load(p.b, i, 4 * column, p.negates_b);
      for (unsigned k = 0; k < 4; ++k) b[4 * i + k][column % 2 * 4 + column / 2] = four[k];
    }
  for (unsigned i = 0; i < shape.rows / 4; ++i)
    for (unsigned row = 0; row < 8; ++row) put(sums[i % 2][i / 2 * 8 + row], load(p.c, i, 4 * row, p.negates_c));
  for (unsigned row = 0; row < shape.rows; row += 4) {
    double_pack sum[2][4];
    for (unsigned i = 0; i < 8; ++i) sum[i % 2][i / 2] = at(sums[i % 2][row + i / 2]);
    for (unsigned k = 0; k < shape.k; ++k) {
      const double_pack even = at(b[k]), odd = at(b[k] + 4);
      for (unsigned i = 0; i < 4; ++i) {
        const double n = double_of_bits(a[row + i][k]);
        const double_pack x = {n, n, n, n};
        sum[0][i] = fused(x, even, sum[0][i]);
        sum[1][i] = fused(x, odd, sum[1][i]);
      }
    }
    for (unsigned i = 0; i < 8; ++i) {
      const double_pack d = sum[i % 2][i / 2];
      const auto is_nan = d != d;
      if ((is_nan[0] | is_nan[1] | is_nan[2] | is_nan[3]) != 0) return false;
      std::memcpy(sums[i % 2][row + i / 2], &d, sizeof d);
    }
  }
  for (unsigned i = 0; i < shape.rows / 4; ++i) {
    u32 low[32], high[32];
    for (unsigned row = 0; row < 8; ++row) {
      wide_pack x;
      std::memcpy(&x, sums[i % 2][i / 2 * 8 + row], sizeof x);
      split_pack(x, low + 4 * row, high + 4 * row);
    }
    store(m.w->reg(written_row(p.result, 2 * i)), low, mask);
    store(m.w->reg(written_row(p.result, 2 * i + 1)), high, mask);
  }
  return true;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
#endif
