// Computes the arithmetic of tensor_core.hpp with vector instructions, for 16 x 8 sums at a time. The results are
// identical. The functions return false for inputs that they cannot handle.
//
// A product has at most 24 bits, so a float can hold it. Each product is scaled to the largest exponent of its sum and
// becomes an integer below 2^27. So a sum of 16 products is below 2^31. fused_sum() handles numbers that are not
// finite, exponents that are too far apart, and exponents near the limits of floats.
//
// Operands consist of core matrices, which have 8 rows of 16 bytes. A register of a fragment contains one core matrix.
// Columns of B and of the sums are in the order of registers: first the even columns, then the odd columns.
#pragma once

#include "emulate/execute/tensor/tensor_core.hpp"
#include "emulate/execute/tensor/tensor_vectors.hpp"

#if defined(BANKWISE_TENSOR_VECTORS)
namespace bankwise::emulate::BANKWISE_ISA {

// `zero_exponent` is the stored exponent of zero. `least_exponent` limits stored exponents, so that the sum of two
// stored exponents is greater than `zero_exponent`.
inline constexpr i32 zero_exponent = -128, least_exponent = -63;

// The numbers of A in groups of four columns, and their exponents in groups of eight columns.
struct float_rows {
  alignas(64) float quad[8][16][4];
  alignas(64) i8 exponent[4][16][8];
  i32 base = 0;  // the exponent is the stored byte plus this number
};
struct float_columns {
  alignas(64) float at[64][8];
  alignas(64) i8 exponent[64][8];
  i32 base = 0;
};
// For each row of a sparse A, the numbers of B by which the row is multiplied.
struct met_columns {
  alignas(64) float at[32][2][16][4];
  alignas(64) i8 exponent[32][16][8];
  i32 base = 0;
};
// The sums. The first index is the column modulo 2.
struct float_sums {
  alignas(64) float at[2][16][4];
};

// The stored form of a type of numbers. `exact`: each subnormal number has the exponent of its value. If false,
// subnormal numbers have the least stored exponent. `quads`: number of groups of four numbers in 16 bytes.
template <number kind, bool exact>
struct number_form {
  static constexpr unsigned quads = kind == number::tf32 ? 1 : kind == number::f16 || kind == number::bf16 ? 2 : 4;
  static constexpr bool relative = kind == number::bf16 || kind == number::tf32;
  // The stored exponent 1 means 2^(offset + 1 - 127).
  static constexpr i32 offset = relative               ? 0
                                : kind == number::f16  ? (exact ? 102 : 112)
                                : kind == number::e5m2 ? (exact ? 110 : 112)
                                                       : (exact ? 117 : 120);
  static constexpr i32 largest = relative ? 254 : (kind == number::e4m3 ? 135 : 142) - offset;
};

// Converts rows of 16 bytes to floats, in groups of four.
template <number kind>
static inline void widen(word_vector x, float_vector* quad) {
  if constexpr (kind == number::f16) {
    floats_of_halves(x, quad[0], quad[1]);
  } else if constexpr (kind == number::bf16) {
    quad[0] = floats_of(low_halves(none(), x));
    quad[1] = floats_of(high_halves(none(), x));
  } else if constexpr (kind == number::tf32) {
    quad[0] = floats_of(both(x, all_words(static_cast<i32>(0xffffe000u))));
  } else {
    // Each byte becomes the upper byte of a half. For E5M2, the value stays the same. E4M3 has one exponent bit less
    // than E5M2, and a different bias.
    for (unsigned i = 0; i < 2; ++i) {
      word_vector half = i == 0 ? low_bytes(none(), x) : high_bytes(none(), x);
      if (kind == number::e4m3)
        half = either(both(half, all_halves(INT16_MIN)), down<1>(both(half, all_halves(0x7f00))));
      floats_of_halves(half, quad[2 * i], quad[2 * i + 1]);
    }
    if (kind == number::e4m3)
      for (unsigned q = 0; q < 4; ++q) quad[q] = product(quad[q], floats_of(all_words((127 + 8) << 23)));
  }
}

// Reads the exponent fields of floats, and detects numbers that this code cannot handle.
template <number kind, bool exact>
struct field_reader {
  using form = number_form<kind, exact>;
  word_vector most = none();
  lanes_where unfit = nowhere();

  word_vector read(float_vector x) {
    const word_vector magnitude = both(words_of(x), all_words(0x7fffffff)), field = down<23>(magnitude);
    const lanes_where zero = equal(magnitude, none());
    if (kind == number::e4m3) unfit = or_where(unfit, equal(magnitude, all_words((127 + 8) << 23 | 0x700000)));
    if (exact && form::relative) {  // a subnormal number
      const lanes_where low = equal(field, none());
      unfit = or_where(unfit, and_where(low, is_above(magnitude, none())));
    }
    const word_vector counted = choose(zero, none(), larger(less(field, all_words(form::offset)), all_words(1)));
    most = larger(most, counted);
    return counted;
  }
  bool fits() const { return !is_anywhere(or_where(unfit, is_above(most, all_words(form::largest)))); }
  i32 top() const { return form::relative ? largest_word(most) : form::largest; }
  static i32 base(i32 top) { return top + form::offset - 127; }
};
template <bool relative>
static inline word_vector bytes_of_words(word_vector fields, word_vector top) {
  const word_vector n = relative ? larger(less(fields, top), all_words(least_exponent)) : less(fields, top);
  return choose(equal(fields, none()), all_words(zero_exponent), n);
}
template <bool relative>
static inline word_vector bytes_of_halves(word_vector fields, word_vector top) {
  const word_vector n =
      relative ? larger_halves(halves_less(fields, top), all_halves(least_exponent)) : halves_less(fields, top);
  return zero_halves_become(fields, all_halves(zero_exponent), n);
}

// Reads `count` adjacent core matrices of A. `core(half, n)` returns core matrix n of the rows from 8 * half. Returns
// false if this code cannot handle the numbers.
template <number kind, bool exact, class Core>
[[gnu::always_inline]] static inline bool read_rows(Core core, unsigned count, bool negates, float_rows& a) {
  using form = number_form<kind, exact>;
  constexpr unsigned quads = form::quads, groups = 16 / vector_rows;
  const word_vector sign = all_words(negates ? static_cast<i32>(0x80000000u) : 0);
  field_reader<kind, exact> fields;
  word_vector eights[4][groups];
  for (unsigned n = 0; n < count; ++n)
    for (unsigned g = 0; g < groups; ++g) {
      const unsigned row = g * vector_rows;
      float_vector quad[quads];
      word_vector field[quads];
      widen<kind>(load_words(static_cast<const char*>(core(row / 8, n)) + row % 8 * 16), quad);
#pragma GCC unroll 4
      for (unsigned q = 0; q < quads; ++q) {
        const float_vector x = floats_of(differing(words_of(quad[q]), sign));
        save(a.quad[n * quads + q][row], x);
        field[q] = fields.read(x);
      }
      if constexpr (quads == 1)
        eights[n / 2][g] =
            n % 2 == 0 ? packed_words(field[0], none()) : either(eights[n / 2][g], packed_words(none(), field[0]));
      else
#pragma GCC unroll 2
        for (unsigned q = 0; q < quads; q += 2) eights[(n * quads + q) / 2][g] = packed_words(field[q], field[q + 1]);
    }
  if (!fields.fits()) return false;
  const i32 top = fields.top();
  a.base = fields.base(top);
  const word_vector tops = all_halves(static_cast<short>(top));
  for (unsigned n = 0; n < (count * quads + 1) / 2; ++n)
    for (unsigned g = 0; g < groups; g += 2)
      save(a.exponent[n][g * vector_rows], rows_of_bytes(bytes_of_halves<form::relative>(eights[n][g], tops),
                                                         bytes_of_halves<form::relative>(eights[n][g + 1], tops)));
  return true;
}

// Transposes the numbers of eight columns, without exponents. `core(n)` returns core matrix n, by columns.
template <number kind, class Core>
[[gnu::always_inline]] static inline void turn_core(Core core, unsigned n, word_vector sign, float (*to)[8]) {
  constexpr unsigned quads = number_form<kind, false>::quads;
  alignas(64) float columns[quads][8][4];
  for (unsigned column = 0; column < 8; column += vector_rows) {
    float_vector quad[quads];
    widen<kind>(load_words(static_cast<const char*>(core(n)) + column * 16), quad);
#pragma GCC unroll 4
    for (unsigned q = 0; q < quads; ++q) save(columns[q][column], floats_of(differing(words_of(quad[q]), sign)));
  }
  for (unsigned q = 0; q < quads; ++q) turn_columns(columns[q], to[4 * (n * quads + q)]);
}
template <number kind, bool exact, class Core>
[[gnu::always_inline]] static inline bool read_columns(Core core, unsigned count, bool negates, float_columns& b) {
  using form = number_form<kind, exact>;
  constexpr unsigned per_vector = vector_rows / 2;  // number of rows of B in a vector
  const unsigned k = count * 4 * form::quads;
  const word_vector sign = all_words(negates ? static_cast<i32>(0x80000000u) : 0);
  for (unsigned n = 0; n < count; ++n) turn_core<kind>(core, n, sign, b.at);
  field_reader<kind, exact> fields;
  word_vector field[64 / per_vector];
  for (unsigned i = 0; i < k / per_vector; ++i) field[i] = fields.read(load_floats(b.at[i * per_vector]));
  if (!fields.fits()) return false;
  for (unsigned i = k / per_vector; i % 4 != 0; ++i) field[i] = none();
  const i32 top = fields.top();
  b.base = fields.base(top);
  const word_vector tops = all_words(top);
  const auto bytes = [&](unsigned i) { return bytes_of_words<form::relative>(field[i], tops); };
  for (unsigned i = 0; i < k / per_vector; i += 4)
    save_as_bytes(b.exponent[i * per_vector], bytes(i), bytes(i + 1), bytes(i + 2), bytes(i + 3));
  return true;
}

// For a sparse A with `count` numbers per row: number k of a row is multiplied by row met[row][k] of B.
static inline void choose_columns(const float_columns& b, const std::uint8_t (*met)[64], unsigned count,
                                  met_columns& to) {
  to.base = b.base;
  for (unsigned k = 0; k < count; ++k)
    for (unsigned row = 0; row < 16; ++row) {
      const unsigned from = met[row][k];
      std::memcpy(to.at[k][0][row], b.at[from], 16);
      std::memcpy(to.at[k][1][row], b.at[from] + 4, 16);
      std::memcpy(to.exponent[k][row], b.exponent[from], 8);
    }
}
// For a sparse A of TF32. Each number of A has two entries of `met`. They select the upper half and the lower half of a
// number of B. `core(n)` returns core matrix n of B.
template <bool exact, class Core>
static inline bool choose_halves(Core core, unsigned cores, const std::uint8_t (*met)[64], unsigned count, bool negates,
                                 met_columns& to) {
  alignas(64) std::uint16_t halves[32][8];  // the halves of B's numbers; the first index is 2 * row + half
  for (unsigned n = 0; n < cores; ++n) {
    alignas(64) u32 rows[4][8];
    turn_columns(core(n), rows);
    for (unsigned k = 0; k < 4; ++k)
      for (unsigned column = 0; column < 8; ++column) {
        halves[8 * n + 2 * k][column] = static_cast<std::uint16_t>(rows[k][column]);
        halves[8 * n + 2 * k + 1][column] = static_cast<std::uint16_t>(rows[k][column] >> 16);
      }
  }
  alignas(64) u32 numbers[8][16][8];
  const u32 sign = negates ? 0x80000000u : 0;
  for (unsigned k = 0; k < count; ++k)
    for (unsigned row = 0; row < 16; ++row) {
      const std::uint16_t *low = halves[met[row][2 * k]], *high = halves[met[row][2 * k + 1]];
      for (unsigned column = 0; column < 8; ++column)
        numbers[k][row][column] = ((low[column] | static_cast<u32>(high[column]) << 16) & 0xffffe000u) ^ sign;
      std::memcpy(to.at[k][0][row], numbers[k][row], 16);
      std::memcpy(to.at[k][1][row], numbers[k][row] + 4, 16);
    }
  constexpr unsigned per_vector = vector_rows / 2;
  field_reader<number::tf32, exact> fields;
  const auto at = [&](unsigned k, unsigned row) {
    return load_floats(reinterpret_cast<const float*>(numbers[k][row]));
  };
  for (unsigned k = 0; k < count; ++k)
    for (unsigned row = 0; row < 16; row += per_vector) (void)fields.read(at(k, row));
  if (!fields.fits()) return false;
  const i32 top = fields.top();
  to.base = fields.base(top);
  for (unsigned k = 0; k < count; ++k)
    for (unsigned row = 0; row < 16; row += 4 * per_vector) {
      const auto bytes = [&](unsigned i) {
        return bytes_of_words<true>(fields.read(at(k, row + i * per_vector)), all_words(top));
      };
      save_as_bytes(to.exponent[k][row], bytes(0), bytes(1), bytes(2), bytes(3));
    }
  return true;
}

// The exponents of row k of B.
static inline word_vector exponents_of(const float_columns& b, unsigned k, unsigned) {
  return spread_eight(b.exponent[k]);
}
static inline word_vector exponents_of(const met_columns& b, unsigned k, unsigned row) {
  return load_words(b.exponent[k][row]);
}
// For each sum, finds the largest exponent of the sum's products. Returns false if an exponent may be wrong.
template <class Columns>
[[gnu::always_inline]] static inline bool find_tops(const float_rows& a, const Columns& b, unsigned first,
                                                    unsigned count, bool relative, i8 (*top)[16][4]) {
  constexpr unsigned rows = 2 * vector_rows;
  alignas(64) static constexpr i8 patterns[8][16] = {
#define BANKWISE_EIGHT(n) {n, n, n, n, n, n, n, n, 8 + n, 8 + n, 8 + n, 8 + n, 8 + n, 8 + n, 8 + n, 8 + n}
      BANKWISE_EIGHT(0), BANKWISE_EIGHT(1), BANKWISE_EIGHT(2), BANKWISE_EIGHT(3), BANKWISE_EIGHT(4),
      BANKWISE_EIGHT(5), BANKWISE_EIGHT(6), BANKWISE_EIGHT(7)
#undef BANKWISE_EIGHT
  };
  word_vector most[16 / rows];
  for (word_vector& m : most) m = all_bytes(static_cast<char>(zero_exponent));
  for (unsigned k = first; k < first + count; ++k) {
    const word_vector pattern = spread_row(patterns[k % 8]);
    for (unsigned n = 0; n < 16 / rows; ++n) {
      const word_vector of_a = shuffled(load_words(a.exponent[k / 8][n * rows]), pattern);
      most[n] = larger_bytes(most[n], bounded_bytes_sum(of_a, exponents_of(b, k, n * rows)));
    }
  }
  bool sure = true;
  for (unsigned n = 0; n < 16 / rows; ++n) {
    if (relative)
      sure &= !has_byte_between(most[n], all_bytes(static_cast<char>(zero_exponent)), all_bytes(least_exponent + 1));
    save_fours(top[0][n * rows], top[1][n * rows], fours_of_bytes(most[n]));
  }
  return sure;
}

// For one vector of sums: the scale, and the sum of all products so far.
struct sum_scale {
  word_vector start, total;
  float_vector scale, back;
};
inline constexpr i32 nothing = -1000, most_top = 100;
[[gnu::always_inline]] static inline sum_scale scale_of(word_vector top8, i32 base, float_vector c, int kept,
                                                        lanes_where& unfit) {
  const word_vector magnitude = both(words_of(c), all_words(0x7fffffff));
  const word_vector of_c =
      choose(equal(magnitude, none()), all_words(nothing), less(down<23>(magnitude), all_words(127)));
  const word_vector of_products =
      choose(equal(top8, all_words(zero_exponent)), all_words(nothing), sum(top8, all_words(base)));
  const word_vector top = larger(of_products, of_c);
  const lanes_where low = and_where(is_above(all_words(-most_top), top), is_above(top, all_words(nothing)));
  unfit = or_where(unfit, or_where(low, is_above(top, all_words(most_top))));
  const word_vector bounded = larger(top, all_words(-most_top));
  sum_scale s;
  s.scale = floats_of(up<23>(less(all_words(127 + kept), bounded)));
  s.back = floats_of(up<23>(sum(bounded, all_words(127 - kept))));
  s.start = cut(product(c, s.scale));
  s.total = none();
  return s;
}
// Adds x and y, and marks the lanes in which the sum overflows 32 bits.
[[gnu::always_inline]] static inline word_vector checked_sum(word_vector x, word_vector y, lanes_where& unfit) {
  const word_vector z = sum(x, y);
  unfit = or_where(unfit, is_above(none(), both(differing(x, z), differing(y, z))));
  return z;
}

static inline float_vector columns_of(const float_columns& b, unsigned k, unsigned parity, unsigned) {
  return floats_of(spread_row(b.at[k] + 4 * parity));
}
static inline float_vector columns_of(const met_columns& b, unsigned k, unsigned parity, unsigned row) {
  return load_floats(b.at[k][parity][row]);
}

// Adds `count` products, from product `first`, to the sum of each row and column, and rounds toward zero. `first` and
// `count` must be multiples of four. `odd`: rounds to odd, so that a later rounding to fewer bits is correct. Returns
// false if this code cannot handle the numbers. The sums are then invalid.
template <class Columns>
[[gnu::noinline]] static bool add_products(const float_rows& a, const Columns& b, unsigned first, unsigned count,
                                           bool relative, int kept, bool odd, float_sums& s) {
  alignas(64) i8 top[2][16][4];
  if (!find_tops(a, b, first, count, relative, top)) return false;
  lanes_where unfit = nowhere();
  for (unsigned row = 0; row < 16; row += vector_rows) {
    sum_scale even = scale_of(words_of_bytes(top[0][row]), a.base + b.base, load_floats(s.at[0][row]), kept, unfit);
    sum_scale uneven = scale_of(words_of_bytes(top[1][row]), a.base + b.base, load_floats(s.at[1][row]), kept, unfit);
    for (unsigned sixteen = first; sixteen < first + count; sixteen += 16) {
      word_vector even_sum = none(), uneven_sum = none();
      const auto add = [&](word_vector x, unsigned k) {
        even_sum = sum(even_sum, cut(product(product(floats_of(x), columns_of(b, k, 0, row)), even.scale)));
        uneven_sum = sum(uneven_sum, cut(product(product(floats_of(x), columns_of(b, k, 1, row)), uneven.scale)));
      };
      for (unsigned k = sixteen; k < std::min(sixteen + 16, first + count); k += 4) {
        const word_vector four = load_words(a.quad[k / 4][row]);
        add(word_of_row<0>(four), k);
        add(word_of_row<1>(four), k + 1);
        add(word_of_row<2>(four), k + 2);
        add(word_of_row<3>(four), k + 3);
      }
      even.total = checked_sum(even.total, even_sum, unfit);
      uneven.total = checked_sum(uneven.total, uneven_sum, unfit);
    }
    const auto finish = [&](const sum_scale& x, float* to) {
      const word_vector whole = checked_sum(x.total, x.start, unfit);
      word_vector bits = words_of(float_toward_zero(whole));
      if (odd) bits = choose(equal(cut(floats_of(bits)), whole), bits, either(bits, all_words(1)));
      save(to, product(floats_of(bits), x.back));
    };
    finish(even, s.at[0][row]);
    finish(uneven, s.at[1][row]);
  }
  return !is_anywhere(unfit);
}

// --- C and D in registers

// `at(i)` returns the row of register i. For floats, i / 2 selects the upper or lower rows, and i % 2 selects even or
// odd columns.
template <class At>
static inline void load_float_sums(At at, float_sums& s) {
  for (unsigned i = 0; i < 4; ++i) std::memcpy(s.at[i % 2][8 * (i / 2)], at(i), sizeof(row));
}
static inline void save_float_sums(const float_sums& s, u32 (*to)[32]) {
  for (unsigned i = 0; i < 4; ++i) std::memcpy(to[i], s.at[i % 2][8 * (i / 2)], sizeof(row));
}
// For pairs of halves, register i contains the pairs of the upper (i = 0) or lower (i = 1) rows.
template <class At>
static inline void load_half_sums(At at, float_sums& s) {
  for (unsigned row = 0; row < 16; row += vector_rows) {
    const word_vector pair = load_words(at(row / 8) + row % 8 * 4);
    save(s.at[0][row], float_of_low_half(pair));
    save(s.at[1][row], float_of_low_half(down<16>(pair)));
  }
}
static inline void save_half_sums(const float_sums& s, u32 (*to)[32]) {
  for (unsigned row = 0; row < 16; row += vector_rows)
    save(to[row / 8] + row % 8 * 4,
         either(half_of(load_floats(s.at[0][row])), up<16>(half_of(load_floats(s.at[1][row])))));
}
// Rounds the sums to halves, between two parts of a product.
static inline void round_to_halves(float_sums& s) {
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned row = 0; row < 16; row += vector_rows)
      save(s.at[i][row], float_of_low_half(half_of(load_floats(s.at[i][row]))));
}
// Keeps 13 bits of the fraction, as in sums of 8-bit floats.
static inline void shorten(float_sums& s) {
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned row = 0; row < 16; row += vector_rows)
      save(s.at[i][row], floats_of(both(load_words(s.at[i][row]), all_words(~0x3ff))));
}

}  // namespace bankwise::emulate::BANKWISE_ISA
#endif
