// Adds products to the sums of four rows of A at a time. For all k, 4 x 8 sums stay in vector registers.
#pragma once

#include <cstring>

#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

inline constexpr unsigned rows_at_once = 4;
// Number of unused elements at the end of each row of B. Because of these elements, the numbers of a column are in
// different sets of the CPU's first-level cache.
inline constexpr unsigned cache_padding = 8;

// sum[i][n] += a[i][k] * b[k * stride + n], for `depth` numbers k and `columns` columns n.
static inline void add_row_products(const double* const (&a)[rows_at_once], const double* b, unsigned stride,
                                    unsigned depth, unsigned columns, double* const (&sum)[rows_at_once]) {
  using four = double __attribute__((vector_size(32)));
  constexpr unsigned strip = 8;
  unsigned n = 0;
  for (; n + strip <= columns; n += strip) {
    four sums[rows_at_once][2], x[2];
#pragma GCC unroll 4
    for (unsigned i = 0; i < rows_at_once; ++i)
      for (unsigned j = 0; j < 2; ++j) std::memcpy(&sums[i][j], sum[i] + n + 4 * j, sizeof sums[i][j]);
    for (unsigned k = 0; k < depth; ++k) {
      for (unsigned j = 0; j < 2; ++j) std::memcpy(&x[j], b + k * stride + n + 4 * j, sizeof x[j]);
#pragma GCC unroll 4
      for (unsigned i = 0; i < rows_at_once; ++i)
        for (unsigned j = 0; j < 2; ++j) sums[i][j] += x[j] * a[i][k];
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < rows_at_once; ++i)
      for (unsigned j = 0; j < 2; ++j) std::memcpy(sum[i] + n + 4 * j, &sums[i][j], sizeof sums[i][j]);
  }
  for (; n < columns; ++n)
    for (unsigned i = 0; i < rows_at_once; ++i)
      for (unsigned k = 0; k < depth; ++k) sum[i][n] += a[i][k] * b[k * stride + n];
}

}  // namespace bankwise::emulate::BANKWISE_ISA
