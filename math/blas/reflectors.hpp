// Factors many small matrices for cuBLAS. The orthogonal factor of a matrix is a product of reflectors:
//
//     a = Q * R,   Q = H1 * H2 * ... * Hn,   H = I - tau * v * v',   v = 0 ... 0 1, then a below its diagonal
#pragma once

#include "math/blas/triangles.hpp"

namespace bankwise::math {

// Computes column -= tau * v * (v' * column).
template <class T>
void reflect(const T* v, index_t count, T tau, T* column) {
  wide<T> along(column[0]);
  for (index_t i = 1; i < count; ++i) along += wide<T>(conjugate_if(true, v[i])) * wide<T>(column[i]);
  const T factor = T(wide<T>(tau) * along);
  column[0] -= factor;
  for (index_t i = 1; i < count; ++i) column[i] -= factor * v[i];
}
template <class T>
void factor_by_reflectors(T* a, index_t m, index_t n, index_t lead, T* tau) {
  for (index_t j = 0; j < std::min(m, n); ++j) {
    T* const own = a + j * lead + j;
    const index_t count = m - j;
    double below = 0;
    for (index_t i = 1; i < count; ++i) below += std::norm(own[i]);
    const wide<T> head(own[0]);
    tau[j] = T(0);
    if (below == 0 && std::imag(head) == 0) continue;
    const double length = std::sqrt(std::norm(head) + below), diagonal = std::real(head) >= 0 ? -length : length;
    tau[j] = T((wide<T>(diagonal) - head) / diagonal);
    for (index_t i = 1; i < count; ++i) own[i] = T(wide<T>(own[i]) / (head - wide<T>(diagonal)));
    own[0] = T(static_cast<real<T>>(diagonal));
    for (index_t k = j + 1; k < n; ++k) reflect(own, count, conjugate_if(true, tau[j]), a + k * lead + j);
  }
}

template <class T>
status factor_by_reflectors_batch(routine& r, index_t m, index_t n, T* const* a, index_t lda, T* const* tau, int* info,
                                  index_t batch) {
  if (info == nullptr) return invalid_value;
  const int wrong = m < 0 ? 1 : n < 0 ? 2 : lda < std::max<index_t>(1, m) ? 4 : batch < 0 ? 7 : 0;
  *info = -wrong;
  if (wrong != 0) return invalid_value;
  if (m == 0 || n == 0 || batch == 0) return success;
  const index_t count = elements_of(m, n, lda), scales = std::min(m, n), each = sizeof(T);
  const auto matrices = r.pointers(a, batch, count * each, true), taus = r.pointers(tau, batch, scales * each, true);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < batch; ++i)
      factor_by_reflectors(found(v, matrices.at(v)[i], count), m, n, lda, found(v, taus.at(v)[i], scales));
  });
}

// Finds the x for which a * x is closest to c, and writes x to the first rows of c. `failed` is in device memory. It
// becomes 0, or the number of the column without a pivot.
template <class T>
status least_squares_batch(routine& r, int o, index_t m, index_t n, index_t columns, T* const* a, index_t lda,
                           T* const* c, index_t ldc, int* info, int* failed, index_t batch) {
  if (info == nullptr) return invalid_value;
  const int wrong = o < as_it_is || o > adjoint     ? 1
                    : m < 0                         ? 2
                    : n < 0                         ? 3
                    : columns < 0                   ? 4
                    : lda < std::max<index_t>(1, m) ? 6
                    : ldc < std::max<index_t>(1, m) ? 8
                    : batch < 0                     ? 11
                                                    : 0;
  *info = -wrong;
  if (wrong != 0) return invalid_value;
  if (o != as_it_is || m < n) return not_supported;  // limits of cuBLAS
  if (n == 0 || batch == 0) return success;
  const index_t count = elements_of(m, n, lda), sides = elements_of(m, columns, ldc), each = sizeof(T);
  const auto matrices = r.pointers(a, batch, count * each, true), right = r.pointers(c, batch, sides * each, true);
  const auto zeros = r.writes(failed, failed == nullptr ? 0 : batch);
  return r.perform([=](const view& v) {
    std::vector<T> tau(static_cast<std::size_t>(n));
    for (index_t i = 0; i < batch; ++i) {
      T *const matrix = found(v, matrices.at(v)[i], count), *const side = found(v, right.at(v)[i], sides);
      factor_by_reflectors(matrix, m, n, lda, tau.data());
      int zero = 0;
      for (index_t j = n; j-- > 0;)
        if (matrix[j * lda + j] == T(0)) zero = static_cast<int>(j + 1);
      if (zeros.bytes != 0) zeros.at(v)[i] = zero;
      if (zero != 0) continue;
      for (index_t j = 0; j < n; ++j)
        for (index_t k = 0; k < columns; ++k)
          reflect(matrix + j * lda + j, m - j, conjugate_if(true, tau[j]), side + k * ldc + j);
      solve_triangle(left, upper, as_it_is, false, n, columns, T(1), matrix, lda, side, ldc);
    }
  });
}

}  // namespace bankwise::math
