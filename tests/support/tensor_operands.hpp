// Matrices of random numbers in the form that tcgen05.mma reads: the positions of their bytes in shared memory, and
// their values.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/float_bits.hpp"

namespace bankwise::test {

using word = std::uint32_t;

struct random_words {
  std::mt19937 source;
  explicit random_words(word seed) : source(seed) {}
  word operator()() { return static_cast<word>(source()); }
};

// A matrix in shared memory. It begins at byte `at` of the image, and has `rows` rows (for B: columns) of K numbers
// each.
struct matrix {
  unsigned rows, depth, bits, layout;
  bool transposed = false;
  unsigned at = 0;

  unsigned width() const { return layout == 0 ? 16 : layout == 6 ? 32 : layout == 4 ? 64 : 128; }
  unsigned group() const { return layout == 1 ? 4 : 8; }
  unsigned leading() const {
    if (!transposed) return layout == 0 ? rows * 16 : 16;
    return layout == 0 ? 128 * (rows * bits / 128) : depth * width();
  }
  unsigned stride() const { return !transposed ? 8 * width() : layout == 0 ? 128 : group() * width(); }
  // Returns the offset of the 16 bytes that contain number k of a row, after the swizzle.
  unsigned piece(unsigned row, unsigned k) const {
    const unsigned byte = (transposed ? row : k) * bits / 8, inside = byte % width() / 16 * 16;
    unsigned a = 0;
    if (!transposed)
      a = row / 8 * stride() + row % 8 * width() + (layout == 0 ? byte / 16 * leading() : inside);
    else if (layout == 0)
      a = byte / 16 * stride() + k / 8 * leading() + k % 8 * 16;
    else
      a = byte / width() * leading() + k / group() * stride() + k % group() * width() + inside;
    const unsigned line = a / 128;
    if (layout == 1) return a ^ line % 4 * 32;
    return layout == 0 ? a : a ^ line % (width() / 16) * 16;
  }
  std::uint64_t descriptor() const {
    return std::uint64_t{at} >> 4 | std::uint64_t{leading() >> 4} << 16 | std::uint64_t{stride() >> 4} << 32 |
           std::uint64_t{1} << 46 | std::uint64_t{layout} << 61;
  }
};

// A type of numbers: how the bits of a number are stored, and which value they have.
struct number_type {
  unsigned bits;  // size in shared memory, in bits; 8 for the 6-bit and 4-bit types of kind::f8f6f4
  word (*make)(random_words&);
  double (*value)(word);
  bool padded = false;
  unsigned used = 0;  // number of bits that a padded number uses
};
inline double small(word x, unsigned exponents, unsigned fractions) {
  const unsigned fraction = x % (1u << fractions), exponent = x >> fractions & ((1u << exponents) - 1);
  const int bias = (1 << (exponents - 1)) - 1;
  const double size = exponent == 0 ? fraction * std::pow(2, 1 - bias - static_cast<int>(fractions))
                                    : (1 + fraction * std::pow(2, -static_cast<int>(fractions))) *
                                          std::pow(2, static_cast<int>(exponent) - bias);
  return (x >> (exponents + fractions) & 1u) != 0 ? -size : size;
}
inline const number_type f16{16,
                             [](random_words& r) { return word{half_of_double(static_cast<int>(r() % 33) / 4.0 - 4)}; },
                             [](word x) { return double{float_of_half(static_cast<std::uint16_t>(x))}; }};
inline const number_type tf32{32, [](random_words& r) { return bits_of_float(static_cast<float>(r() % 65) / 4 - 8); },
                              [](word x) { return double{float_of_bits(x)}; }};
inline const number_type e4m3{8, [](random_words& r) { return word{r() % 2 << 7 | (r() % 5 + 5) << 3 | r() % 8}; },
                              [](word x) { return small(x, 4, 3); }};
inline const number_type e2m3{8, [](random_words& r) { return word{r() % 64}; }, [](word x) { return small(x, 2, 3); },
                              true, 6};
inline const number_type e2m1{8, [](random_words& r) { return word{r() % 16}; }, [](word x) { return small(x, 2, 1); },
                              true, 4};
inline const number_type packed_e2m1{4, [](random_words& r) { return word{r() % 16}; },
                                     [](word x) { return small(x, 2, 1); }};
inline const number_type signed8{8, [](random_words& r) { return word{r() % 256}; },
                                 [](word x) { return static_cast<double>(static_cast<std::int8_t>(x)); }};
inline const number_type unsigned8{8, [](random_words& r) { return word{r() % 256}; },
                                   [](word x) { return double(x); }};

inline void put_bits(std::string& bytes, std::size_t at, unsigned shift, unsigned bits, word x) {
  for (unsigned i = 0; i < bits; ++i) {
    const std::size_t bit = at * 8 + shift + i;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] | (x >> i & 1) << bit % 8);
  }
}
// Fills the matrix with random numbers, and returns their values row by row.
inline std::vector<double> fill(std::string& image, const matrix& m, const number_type& n, random_words& random) {
  std::vector<double> values;
  for (unsigned row = 0; row < m.rows; ++row)
    for (unsigned k = 0; k < m.depth; ++k) {
      const word x = n.make(random);
      values.push_back(n.value(x));
      const unsigned along = m.transposed ? row : k, in_piece = along % (128 / n.bits);
      put_bits(image, m.at + m.piece(row, k), in_piece * (n.padded ? n.used : n.bits), n.padded ? n.used : n.bits, x);
    }
  return values;
}

}  // namespace bankwise::test
