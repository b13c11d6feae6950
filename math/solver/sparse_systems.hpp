// Systems of equations with a sparse matrix, for cuSOLVER. The matrix is stored as a dense matrix. A matrix of a few
// thousand rows fits into memory.
#pragma once

#include "base/format.hpp"
#include "math/blas/reflectors.hpp"
#include "math/solver/factorizations.hpp"
#include "math/sparse/sparse_legacy.hpp"

namespace bankwise::math {

inline constexpr index_t most_system_rows = 8192;

template <class T>
struct sparse_system {
  const matrix_description* d = nullptr;
  index_t m = 0, count = 0;
  const T* values = nullptr;
  const int *offsets = nullptr, *columns = nullptr;
};
// Solves the system. Sets `singular_row`, in host memory, to the first row in which the matrix is singular or not
// positive definite. Rows are counted from 0. Without such a row, `singular_row` is -1. With the QR factorization, the
// matrix is singular if a diagonal element of R is at most `least`.
template <class T>
status solve_system(routine& r, bool cholesky, const sparse_system<T>& s, const T* b, real<T> least, T* x,
                    int* singular_row) {
  const index_t m = s.m;
  if (s.d == nullptr || m < 0 || s.count < 0 || singular_row == nullptr) return invalid_value;
  if (m > most_system_rows) {
    cuda::say(formatted("cuSOLVER: a sparse system has {} rows, but bankwise solves only systems of at most {} rows", m,
                        most_system_rows));
    return not_supported;
  }
  const auto matrix = places_of(r, rows_matrix(*s.d, m, m, s.count, s.values, s.offsets, s.columns), touch::reads);
  const auto sides = r.reads(b, m);
  const auto to = r.writes(x, m);
  const auto found_row = std::make_shared<int>(0);  // counted from 1; 0 if there is no such row
  const auto place_of_row = r.host_result(found_row.get());
  const auto compute = [=](const view& v) {
    dense<T> a(static_cast<std::size_t>(m * m));
    for (const entry& e : entries_of(matrix, v))
      a[e.column * m + e.row] += load<T>(matrix.value(v, 0) + e.at * static_cast<index_t>(sizeof(T)));
    T* const out = to.at(v);
    std::copy_n(sides.at(v), m, out);
    int row = 0;
    if (cholesky) {
      row = lapack<T>("posv", 'L', m, index_t{1}, a.data(), m, out, m);
    } else {
      std::vector<T> tau(static_cast<std::size_t>(m));
      factor_by_reflectors(a.data(), m, m, m, tau.data());
      for (index_t j = 0; j < m; ++j) reflect(a.data() + j * m + j, m - j, conjugate_if(true, tau[j]), out + j);
      for (index_t j = m; j-- > 0;)
        if (!(std::abs(a[j * m + j]) > least)) row = static_cast<int>(j) + 1;
      solve_triangle(left, upper, as_it_is, false, m, 1, T(1), a.data(), m, out, m);
    }
    *place_of_row.at(v) = row;
  };
  const status done = m == 0 ? success : cholesky ? perform_by_lapack(r, compute) : r.perform(compute);
  if (done == success) *singular_row = *found_row - 1;
  return done;
}

}  // namespace bankwise::math
