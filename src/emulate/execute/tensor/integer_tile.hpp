// Products of integers and of bits, with vector instructions, for 16 x 8 sums at a time. Matrices have the form
// described in float_tile.hpp. Numbers of 4 and 8 bits become 16-bit integers. One step multiplies pairs of these
// integers and adds the two products.
#pragma once

#include "emulate/execute/tensor/tensor_core.hpp"
#include "emulate/execute/tensor/tensor_vectors.hpp"

#if defined(BANKWISE_TENSOR_VECTORS)
namespace bankwise::emulate::BANKWISE_ISA {

// The rows of A. A word holds two 16-bit integers, or 32 single bits.
struct integer_rows {
  alignas(64) u32 four[8][16][4];
};
// The columns of B. The words have the same format as in integer_rows.
struct integer_columns {
  alignas(64) u32 at[64][8];
};
struct met_integers {
  alignas(64) u32 at[32][2][16][4];
};
struct integer_sums {
  alignas(64) u32 at[2][16][4];
};

// Each row of a core matrix is converted to this number of groups of four words.
constexpr unsigned fours_of(integer_form f) { return f == integer_form::bits ? 1 : f == integer_form::bytes ? 2 : 4; }

static inline void widen_bytes(word_vector x, bool is_signed, word_vector* two) {
  two[0] = is_signed ? halves_down<8>(low_bytes(none(), x)) : low_bytes(x, none());
  two[1] = is_signed ? halves_down<8>(high_bytes(none(), x)) : high_bytes(x, none());
}
template <integer_form form>
static inline void widen_integers(word_vector x, bool is_signed, word_vector* fours) {
  if constexpr (form == integer_form::bits) {
    fours[0] = x;
  } else if constexpr (form == integer_form::bytes) {
    widen_bytes(x, is_signed, fours);
  } else {
    const word_vector low = both(x, all_bytes(0xf)), high = both(down<4>(x), all_bytes(0xf));
    const word_vector eight = all_bytes(is_signed ? 8 : 0);
    const auto extended = [&](word_vector n) { return bytes_less(differing(n, eight), eight); };
    widen_bytes(extended(low_bytes(low, high)), is_signed, fours);
    widen_bytes(extended(high_bytes(low, high)), is_signed, fours + 2);
  }
}

// Reads `count` adjacent core matrices of A. `core(half, n)` returns core matrix n of the rows from 8 * half.
template <integer_form form, class Core>
static inline void read_integers(Core core, unsigned rows, unsigned count, bool is_signed, integer_rows& a) {
  constexpr unsigned fours = fours_of(form);
  for (unsigned n = 0; n < count; ++n)
    for (unsigned row = 0; row < rows; row += vector_rows) {
      word_vector wide[fours];
      widen_integers<form>(load_words(static_cast<const char*>(core(row / 8, n)) + row % 8 * 16), is_signed, wide);
      for (unsigned i = 0; i < fours; ++i) save(a.four[n * fours + i][row], wide[i]);
    }
}
template <integer_form form, class Core>
static inline void read_integer_columns(Core core, unsigned count, bool is_signed, integer_columns& b) {
  constexpr unsigned fours = fours_of(form);
  for (unsigned n = 0; n < count; ++n) {
    alignas(64) u32 columns[fours][8][4];
    for (unsigned column = 0; column < 8; column += vector_rows) {
      word_vector wide[fours];
      widen_integers<form>(load_words(static_cast<const char*>(core(n)) + column * 16), is_signed, wide);
      for (unsigned i = 0; i < fours; ++i) save(columns[i][column], wide[i]);
    }
    for (unsigned i = 0; i < fours; ++i) turn_columns(columns[i], b.at[4 * (n * fours + i)]);
  }
}

// For a sparse A with `count` numbers in a row: number k of a row is multiplied by row met[row][k] of B, which has 2 *
// count rows.
static inline void choose_integers(const integer_columns& b, const std::uint8_t (*met)[64], unsigned count,
                                   met_integers& to) {
  alignas(64) __m128i numbers[128];  // one element for each row of B, with eight 16-bit integers
  for (unsigned k = 0; k < count; ++k) {
    const __m128i even = _mm_load_si128(reinterpret_cast<const __m128i*>(b.at[k])),
                  odd = _mm_load_si128(reinterpret_cast<const __m128i*>(b.at[k] + 4));
    const __m128i low = _mm_set1_epi32(0xffff);
    numbers[2 * k] = _mm_packus_epi32(_mm_and_si128(even, low), _mm_and_si128(odd, low));
    numbers[2 * k + 1] = _mm_packus_epi32(_mm_srli_epi32(even, 16), _mm_srli_epi32(odd, 16));
  }
  for (unsigned k = 0; k < count / 2; ++k)
    for (unsigned row = 0; row < 16; ++row) {
      const __m128i first = numbers[met[row][2 * k]], second = numbers[met[row][2 * k + 1]];
      _mm_store_si128(reinterpret_cast<__m128i*>(to.at[k][0][row]), _mm_unpacklo_epi16(first, second));
      _mm_store_si128(reinterpret_cast<__m128i*>(to.at[k][1][row]), _mm_unpackhi_epi16(first, second));
    }
}

static inline word_vector columns_of(const integer_columns& b, unsigned k, unsigned parity, unsigned) {
  return spread_row(b.at[k] + 4 * parity);
}
static inline word_vector columns_of(const met_integers& b, unsigned k, unsigned parity, unsigned row) {
  return load_words(b.at[k][parity][row]);
}

struct pairs_of_halves {
  static word_vector add(word_vector total, word_vector x, word_vector y) { return sum(total, sums_of_pairs(x, y)); }
  static word_vector whole(word_vector total) { return total; }
};
template <bool differs>
struct bits_in_common {
  static word_vector add(word_vector total, word_vector x, word_vector y) {
    alignas(16) static constexpr i8 ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    const word_vector bits = differs ? differing(x, y) : both(x, y), table = spread_row(ones);
    const word_vector low = shuffled(table, both(bits, all_bytes(0xf))),
                      high = shuffled(table, both(down<4>(bits), all_bytes(0xf)));
    return bytes_sum(total, bytes_sum(low, high));
  }
  static word_vector whole(word_vector total) { return sums_of_pairs(byte_sums_of_pairs(total), all_halves(1)); }
};

// Multiplies `words` words of each row and column, and adds the products to the sums. On overflow, a sum wraps or
// saturates.
template <class Product, class Columns>
static inline void add_integers(const integer_rows& a, const Columns& b, unsigned rows, unsigned words, bool saturates,
                                integer_sums& s) {
  for (unsigned row = 0; row < rows; row += vector_rows) {
    word_vector total[2] = {none(), none()};
    for (unsigned k = 0; k < words; k += 4) {
      const word_vector four = load_words(a.four[k / 4][row]);
      for (unsigned parity = 0; parity < 2; ++parity) {
        word_vector& t = total[parity];
        t = Product::add(t, word_of_row<0>(four), columns_of(b, k, parity, row));
        t = Product::add(t, word_of_row<1>(four), columns_of(b, k + 1, parity, row));
        t = Product::add(t, word_of_row<2>(four), columns_of(b, k + 2, parity, row));
        t = Product::add(t, word_of_row<3>(four), columns_of(b, k + 3, parity, row));
      }
    }
    for (unsigned parity = 0; parity < 2; ++parity) {
      const word_vector c = load_words(s.at[parity][row]), n = Product::whole(total[parity]), all = sum(c, n);
      const lanes_where over = is_above(none(), both(differing(c, all), differing(n, all)));
      const word_vector end = choose(is_above(none(), c), all_words(INT32_MIN), all_words(INT32_MAX));
      save(s.at[parity][row], saturates ? choose(over, end, all) : all);
    }
  }
}

// C and D are in the same registers as in float_tile.hpp.
template <class At>
static inline void load_integer_sums(At at, unsigned rows, integer_sums& s) {
  for (unsigned i = 0; i < rows / 4; ++i) std::memcpy(s.at[i % 2][8 * (i / 2)], at(i), sizeof(row));
}
template <class At>
static inline void save_integer_sums(const integer_sums& s, unsigned rows, At at, u32 mask) {
  for (unsigned i = 0; i < rows / 4; ++i) store(at(i), s.at[i % 2][8 * (i / 2)], mask);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
#endif
