// The metadata of a sparse A of tcgen05.mma: their position in tensor memory, and the numbers that they select.
//
// A code of 4 bits shows which numbers of a chunk of A are stored:
//
//     16 and 8 bits, padded    2 of 4 numbers      the low 2 bits for the first, the high 2 bits for the second
//     4 bits (kind::mxf4)      2 of 4 pairs
//     TF32                     1 of 2 numbers      0b0100 the first, 0b1110 the second
//
// The code of chunk c in row r of 16 rows is at this position:
//
//     16 and 32 bits    in lane r % 8 + 8 * (c / 4) of 16, from bit 16 * (r / 8) + 4 * (c % 4) on, in the column
//                       after the address that the sparsity selector names
//     8 and 4 bits      in lane r, column c / 8, from bit 4 * (c % 8) on
//
// The 16 lanes are the lanes of D's row. The sources are the PTX manual and CUTLASS's layouts (tmem_e_frg).
#pragma once

#include <algorithm>

#include "emulate/execute/tensor_memory/cells.hpp"
#include "emulate/execute/tensor_memory/tensor_numbers.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

struct sparse_metadata {
  u32 column = 0;         // column of tensor memory with the first code
  bool by_halves = true;  // whether the numbers have 16 or 32 bits
  unsigned chunk = 4;     // number of elements that share a code

  static sparse_metadata of(tensor_number n, u32 address, unsigned selector) {
    sparse_metadata s;
    s.by_halves = n == tensor_number::f16 || n == tensor_number::bf16 || n == tensor_number::tf32;
    s.chunk = n == tensor_number::tf32 ? 2 : n == tensor_number::packed_e2m1 ? 8 : 4;
    s.column = tensor_address_of(address).column + (s.by_halves ? selector : 0);
    return s;
  }
  u32 columns() const { return by_halves ? 1 : 2; }

  unsigned code(tensor_memory& t, unsigned lane, unsigned c) const {
    if (!by_halves) return t.lane(lane)[column + c / 8] >> 4 * (c % 8) & 15;
    const unsigned row = lane % 16;
    return t.lane(lane - row + row % 8 + 8 * (c / 4))[column] >> (16 * (row / 8) + 4 * (c % 4)) & 15;
  }
  // Expands a row of A to `depth` numbers: inserts the zeros that are not stored. If a code selects the same position
  // twice, the two stored numbers are added at this position.
  void expand(tensor_memory& t, unsigned lane, const double* stored, unsigned depth, double* to) const {
    std::fill_n(to, depth, 0.0);
    for (unsigned c = 0; c < depth / chunk; ++c) {
      const unsigned bits = code(t, lane, c);
      const double* const from = stored + c * chunk / 2;
      double* const numbers = to + c * chunk;
      if (chunk == 2) {
        numbers[bits >> 1 & 1] += from[0];
        continue;
      }
      const unsigned width = chunk / 4;
      for (unsigned i = 0; i < width; ++i) {
        numbers[(bits & 3) * width + i] += from[i];
        numbers[(bits >> 2 & 3) * width + i] += from[width + i];
      }
    }
  }
};

}  // namespace bankwise::emulate::BANKWISE_ISA
