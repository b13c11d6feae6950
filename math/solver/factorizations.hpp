// Factorizations of matrices for cuSOLVER, and solutions of systems of equations with the factors.
//
//     cholesky     a = L * L'  or  U' * U          potrf; potrs, potri and lauum use it
//     lu           a = P * L * U                   getrf, getrs, laswp
//     qr           a = Q * R, Q as reflectors      geqrf, orgqr, ormqr, gels
//     ldl          a = L * D * L', pivoted         sytrf, sytrs, sytri
//
// `info` is in device memory. `info` becomes 0, or the number of the pivot or minor that failed.
#pragma once

#include <climits>

#include "math/blas/triangles.hpp"
#include "math/solver/lapack.hpp"

namespace bankwise::math {

inline bool fits(std::initializer_list<index_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](index_t s) { return s >= 0 && s <= INT_MAX; });
}
inline bool is_matrix(index_t m, index_t n, index_t lead) {
  return fits({m, n, lead}) && lead >= std::max<index_t>(1, m) && fits_memory({lead, n});
}
inline bool is_triangle(int part) { return part == lower || part == upper; }
inline bool is_operation(int o) { return o >= as_it_is && o <= adjoint; }

// Calls a function that reads one triangle of a square matrix: "potrf", "potri", "lauum".
template <class T>
status on_triangle(routine& r, std::string_view name, int part, index_t n, T* a, index_t lda, int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda)) return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto failed = r.writes(info, 1);
  if (name == "potrf") r.work({.what = cuda::chained::cholesky, .links = static_cast<double>(n)});
  return perform_by_lapack(
      r, [=](const view& v) { *failed.at(v) = lapack<T>(name, letter_of_part(part), n, matrix.at(v), lda); });
}

template <class T>
status cholesky_batch(routine& r, int part, index_t n, T* const* a, index_t lda, int* info, index_t batch) {
  if (!is_triangle(part) || !is_matrix(n, n, lda) || batch < 0) return invalid_value;
  if (batch == 0) return success;
  const index_t count = elements_of(n, n, lda);
  const auto matrices = r.pointers(a, batch, count * static_cast<index_t>(sizeof(T)), true);
  const auto failed = r.writes(info, batch);
  return perform_by_lapack(r, [=](const view& v) {
    for (index_t i = 0; i < batch; ++i)
      failed.at(v)[i] = lapack<T>("potrf", letter_of_part(part), n, found(v, matrices.at(v)[i], count), lda);
  });
}

template <class T>
status cholesky_solve(routine& r, int part, index_t n, index_t columns, const T* a, index_t lda, T* b, index_t ldb,
                      int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda) || !is_matrix(n, columns, ldb)) return invalid_value;
  const auto matrix = r.reads(a, elements_of(n, n, lda));
  const auto x = r.writes(b, elements_of(n, columns, ldb));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = lapack<T>("potrs", letter_of_part(part), n, columns, matrix.at(v), lda, x.at(v), ldb);
  });
}
// As in cuSOLVER, each system of equations has one right-hand side.
template <class T>
status cholesky_solve_batch(routine& r, int part, index_t n, index_t columns, T* const* a, index_t lda, T* const* b,
                            index_t ldb, int* info, index_t batch) {
  if (!is_triangle(part) || !is_matrix(n, n, lda) || !is_matrix(n, columns, ldb) || columns != 1 || batch < 0)
    return invalid_value;
  if (batch == 0) return success;
  const index_t a_count = elements_of(n, n, lda), b_count = elements_of(n, columns, ldb);
  const auto matrices = r.pointers(a, batch, a_count * static_cast<index_t>(sizeof(T)), false);
  const auto sides = r.pointers(b, batch, b_count * static_cast<index_t>(sizeof(T)), true);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = 0;
    for (index_t i = 0; i < batch; ++i)
      lapack<T>("potrs", letter_of_part(part), n, columns, found(v, matrices.at(v)[i], a_count), lda,
                found(v, sides.at(v)[i], b_count), ldb);
  });
}

template <class T>
status invert_triangle(routine& r, int part, int unit, index_t n, T* a, index_t lda, int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda) || unit < 0 || unit > 1) return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = lapack<T>("trtri", letter_of_part(part), letter_of_diagonal(unit == 1), n, matrix.at(v), lda);
  });
}

// Pivots have 32 or 64 bits. If `pivots` is null, rows are not exchanged.
template <class T, class I>
status lu(routine& r, index_t m, index_t n, T* a, index_t lda, I* pivots, int* info) {
  if (!is_matrix(m, n, lda)) return invalid_value;
  const index_t count = std::min(m, n);
  const auto matrix = r.writes(a, elements_of(m, n, lda));
  const auto order = r.writes(pivots, pivots == nullptr ? 0 : count);
  const auto failed = r.writes(info, 1);
  r.work({.what = cuda::chained::with_pivots, .links = static_cast<double>(count)});
  if (pivots == nullptr)
    return r.perform([=](const view& v) { *failed.at(v) = factor(matrix.at(v), m, n, lda, static_cast<I*>(nullptr)); });
  return perform_by_lapack(r, [=](const view& v) {
    lapack_integers found_order(count);
    *failed.at(v) = lapack<T>("getrf", m, n, matrix.at(v), lda, found_order.data());
    for (index_t i = 0; i < count; ++i) order.at(v)[i] = static_cast<I>(found_order[i]);
  });
}
template <class T, class I>
status lu_solve(routine& r, int o, index_t n, index_t columns, const T* a, index_t lda, const I* pivots, T* b,
                index_t ldb, int* info) {
  if (!is_operation(o) || !is_matrix(n, n, lda) || !is_matrix(n, columns, ldb)) return invalid_value;
  r.by_blas();
  const auto matrix = r.reads(a, elements_of(n, n, lda));
  const auto order = r.reads(pivots, pivots == nullptr ? 0 : n);
  const auto x = r.writes(b, elements_of(n, columns, ldb));
  const auto failed = r.writes(info, 1);
  return r.perform([=](const view& v) {
    solve_factored(o, matrix.at(v), n, lda, order.at(v), x.at(v), columns, ldb);
    *failed.at(v) = 0;
  });
}
template <class T>
status exchange_rows(routine& r, index_t n, T* a, index_t lda, index_t first, index_t last, const int* pivots,
                     index_t step) {
  if (!fits({n, lda}) || first < 1 || last < first || lda < last) return invalid_value;
  const index_t count = first + (last - first) * std::abs(step);  // number of pivots that are checked
  const auto order = r.reads(pivots, step == 0 ? 0 : count);
  const auto matrix = r.writes(a, n == 0 ? 0 : (n - 1) * lda + lda);
  return perform_by_lapack(r, [=](const view& v) {
    if (n == 0 || step == 0) return;
    lapack_integers all(order.at(v), count);
    lapack<T>("laswp", n, matrix.at(v), lda, first, last, all.data(), step);
  });
}

template <class T>
status qr(routine& r, index_t m, index_t n, T* a, index_t lda, T* tau, int* info) {
  if (!is_matrix(m, n, lda)) return invalid_value;
  const auto matrix = r.writes(a, elements_of(m, n, lda));
  const auto scales = r.writes(tau, std::min(m, n));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(
      r, [=](const view& v) { *failed.at(v) = lapack_with_work<T>("geqrf", m, n, matrix.at(v), lda, scales.at(v)); });
}
// Computes the first n columns of Q from k reflectors.
template <class T>
status form_q(routine& r, index_t m, index_t n, index_t k, T* a, index_t lda, const T* tau, int* info) {
  if (!is_matrix(m, n, lda) || n > m || k < 0 || k > n) return invalid_value;
  const auto matrix = r.writes(a, elements_of(m, n, lda));
  const auto scales = r.reads(tau, k);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = lapack_with_work<T>("orgqr", m, n, k, matrix.at(v), lda, scales.at(v));
  });
}
// Computes c = op(Q) * c, or c = c * op(Q).
template <class T>
status multiply_by_q(routine& r, int where, int o, index_t m, index_t n, index_t k, const T* a, index_t lda,
                     const T* tau, T* c, index_t ldc, int* info) {
  const index_t size = where == left ? m : n;
  if ((where != left && where != right) || !is_operation(o) || !is_matrix(m, n, ldc) || !is_matrix(size, k, lda) ||
      k > size || (is_complex_type<T> && o == transposed))
    return invalid_value;
  const auto reflectors = r.reads(a, elements_of(size, k, lda));
  const auto scales = r.reads(tau, k);
  const auto matrix = r.writes(c, elements_of(m, n, ldc));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    const char turned = o == as_it_is ? 'N' : is_complex_type<T> ? 'C' : 'T';
    *failed.at(v) = lapack_with_work<T>("ormqr", where == left ? 'L' : 'R', turned, m, n, k, reflectors.at(v), lda,
                                        scales.at(v), matrix.at(v), ldc);
  });
}

// Solves a system of equations or a least-squares problem, in the type of the elements. Sets `rounds`, the number of
// refinements, to 0.
template <class T>
status refined_solve(routine& r, index_t n, index_t columns, T* a, index_t lda, int* pivots, T* b, index_t ldb, T* x,
                     index_t ldx, int* rounds, int* info) {
  if (!is_matrix(n, n, lda) || !is_matrix(n, columns, ldb) || !is_matrix(n, columns, ldx)) return invalid_value;
  const auto matrix = r.reads(a, elements_of(n, n, lda)), from = r.reads(b, elements_of(n, columns, ldb));
  const auto order = r.writes(pivots, pivots == nullptr ? 0 : n);
  const auto to = r.writes(x, elements_of(n, columns, ldx));
  const auto failed = r.writes(info, 1);
  const auto made = r.host_result(rounds);
  return perform_by_lapack(r, [=](const view& v) {
    dense<T> factors(static_cast<std::size_t>(n * n));
    for (index_t j = 0; j < n; ++j) std::copy_n(matrix.at(v) + j * lda, n, factors.data() + j * n);
    for (index_t j = 0; j < columns; ++j) std::copy_n(from.at(v) + j * ldb, n, to.at(v) + j * ldx);
    lapack_integers found_order(n);
    *failed.at(v) =
        lapack<T>("gesv", n, columns, factors.data(), std::max<index_t>(n, 1), found_order.data(), to.at(v), ldx);
    for (index_t i = 0; i < n && order.bytes != 0; ++i) order.at(v)[i] = static_cast<int>(found_order[i]);
    if (made.bytes != 0) *made.at(v) = 0;
  });
}
template <class T>
status refined_least_squares(routine& r, index_t m, index_t n, index_t columns, T* a, index_t lda, T* b, index_t ldb,
                             T* x, index_t ldx, int* rounds, int* info) {
  if (!is_matrix(m, n, lda) || n > m || !is_matrix(m, columns, ldb) || !is_matrix(n, columns, ldx))
    return invalid_value;
  const auto matrix = r.reads(a, elements_of(m, n, lda)), from = r.reads(b, elements_of(m, columns, ldb));
  const auto to = r.writes(x, elements_of(n, columns, ldx));
  const auto failed = r.writes(info, 1);
  const auto made = r.host_result(rounds);
  return perform_by_lapack(r, [=](const view& v) {
    const index_t lead = std::max<index_t>(m, 1);
    dense<T> factors(static_cast<std::size_t>(lead * n)), sides(static_cast<std::size_t>(lead * columns));
    for (index_t j = 0; j < n; ++j) std::copy_n(matrix.at(v) + j * lda, m, factors.data() + j * lead);
    for (index_t j = 0; j < columns; ++j) std::copy_n(from.at(v) + j * ldb, m, sides.data() + j * lead);
    *failed.at(v) = lapack_with_work<T>("gels", 'N', m, n, columns, factors.data(), lead, sides.data(), lead);
    for (index_t j = 0; j < columns; ++j) std::copy_n(sides.data() + j * lead, n, to.at(v) + j * ldx);
    if (made.bytes != 0) *made.at(v) = 0;
  });
}

template <class T>
status ldl(routine& r, int part, index_t n, T* a, index_t lda, int* pivots, int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda)) return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto order = r.writes(pivots, n);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    lapack_integers found_order(n);
    *failed.at(v) = lapack_with_work<T>("sytrf", letter_of_part(part), n, matrix.at(v), lda, found_order.data());
    for (index_t i = 0; i < n; ++i) order.at(v)[i] = static_cast<int>(found_order[i]);
  });
}
template <class T>
status ldl_solve(routine& r, int part, index_t n, index_t columns, const T* a, index_t lda, const std::int64_t* pivots,
                 T* b, index_t ldb, int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda) || !is_matrix(n, columns, ldb)) return invalid_value;
  const auto matrix = r.reads(a, elements_of(n, n, lda));
  const auto order = r.reads(pivots, n);
  const auto x = r.writes(b, elements_of(n, columns, ldb));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    lapack_integers all(order.at(v), n);
    *failed.at(v) = lapack<T>("sytrs", letter_of_part(part), n, columns, matrix.at(v), lda, all.data(), x.at(v), ldb);
  });
}
template <class T>
status ldl_invert(routine& r, int part, index_t n, T* a, index_t lda, const int* pivots, int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda)) return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto order = r.reads(pivots, n);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    lapack_integers all(order.at(v), n);
    std::vector<T> work(static_cast<std::size_t>(std::max<index_t>(2 * n, 1)));
    *failed.at(v) = lapack<T>("sytri", letter_of_part(part), n, matrix.at(v), lda, all.data(), work.data());
  });
}

// Reduces a matrix to a main diagonal and one diagonal next to it. Also computes the orthogonal matrices of this
// reduction.
template <class T>
status bidiagonal(routine& r, index_t m, index_t n, T* a, index_t lda, real<T>* d, real<T>* e, T* tau_q, T* tau_p,
                  int* info) {
  if (!is_matrix(m, n, lda) || n > m) return invalid_value;
  const index_t count = std::min(m, n);
  const auto matrix = r.writes(a, elements_of(m, n, lda));
  const auto diagonal = r.writes(d, count), beside = r.writes(e, std::max<index_t>(count - 1, 0));
  const auto q = r.writes(tau_q, count), p = r.writes(tau_p, count);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) =
        lapack_with_work<T>("gebrd", m, n, matrix.at(v), lda, diagonal.at(v), beside.at(v), q.at(v), p.at(v));
  });
}
template <class T>
status form_bidiagonal(routine& r, int where, index_t m, index_t n, index_t k, T* a, index_t lda, const T* tau,
                       int* info) {
  const bool of_q = where == left;
  if ((where != left && where != right) || !is_matrix(m, n, lda) || k < 0 ||
      (of_q ? n > m || n < std::min(m, k) : m > n || m < std::min(n, k)))
    return invalid_value;
  const auto matrix = r.writes(a, elements_of(m, n, lda));
  const auto scales = r.reads(tau, std::min(of_q ? m : n, k));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = lapack_with_work<T>("orgbr", of_q ? 'Q' : 'P', m, n, k, matrix.at(v), lda, scales.at(v));
  });
}
template <class T>
status tridiagonal(routine& r, int part, index_t n, T* a, index_t lda, real<T>* d, real<T>* e, T* tau, int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda)) return invalid_value;
  const index_t between = std::max<index_t>(n - 1, 0);
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto diagonal = r.writes(d, n), beside = r.writes(e, between);
  const auto scales = r.writes(tau, between);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = lapack_with_work<T>("sytrd", letter_of_part(part), n, matrix.at(v), lda, diagonal.at(v),
                                        beside.at(v), scales.at(v));
  });
}
template <class T>
status form_tridiagonal(routine& r, int part, index_t n, T* a, index_t lda, const T* tau, int* info) {
  if (!is_triangle(part) || !is_matrix(n, n, lda)) return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto scales = r.reads(tau, std::max<index_t>(n - 1, 0));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = lapack_with_work<T>("orgtr", letter_of_part(part), n, matrix.at(v), lda, scales.at(v));
  });
}
template <class T>
status multiply_by_tridiagonal(routine& r, int where, int part, int o, index_t m, index_t n, const T* a, index_t lda,
                               const T* tau, T* c, index_t ldc, int* info) {
  const index_t size = where == left ? m : n;
  if ((where != left && where != right) || !is_triangle(part) || !is_operation(o) || !is_matrix(m, n, ldc) ||
      !is_matrix(size, size, lda) || (is_complex_type<T> && o == transposed))
    return invalid_value;
  const auto reflectors = r.reads(a, elements_of(size, size, lda));
  const auto scales = r.reads(tau, std::max<index_t>(size - 1, 0));
  const auto matrix = r.writes(c, elements_of(m, n, ldc));
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    const char turned = o == as_it_is ? 'N' : is_complex_type<T> ? 'C' : 'T';
    *failed.at(v) = lapack_with_work<T>("ormtr", where == left ? 'L' : 'R', letter_of_part(part), turned, m, n,
                                        reflectors.at(v), lda, scales.at(v), matrix.at(v), ldc);
  });
}
// Computes the triangle t that combines several reflectors into one block.
template <class T>
status block_of_reflectors(routine& r, int backward, int by_rows, index_t n, index_t k, const T* reflectors,
                           index_t ldv, const T* tau, T* t, index_t ldt) {
  if (backward < 0 || backward > 1 || by_rows < 0 || by_rows > 1 || k > n || !is_matrix(k, k, ldt) ||
      !is_matrix(by_rows == 1 ? k : n, by_rows == 1 ? n : k, ldv))
    return invalid_value;
  const auto from = r.reads(reflectors, by_rows == 1 ? elements_of(k, n, ldv) : elements_of(n, k, ldv)),
             scales = r.reads(tau, k);
  const auto to = r.writes(t, elements_of(k, k, ldt));
  return perform_by_lapack(r, [=](const view& v) {
    const T *const first = from.at(v), *const scale = scales.at(v);
    T* const out = to.at(v);
    // This LAPACK function has no argument `info`. The function ignores the additional argument that lapack() passes at
    // the end.
    if (k != 0)
      lapack<T>("larft", backward == 1 ? 'B' : 'F', by_rows == 1 ? 'R' : 'C', n, k, first, ldv, scale, out, ldt);
  });
}

}  // namespace bankwise::math
