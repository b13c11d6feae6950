// The rows of B by which the elements of a sparse A are multiplied.
//
//     metadata 0b1101        the first two stored elements of A use rows 1 and 3 of four rows of B
#pragma once

#include <cstdint>

#include "emulate/execute/lanes.hpp"
#include "sass/operand/tensor_shape.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// Four bits of metadata belong to two stored chunks of A. The lower two bits select one of four adjacent chunks of B
// for the first chunk of A, and the upper two bits select a chunk of B for the second chunk of A. A chunk is one
// number, two 4-bit numbers, or half of a TF32 number. A GPU accepts any two chunks of B, in any order (measured on an
// H100). The metadata of a row are in one, two or all four of the row's lanes. The selector chooses these lanes.
struct rows_met {
  std::uint8_t at[16][64];  // row of B for each row and column of A; for TF32, row of B for each half of a column

  // `words`: the metadata register in each of the 32 lanes.
  rows_met(const sass::tensor_shape& s, const u32* words, unsigned selector) {
    if (!s.sparse) {  // each element of A uses its own row of B
      for (auto& row : at)
        for (unsigned k = 0; k < 64; ++k) row[k] = static_cast<std::uint8_t>(k);
      return;
    }
    const unsigned piece = s.element_bits == 4 ? 2 : 1, groups = s.metadata_groups(), lanes = s.metadata_lanes();
    // whether each lane contains 8 groups of metadata of one row, instead of 4 groups each of two rows
    const bool by_rows = lanes == 4 || (lanes == 2 && s.element_bits < 16);
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned g = 0; g < groups; ++g) {
        const u32* word = words + 4 * (row % 8) + lanes * selector;
        const u32 n =
            by_rows ? word[2 * (g / 8) + row / 8] >> 4 * (g % 8) : word[g / 4] >> (16 * (row / 8) + 4 * (g % 4));
        std::uint8_t* const to = at[row] + 2 * piece * g;
        const unsigned first = (4 * g + (n & 3)) * piece, second = (4 * g + (n >> 2 & 3)) * piece;
        to[0] = static_cast<std::uint8_t>(first);
        if (piece == 1) {
          to[1] = static_cast<std::uint8_t>(second);
          continue;
        }
        to[1] = static_cast<std::uint8_t>(first + 1);
        to[2] = static_cast<std::uint8_t>(second);
        to[3] = static_cast<std::uint8_t>(second + 1);
      }
  }
};

// A TF32 number of B, made of two halves that are selected separately.
static inline u32 of_halves(const u32* column, const std::uint8_t* met) {
  const auto half = [&](unsigned at) { return column[at / 2] >> 16 * (at % 2) & 0xffff; };
  return half(met[0]) | half(met[1]) << 16;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
