// Tensor cores: D = A B + C. The matrices are fragments: each lane of the warp holds some of the elements.
//
// A register holds E elements. Register i of A in lane t holds E elements of row t / 4 (for odd i, row t / 4 + 8 if
// there are 16 rows), starting at column (i / 2) * 4 E + (t % 4) * E. B has the same form, with columns instead of
// rows. Register i of C and D holds the element in row t / 4 + 8 (i / 2) and column 2 (t % 4) + i % 2. These positions
// were measured on an H200, shape by shape.
//
// A sparse A stores half of its columns, in the same form. The metadata of A select the rows of B.
#include <climits>

#include "emulate/execute/tensor/fragment_products.hpp"
#include "emulate/execute/tensor/sparse_rows.hpp"
#include "emulate/execute/tensor/tensor_core.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::matrix_product;
using sass::product_number;

// Calls put(row, column, word, n) for each element of A. The element is number n of the `per_register` numbers in
// `word`.
template <unsigned per_register, class Put>
void each_of_a(worker& m, const matrix_product& f, Put put) {
  const sass::tensor_shape& s = f.shape;
  constexpr unsigned chunk = 4 * per_register;
  for (unsigned i = 0; i < s.a_registers(); ++i) {
    const u32* word = operand_row(m, f.a, i);
    const unsigned half = s.rows == 16 ? i % 2 : 0, column = (s.rows == 16 ? i / 2 : i) * chunk;
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned n = 0; n < per_register; ++n) put(t / 4 + 8 * half, column + t % 4 * per_register + n, word[t], n);
  }
}
// Calls put(column, row, word, n) for each element of B.
template <unsigned per_register, class Put>
void each_of_b(worker& m, const matrix_product& f, Put put) {
  for (unsigned i = 0; i < f.shape.b_registers(); ++i) {
    const u32* word = operand_row(m, f.b, i);
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned n = 0; n < per_register; ++n)
        put(t / 4, 4 * per_register * i + t % 4 * per_register + n, word[t], n);
  }
}

step refuse_predicate(worker& m) {
  return m.fail("bankwise cannot execute a matrix instruction with a predicate yet", -1, missing_hint);
}

// --- Integers and bits

// `met(row, k)` returns the row of B by which element k of a row of A is multiplied.
template <class Product, class Met>
void sum_integers(worker& m, const matrix_product& f, const i32* a, const i32* b, Product product, Met met, u32 mask) {
  const sass::tensor_shape& s = f.shape;
  u32 r[4][32];
  const unsigned registers = s.rows / 4, count = s.a_columns();
  for (unsigned i = 0; i < registers; ++i) {
    const u32* c = operand_row(m, f.c, i);
    for (unsigned t = 0; t < 32; ++t) {
      const unsigned row = t / 4 + 8 * (i / 2);
      const i32 *x = a + row * most_k, *y = b + (2 * (t % 4) + i % 2) * most_k;
      i64 sum = static_cast<i32>(c[t]);
      for (unsigned k = 0; k < count; ++k) sum += product(x[k], y[met(row, k)]);
      if (f.saturates) sum = std::clamp<i64>(sum, INT32_MIN, INT32_MAX);
      r[i][t] = static_cast<u32>(sum);
    }
  }
  for (unsigned i = 0; i < registers; ++i) store(m.w->reg(written_row(f.result, i)), r[i], mask);
}
constexpr auto the_same = [](unsigned, unsigned k) { return k; };

template <unsigned per_register>
step multiply_integers(worker& m, const matrix_product& f, u32 mask) {
  i32 a[16 * most_k], b[8 * most_k];
  const auto number = [](u32 word, unsigned n, bool is_signed) {
    constexpr unsigned bits = 32 / per_register;
    const u32 at_the_top = word << (32 - bits - bits * n);
    return is_signed ? static_cast<i32>(at_the_top) >> (32 - bits) : static_cast<i32>(at_the_top >> (32 - bits));
  };
  each_of_a<per_register>(m, f, [&, is_signed = f.a_signed](unsigned row, unsigned k, u32 word, unsigned n) {
    a[row * most_k + k] = number(word, n, is_signed);
  });
  each_of_b<per_register>(m, f, [&, is_signed = f.b_signed](unsigned column, unsigned k, u32 word, unsigned n) {
    b[column * most_k + k] = number(word, n, is_signed);
  });
  const auto product = [](i32 x, i32 y) { return static_cast<i64>(x) * y; };
  if (!f.shape.sparse) {
    sum_integers(m, f, a, b, product, the_same, mask);
  } else {
    const rows_met met(f.shape, operand_row(m, f.metadata, 0), f.selector);
    sum_integers(
        m, f, a, b, product, [&](unsigned row, unsigned k) { return met.at[row][k]; }, mask);
  }
  return step::next;
}

step imma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<matrix_product>();
  if (f.has_predicate) return refuse_predicate(m);
#if defined(BANKWISE_TENSOR_VECTORS)
  if (f.a_nibbles ? multiply_integer_fragments<integer_form::nibbles, pairs_of_halves>(m, f, mask)
                  : multiply_integer_fragments<integer_form::bytes, pairs_of_halves>(m, f, mask))
    return step::next;
#endif
  return f.a_nibbles ? multiply_integers<8>(m, f, mask) : multiply_integers<4>(m, f, mask);
}

step bmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<matrix_product>();
  if (f.has_predicate) return refuse_predicate(m);
  const bool differs = f.bits == sass::bit_product::exclusive;
#if defined(BANKWISE_TENSOR_VECTORS)
  if (differs ? multiply_integer_fragments<integer_form::bits, bits_in_common<true>>(m, f, mask)
              : multiply_integer_fragments<integer_form::bits, bits_in_common<false>>(m, f, mask))
    return step::next;
#endif
  i32 a[16 * most_k], b[8 * most_k];
  const auto into = [](i32* to) {
    return [to](unsigned row, unsigned k, u32 word, unsigned n) {
      to[row * most_k + k] = static_cast<i32>(word >> n & 1);
    };
  };
  each_of_a<32>(m, f, into(a));
  each_of_b<32>(m, f, into(b));
  sum_integers(
      m, f, a, b, [=](i32 x, i32 y) { return static_cast<i64>(differs ? x ^ y : x & y); }, the_same, mask);
  return step::next;
}

// --- Floats

// Stores D, which has 16 x 8 numbers. Before the call of sum_up(row, sums), the eight sums of a row contain C. sum_up
// adds products to these sums. cut(sum) converts a sum to the bits of a float.
template <class SumUp, class Cut>
void store_sums(worker& m, const matrix_product& p, SumUp sum_up, Cut cut, u32 mask) {
  const bool to_f32 = p.shape.result_bits == 32;
  const unsigned registers = to_f32 ? 4 : 2;
  u32 r[4][32] = {};
  const u32* c[4];
  for (unsigned i = 0; i < registers; ++i) c[i] = operand_row(m, p.c, i);
  for (unsigned row = 0; row < 16; ++row) {
    const unsigned i = row / 8 * 2, t = row % 8 * 4;
    double sums[8];
    for (unsigned column = 0; column < 8; ++column)
      sums[column] = to_f32 ? float_of_bits(c[i + column % 2][t + column / 2])
                            : float_of_half(static_cast<std::uint16_t>(c[i / 2][t + column / 2] >> 16 * (column % 2)));
    sum_up(row, sums);
    for (unsigned column = 0; column < 8; ++column)
      if (to_f32)
        r[i + column % 2][t + column / 2] = cut(sums[column]);
      else
        r[i / 2][t + column / 2] |= static_cast<u32>(half_of_double(sums[column])) << 16 * (column % 2);
  }
  for (unsigned i = 0; i < registers; ++i) store(m.w->reg(written_row(p.result, i)), r[i], mask);
}

// The elements of one column of B by which one row of a sparse A is multiplied.
struct terms {
  double b[32];
  i32 exponent[32];
};
terms terms_of(const float_fragments& f, const std::uint8_t* met, unsigned column, unsigned count) {
  terms t;
  for (unsigned k = 0; k < count; ++k)
    t.b[k] = f.b[column * most_k + met[k]], t.exponent[k] = f.b_exponent[column * most_k + met[k]];
  return t;
}

template <product_number type>
struct half_numbers {
  static constexpr unsigned per_register = type == product_number::tf32 ? 1 : 2;
  static constexpr i32 least = type == product_number::f16 ? -14 : -126;

  static double at(u32 word, unsigned n, bool negate) {
    const auto h = static_cast<std::uint16_t>(word >> 16 * n);
    const double d = type == product_number::tf32   ? float_of_bits(word & 0xffffe000u)
                     : type == product_number::bf16 ? float_of_bfloat16(h)
                                                    : float_of_half(h);
    return negate ? -d : d;
  }
};

template <product_number type>
void multiply_dense(worker& m, const matrix_product& p, u32 mask) {
  using numbers = half_numbers<type>;
  const unsigned k_count = p.shape.k;
  double a[16][16];
  i32 a_exponent[16][16];
  eight_columns b;
  i32 largest = no_exponent;
  each_of_a<numbers::per_register>(
      m, p, [&](unsigned row, unsigned k, u32 word, unsigned n) { a[row][k] = numbers::at(word, n, p.negates_a); });
  each_of_b<numbers::per_register>(m, p, [&](unsigned column, unsigned k, u32 word, unsigned n) {
    b.at[k][column] = numbers::at(word, n, p.negates_b);
  });
  for (unsigned row = 0; row < 16; ++row)
    largest = std::max(largest, measure(a[row], a_exponent[row], k_count, numbers::least));
  for (unsigned k = 0; k < k_count; ++k)
    largest = std::max(largest, measure(b.at[k], b.exponent[k], 8, numbers::least));
  const bool finite = largest < 1024;
  const auto sum_up = [&](unsigned row, double* sums) {
    fused_sums(a[row], a_exponent[row], b, k_count, finite, sums);
  };
  store_sums(m, p, sum_up, cut_to_float, mask);
}

template <product_number type>
void multiply_sparse(worker& m, const matrix_product& p, u32 mask) {
  using numbers = half_numbers<type>;
  const sass::tensor_shape& s = p.shape;
  const unsigned count = s.a_columns();
  const rows_met met(s, operand_row(m, p.metadata, 0), p.selector);
  float_fragments f;
  u32 b_words[8 * most_k];
  each_of_a<numbers::per_register>(m, p, [&](unsigned row, unsigned k, u32 word, unsigned n) {
    f.a[row * most_k + k] = numbers::at(word, n, p.negates_a);
  });
  each_of_b<numbers::per_register>(m, p, [&](unsigned column, unsigned k, u32 word, unsigned n) {
    if (type == product_number::tf32)
      b_words[column * most_k + k] = word;
    else
      f.b[column * most_k + k] = numbers::at(word, n, p.negates_b);
  });
  measure(f.a, f.a_exponent, 16, count, f.finite, numbers::least);
  if (type != product_number::tf32) measure(f.b, f.b_exponent, 8, s.k, f.finite, numbers::least);
  const auto sum_up = [&](unsigned row, double* sums) {
    for (unsigned column = 0; column < 8; ++column) {
      bool finite = f.finite;
      terms t;
      if (type != product_number::tf32) {
        t = terms_of(f, met.at[row], column, count);
      } else {
        for (unsigned k = 0; k < count; ++k)
          t.b[k] = numbers::at(of_halves(b_words + column * most_k, met.at[row] + 2 * k), 0, p.negates_b);
        finite &= measure(t.b, t.exponent, count, numbers::least) < 1024;
      }
      sums[column] =
          fused_sum(f.a + row * most_k, f.a_exponent + row * most_k, t.b, t.exponent, count, finite, sums[column], 25);
    }
  };
  store_sums(m, p, sum_up, cut_to_float, mask);
}

template <product_number type>
void multiply_halves(worker& m, const matrix_product& p, u32 mask) {
#if defined(BANKWISE_TENSOR_VECTORS)
  constexpr number kind = type == product_number::f16    ? number::f16
                          : type == product_number::bf16 ? number::bf16
                                                         : number::tf32;
  if (multiply_fragments<kind, kind>(m, p, {p.shape.a_columns()}, mask)) return;
#endif
  p.shape.sparse ? multiply_sparse<type>(m, p, mask) : multiply_dense<type>(m, p, mask);
}

step hmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& p = u.as<matrix_product>();
  if (p.has_predicate) return refuse_predicate(m);
  switch (p.numbers) {
    case product_number::f16: multiply_halves<product_number::f16>(m, p, mask); break;
    case product_number::bf16: multiply_halves<product_number::bf16>(m, p, mask); break;
    case product_number::tf32: multiply_halves<product_number::tf32>(m, p, mask); break;
  }
  return step::next;
}

#if defined(BANKWISE_TENSOR_VECTORS)
bool multiply_small_floats(worker& m, const matrix_product& p, u32 mask) {
  const sum_rule rule = p.short_sums ? sum_rule{16, 13, true} : sum_rule{p.shape.a_columns()};
  constexpr number e4m3 = number::e4m3, e5m2 = number::e5m2;
  if (p.a_e5m2)
    return p.b_e5m2 ? multiply_fragments<e5m2, e5m2>(m, p, rule, mask)
                    : multiply_fragments<e5m2, e4m3>(m, p, rule, mask);
  return p.b_e5m2 ? multiply_fragments<e4m3, e5m2>(m, p, rule, mask) : multiply_fragments<e4m3, e4m3>(m, p, rule, mask);
}
#endif

// Products of 8-bit floats. sm_89 adds 16 products at a time, and a sum keeps 13 bits even if the result is a float.
// sm_120 adds these products like products of halves. These facts are from Xie et al., MMA-Sim (arXiv 2511.10909).
// Nothing was measured.
step qmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  if (std::holds_alternative<sass::scaled_product>(u.fields)) return multiply_small_numbers(m, u, mask);
  const auto& p = u.as<matrix_product>();
  if (p.has_predicate) return refuse_predicate(m);
  const sass::tensor_shape& s = p.shape;
  const bool to_f32 = s.result_bits == 32;
  const auto number = [](u32 word, unsigned n, bool e5m2, bool negate) {
    const auto byte = static_cast<std::uint8_t>(word >> 8 * n);
    const double d = e5m2 ? float_of_e5m2(byte) : float_of_e4m3(byte);
    return negate ? -d : d;
  };
#if defined(BANKWISE_TENSOR_VECTORS)
  if (multiply_small_floats(m, p, mask)) return step::next;
#endif
  const auto least = [](bool e5m2) { return e5m2 ? -14 : -6; };
  const unsigned count = s.a_columns(), together = p.short_sums ? 16 : count;
  const int kept = p.short_sums ? 13 : 25;
  const auto cut = [=](double sum) { return p.short_sums ? cut_to_short_float(sum) : cut_to_float(sum); };
  float_fragments f;
  each_of_a<4>(m, p, [&](unsigned row, unsigned k, u32 word, unsigned n) {
    f.a[row * most_k + k] = number(word, n, p.a_e5m2, p.negates_a);
  });
  each_of_b<4>(m, p, [&](unsigned column, unsigned k, u32 word, unsigned n) {
    f.b[column * most_k + k] = number(word, n, p.b_e5m2, p.negates_b);
  });
  measure(f.a, f.a_exponent, 16, count, f.finite, least(p.a_e5m2));
  measure(f.b, f.b_exponent, 8, s.k, f.finite, least(p.b_e5m2));
  const rows_met met(s, operand_row(m, p.metadata, 0), p.selector);
  const auto sum_up = [&](unsigned row, double* sums) {
    const double* a = f.a + row * most_k;
    const i32* a_exponent = f.a_exponent + row * most_k;
    for (unsigned column = 0; column < 8; ++column) {
      const terms t = terms_of(f, met.at[row], column, count);
      double& sum = sums[column];
      for (unsigned k = 0; k < count; k += together) {
        if (k != 0) sum = to_f32 ? float_of_bits(cut(sum)) : float_of_half(half_of_double(sum));
        sum = fused_sum(a + k, a_exponent + k, t.b + k, t.exponent + k, together, f.finite, sum, kept);
      }
    }
  };
  store_sums(m, p, sum_up, cut, mask);
  return step::next;
}

// Products of Volta's shape 8 x 8 x 4. A warp computes four products. Product q belongs to lanes 4 q to 4 q + 3, and to
// lanes 4 q + 16 to 4 q + 19. Element k in row n of A, or in column n of B, is in half k of lane n % 4, or it is in
// half n % 4 of lane k. For n >= 4, the element is in the upper lanes. A step makes two registers of D. For floats,
// register i of step s holds row t % 2 + 2 (s % 2), column 4 (s / 2) + t / 2 % 2 * 2 + i. For halves, it holds row t %
// 4, columns 4 s + 2 i and 4 s + 2 i + 1. sm_75 was not measured: the positions are from the PTX manual, and the order
// of additions is from MMA-Sim.
step hmma_884(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& p = u.as<sass::quad_product>();
  if (p.has_predicate) return refuse_predicate(m);
  const auto half_at = [&](unsigned first, unsigned lane, unsigned n) {
    return float_of_half(static_cast<std::uint16_t>(operand_row(m, first, n / 2)[lane] >> 16 * (n % 2)));
  };
  // `along`: whether k selects the half of the register.
  const auto factor = [&](unsigned first, bool along, unsigned quad, unsigned n, unsigned k) {
    const unsigned lane = 16 * (n / 4) + 4 * quad;
    return along ? half_at(first, lane + n % 4, k) : half_at(first, lane + k, n % 4);
  };
  u32 r[2][32] = {};
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned quad = t / 4 % 4, up = t / 16 * 4;
    for (unsigned i = 0; i < (p.to_f32 ? 2u : 4u); ++i) {
      const unsigned row = up + (p.to_f32 ? t % 2 + 2u * (p.step % 2) : t % 4);
      const unsigned column = p.to_f32 ? 4u * (p.step / 2) + (t & 2) + i : 4u * p.step + i;
      const float c =
          p.from_f32 ? float_of_bits(operand_row(m, p.c, i)[t]) : half_at(p.c, up * 4 + 4 * quad + row % 4, column % 4);
      double a[4], b[4];
      i32 a_exponent[4], b_exponent[4];
      for (unsigned k = 0; k < 4; ++k) {
        a[k] = factor(p.a, !p.a_by_columns, quad, row, k);
        b[k] = factor(p.b, p.b_by_columns, quad, column, k);
      }
      const bool finite = std::max(measure(a, a_exponent, 4, -14), measure(b, b_exponent, 4, -14)) < 1024;
      const double sum = fused_sum(a, a_exponent, b, b_exponent, 4, finite, c, 24);
      if (p.to_f32)
        r[i][t] = cut_to_float(sum);
      else
        r[i / 2][t] |= static_cast<u32>(half_of_double(sum)) << 16 * (i % 2);
    }
  }
  for (unsigned i = 0; i < 2; ++i) store(m.w->reg(written_row(p.result, i)), r[i], mask);
  return step::next;
}

// Products of doubles. A sequence of fused multiply-adds adds the products.
step dmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<matrix_product>();
  if (f.has_predicate) return refuse_predicate(m);
#if defined(BANKWISE_TENSOR_VECTORS)
  if (multiply_doubles(m, f, mask)) return step::next;
#endif
  const sass::tensor_shape& s = f.shape;
  const auto pair = [&](unsigned first, unsigned n, unsigned t) {
    return join(operand_row(m, first, 2 * n)[t], operand_row(m, first, 2 * n + 1)[t]);
  };
  const auto sign = [](bool negates) { return negates ? u64{1} << 63 : 0; };
  u64 a[16][16], b[8][16];
  for (unsigned i = 0; i < s.k / 4 * (s.rows / 8); ++i)
    for (unsigned t = 0; t < 32; ++t)
      a[t / 4 + (s.rows == 16 ? i % 2 * 8 : 0)][(s.rows == 16 ? i / 2 : i) * 4 + t % 4] =
          pair(f.a, i, t) ^ sign(f.negates_a);
  for (unsigned i = 0; i < s.k / 4; ++i)
    for (unsigned t = 0; t < 32; ++t) b[t / 4][i * 4 + t % 4] = pair(f.b, i, t) ^ sign(f.negates_b);
  const unsigned registers = s.rows / 4;
  u32 low[4][32], high[4][32];
  for (unsigned i = 0; i < registers; ++i)
    for (unsigned t = 0; t < 32; ++t) {
      u64 sum = pair(f.c, i, t) ^ sign(f.negates_c);
      for (unsigned k = 0; k < s.k; ++k) {
        const u64 x = a[t / 4 + 8 * (i / 2)][k], y = b[2 * (t % 4) + i % 2][k];
        const u64 next = bits_of_double(__builtin_fma(double_of_bits(x), double_of_bits(y), double_of_bits(sum)));
        sum = is_nan_64(next) ? nan_of(y, sum, x) : next;
      }
      low[i][t] = static_cast<u32>(sum);
      high[i][t] = static_cast<u32>(sum >> 32);
    }
  for (unsigned i = 0; i < registers; ++i) {
    store(m.w->reg(written_row(f.result, 2 * i)), low[i], mask);
    store(m.w->reg(written_row(f.result, 2 * i + 1)), high[i], mask);
  }
  return step::next;
}

// Converts numbers of 4 bits to bytes. Each register with eight numbers becomes two registers with four bytes.
void widen(const u32* a, u32* low, u32* high) {
  for (unsigned t = 0; t < 32; ++t)
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned column = 16 * half + 4 * (t % 4);
      const u32 four = a[t / 4 * 4 + column / 8] >> 4 * (column % 8);
      (half == 0 ? low : high)[t] = (four & 0xf) | (four & 0xf0) << 4 | (four & 0xf00) << 8 | (four & 0xf000) << 12;
    }
}

// Transposes an 8 x 8 matrix of halves that is spread over the warp's lanes.
step movm(worker& m, const micro_op& u, u32 mask) {
  const u32* a = m.operand_row(u.a, 0);
  if (u.as<sass::matrix_transpose>().widens) {
    u32 low[32], high[32];
    widen(a, low, high);
    store(m.w->reg(u.d), low, mask);
    store(m.w->reg(u.d_high), high, mask);
    return step::next;
  }
  u32 r[32];
  for (unsigned t = 0; t < 32; ++t) {
    r[t] = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const unsigned row = 2 * (t % 4) + h, column = t / 4;
      r[t] |= (a[row * 4 + column / 2] >> 16 * (column % 2) & 0xffff) << 16 * h;
    }
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

}  // namespace

void add_matrix(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::HMMA, hmma);
  set(op::IMMA, imma);
  set(op::BMMA, bmma);
  set(op::DMMA, dmma);
  set(op::QMMA, qmma);
  set(op::HMMA_884, hmma_884);
  set(op::MOVM, movm);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
