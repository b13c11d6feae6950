// Eigenvalues and singular values, with their vectors, for cuSOLVER.
//
//     symmetric      a = V * w * V'              syevd, syevj, syevdx and batches of them; sygvd: a * v = w * b * v
//     any            a * V = V * w               geev
//     singular       a = U * s * V'              gesvd, gesvdj, gesvdp, gesvda and batches of them
//
// The functions for Jacobi's methods and for the randomized method use a direct method instead.
#pragma once

#include "math/solver/factorizations.hpp"

namespace bankwise::math {

template <class T>
int symmetric_now(char job, int part, index_t n, T* a, index_t lda, real<T>* w) {
  if (n == 0) return 0;
  T first{};
  real<T> first_real{};
  lapack_integers first_integer(1);
  const char uplo = letter_of_part(part);
  const index_t ask = -1;
  if constexpr (is_complex_type<T>) {
    int info = lapack<T>("syevd", job, uplo, n, a, lda, w, &first, ask, &first_real, ask, first_integer.data(), ask);
    if (info != 0) return info;
    std::vector<T> work(static_cast<std::size_t>(asked_for(first.real())));
    std::vector<real<T>> real_work(static_cast<std::size_t>(asked_for(first_real)));
    lapack_integers integers(first_integer[0]);
    return lapack<T>("syevd", job, uplo, n, a, lda, w, work.data(), static_cast<index_t>(work.size()), real_work.data(),
                     static_cast<index_t>(real_work.size()), integers.data(), first_integer[0]);
  } else {
    int info = lapack<T>("syevd", job, uplo, n, a, lda, w, &first, ask, first_integer.data(), ask);
    if (info != 0) return info;
    std::vector<T> work(static_cast<std::size_t>(asked_for(first)));
    lapack_integers integers(first_integer[0]);
    return lapack<T>("syevd", job, uplo, n, a, lda, w, work.data(), static_cast<index_t>(work.size()), integers.data(),
                     first_integer[0]);
  }
}
template <class T>
int general_symmetric_now(int kind, char job, int part, index_t n, T* a, index_t lda, T* b, index_t ldb, real<T>* w) {
  if (n == 0) return 0;
  T first{};
  real<T> first_real{};
  lapack_integers first_integer(1);
  const char uplo = letter_of_part(part);
  const index_t ask = -1, type = kind;
  if constexpr (is_complex_type<T>) {
    int info = lapack<T>("sygvd", type, job, uplo, n, a, lda, b, ldb, w, &first, ask, &first_real, ask,
                         first_integer.data(), ask);
    if (info != 0) return info;
    std::vector<T> work(static_cast<std::size_t>(asked_for(first.real())));
    std::vector<real<T>> real_work(static_cast<std::size_t>(asked_for(first_real)));
    lapack_integers integers(first_integer[0]);
    return lapack<T>("sygvd", type, job, uplo, n, a, lda, b, ldb, w, work.data(), static_cast<index_t>(work.size()),
                     real_work.data(), static_cast<index_t>(real_work.size()), integers.data(), first_integer[0]);
  } else {
    int info = lapack<T>("sygvd", type, job, uplo, n, a, lda, b, ldb, w, &first, ask, first_integer.data(), ask);
    if (info != 0) return info;
    std::vector<T> work(static_cast<std::size_t>(asked_for(first)));
    lapack_integers integers(first_integer[0]);
    return lapack<T>("sygvd", type, job, uplo, n, a, lda, b, ldb, w, work.data(), static_cast<index_t>(work.size()),
                     integers.data(), first_integer[0]);
  }
}

inline bool is_job(int vectors) { return vectors == 0 || vectors == 1; }

template <class T>
status symmetric_batch(routine& r, int vectors, int part, index_t n, T* a, index_t lda, real<T>* w, int* info,
                       index_t batch) {
  if (!is_job(vectors) || !is_triangle(part) || !is_matrix(n, n, lda) || batch < 0 || !fits_memory({batch, lda, n}))
    return invalid_value;
  if (batch == 0) return success;
  const index_t stride = lda * n;
  const auto matrices = r.writes(a, n == 0 ? 0 : (batch - 1) * stride + elements_of(n, n, lda));
  const auto values = r.writes(w, batch * n);
  const auto failed = r.writes(info, batch);
  return perform_by_lapack(r, [=](const view& v) {
    T* const first = matrices.at(v);
    real<T>* const to = values.at(v);
    int* const results = failed.at(v);
    const double work =
        static_cast<double>(batch) * static_cast<double>(n) * static_cast<double>(n) * 10 * static_cast<double>(n);
    for_each(batch, work, [&](index_t i) {
      results[i] = symmetric_now(vectors == 1 ? 'V' : 'N', part, n, first + i * stride, lda, to + i * n);
    });
  });
}
template <class T>
status symmetric(routine& r, int vectors, int part, index_t n, T* a, index_t lda, real<T>* w, int* info) {
  return symmetric_batch(r, vectors, part, n, a, lda, w, info, 1);
}
// `kind` selects the equation: a * v = w * b * v, a * b * v = w * v, or b * a * v = w * v.
template <class T>
status general_symmetric(routine& r, int kind, int vectors, int part, index_t n, T* a, index_t lda, T* b, index_t ldb,
                         real<T>* w, int* info) {
  if (kind < 1 || kind > 3 || !is_job(vectors) || !is_triangle(part) || !is_matrix(n, n, lda) || !is_matrix(n, n, ldb))
    return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda)), other = r.writes(b, elements_of(n, n, ldb));
  const auto values = r.writes(w, n);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) = general_symmetric_now(kind, vectors == 1 ? 'V' : 'N', part, n, matrix.at(v), lda, other.at(v), ldb,
                                          values.at(v));
  });
}

// Computes the eigenvalues in (least, most], or the eigenvalues with these numbers, counted from 1. Writes how many
// eigenvalues there are to host memory. If `kind` is 0, there is no b.
template <class T, class I>
status some_eigenvalues(routine& r, int kind, int vectors, int range, int part, index_t n, T* a, index_t lda, T* b,
                        index_t ldb, real<T> least, real<T> most, index_t from, index_t to, I* count, real<T>* w,
                        int* info) {
  if (kind < 0 || kind > 3 || !is_job(vectors) || range < range_all || range > range_of_values || !is_triangle(part) ||
      !is_matrix(n, n, lda) || (kind != 0 && !is_matrix(n, n, ldb)) ||
      (range == range_of_values && n != 0 && !(least < most)) ||
      (range == range_of_numbers && n != 0 && (from < 1 || to < from || to > n)))
    return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto other = r.writes(b, kind == 0 ? 0 : elements_of(n, n, ldb));
  const auto values = r.writes(w, n);
  const auto failed = r.writes(info, 1);
  const auto number = r.host_result(count);
  return perform_by_lapack(r, [=](const view& v) {
    T* const m = matrix.at(v);
    real<T>* const all = values.at(v);
    const char job = vectors == 1 ? 'V' : 'N';
    const int result = kind == 0 ? symmetric_now(job, part, n, m, lda, all)
                                 : general_symmetric_now(kind, job, part, n, m, lda, other.at(v), ldb, all);
    index_t first = 0, end = n;
    if (range == range_of_numbers && n != 0) {
      first = from - 1;
      end = to;
    } else if (range == range_of_values) {
      first = std::upper_bound(all, all + n, least) - all;
      end = std::upper_bound(all, all + n, most) - all;
    }
    for (index_t i = first; i < end && first != 0; ++i) {
      all[i - first] = all[i];
      if (vectors == 1) std::copy_n(m + i * lda, n, m + (i - first) * lda);
    }
    *failed.at(v) = result;
    if (number.bytes != 0) *number.at(v) = static_cast<I>(end - first);
  });
}

// For a real matrix, `w_type` determines the form of `w`: complex numbers, or all real parts followed by all imaginary
// parts. The vectors of two conjugate values are stored in two columns: the real part, then the imaginary part.
template <class T>
status any_eigenvalues(routine& r, int left_vectors, int right_vectors, index_t n, T* a, index_t lda, int w_type,
                       void* w, T* vl, index_t ldvl, T* vr, index_t ldvr, int* info) {
  if (!is_job(left_vectors) || !is_job(right_vectors) || !is_matrix(n, n, lda) ||
      (left_vectors == 1 && !is_matrix(n, n, ldvl)) || (right_vectors == 1 && !is_matrix(n, n, ldvr)))
    return invalid_value;
  using complex = std::complex<real<T>>;
  const bool is_complex_w = w_type == type_of(complex());
  if (!is_complex_w && w_type != type_of(T())) return invalid_value;
  const auto matrix = r.writes(a, elements_of(n, n, lda));
  const auto values = r.writes(static_cast<real<T>*>(w), 2 * n);
  const auto left_side = r.writes(vl, left_vectors == 1 ? elements_of(n, n, ldvl) : 0),
             right_side = r.writes(vr, right_vectors == 1 ? elements_of(n, n, ldvr) : 0);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    if (n == 0) {
      *failed.at(v) = 0;
      return;
    }
    const char jobs[] = {left_vectors == 1 ? 'V' : 'N', right_vectors == 1 ? 'V' : 'N'};
    const auto lead = [&](index_t l) { return std::max<index_t>(l, 1); };
    T first{};
    const index_t ask = -1;
    T *const m = matrix.at(v), *const l = left_side.at(v), *const right = right_side.at(v);
    std::vector<real<T>> numbers(static_cast<std::size_t>(2 * n));
    const auto call = [&](T* work, index_t size) {
      if constexpr (is_complex_type<T>)
        return lapack<T>("geev", jobs[0], jobs[1], n, m, lda, reinterpret_cast<T*>(values.at(v)), l, lead(ldvl), right,
                         lead(ldvr), work, size, numbers.data());
      else
        return lapack<T>("geev", jobs[0], jobs[1], n, m, lda, numbers.data(), numbers.data() + n, l, lead(ldvl), right,
                         lead(ldvr), work, size);
    };
    int result = call(&first, ask);
    if (result == 0) {
      std::vector<T> work(static_cast<std::size_t>(asked_for(std::real(first))));
      result = call(work.data(), static_cast<index_t>(work.size()));
    }
    *failed.at(v) = result;
    if constexpr (!is_complex_type<T>)
      for (index_t i = 0; i < n; ++i) {
        real<T>* const to = values.at(v);
        to[is_complex_w ? 2 * i : i] = numbers[i];
        to[is_complex_w ? 2 * i + 1 : n + i] = numbers[n + i];
      }
  });
}

// Computes a = u * s * vt. LAPACK's job letters select the vectors that are computed. A: all vectors. S: as many
// vectors as singular values. O: the same number as S, but stored in the memory of a. N: no vectors.
template <class T>
int singular_now(char of_u, char of_vt, index_t m, index_t n, T* a, index_t lda, real<T>* s, T* u, index_t ldu, T* vt,
                 index_t ldvt) {
  if (m == 0 || n == 0) return 0;
  ldu = std::max<index_t>(ldu, 1);
  ldvt = std::max<index_t>(ldvt, 1);
  T first{};
  const auto call = [&](T* work, index_t size) {
    if constexpr (is_complex_type<T>) {
      std::vector<real<T>> numbers(static_cast<std::size_t>(5 * std::min(m, n)));
      return lapack<T>("gesvd", of_u, of_vt, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, numbers.data());
    } else {
      return lapack<T>("gesvd", of_u, of_vt, m, n, a, lda, s, u, ldu, vt, ldvt, work, size);
    }
  };
  if (const int info = call(&first, -1); info != 0) return info;
  std::vector<T> work(static_cast<std::size_t>(asked_for(std::real(first))));
  return call(work.data(), static_cast<index_t>(work.size()));
}
inline bool is_svd_job(char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }
// As in cuSOLVER, a matrix must not have more columns than rows.
template <class T>
status singular(routine& r, char of_u, char of_vt, index_t m, index_t n, T* a, index_t lda, real<T>* s, T* u,
                index_t ldu, T* vt, index_t ldvt, int* info) {
  const index_t count = std::min(m, n);
  const bool has_u = of_u == 'A' || of_u == 'S', has_vt = of_vt == 'A' || of_vt == 'S';
  if (!is_svd_job(of_u) || !is_svd_job(of_vt) || (of_u == 'O' && of_vt == 'O') || !is_matrix(m, n, lda) || m < n ||
      (has_u && !is_matrix(m, m, ldu)) || (has_vt && !is_matrix(n, n, ldvt)))
    return invalid_value;
  const auto matrix = r.writes(a, elements_of(m, n, lda));
  const auto values = r.writes(s, count);
  const auto first = r.writes(u, has_u ? elements_of(m, of_u == 'A' ? m : count, ldu) : 0),
             second = r.writes(vt, has_vt ? elements_of(of_vt == 'A' ? n : count, n, ldvt) : 0);
  const auto failed = r.writes(info, 1);
  return perform_by_lapack(r, [=](const view& v) {
    *failed.at(v) =
        singular_now(of_u, of_vt, m, n, matrix.at(v), lda, values.at(v), first.at(v), ldu, second.at(v), ldvt);
  });
}

struct svd_batch {
  index_t count = 1;
  index_t a_stride = 0, s_stride = 0, u_stride = 0, v_stride = 0;
  index_t u_columns = 0, v_columns = 0, values = 0;
  bool keeps_a = false;
};
// The result is v instead of its adjoint. `errors` is in host memory. NVIDIA documents `errors` as the errors of the
// computed values, but this function sets it to 0.
template <class T>
status singular_batch(routine& r, int vectors, index_t m, index_t n, T* a, index_t lda, real<T>* s, T* u, index_t ldu,
                      T* v_side, index_t ldv, int* info, const svd_batch& b, double* errors = nullptr) {
  const index_t most = std::min(m, n);
  if (!is_job(vectors) || !is_matrix(m, n, lda) || b.count < 0 || b.values < 0 || b.values > most ||
      (vectors == 1 && (!is_matrix(m, m, ldu) || !is_matrix(n, n, ldv))) || !fits_memory({b.count, b.a_stride}) ||
      !fits_memory({b.count, b.s_stride}) || !fits_memory({b.count, b.u_stride}) || !fits_memory({b.count, b.v_stride}))
    return invalid_value;
  if (b.count == 0) return success;
  const auto reach = [&](index_t stride, index_t each) { return each == 0 ? 0 : (b.count - 1) * stride + each; };
  const index_t a_reach = reach(b.a_stride, elements_of(m, n, lda));
  const auto matrices = b.keeps_a ? place<T>() : r.writes(a, a_reach);
  const auto read = b.keeps_a ? r.reads(a, a_reach) : place<const T>();
  const auto values = r.writes(s, reach(b.s_stride, b.values));
  const auto us = r.writes(u, vectors == 1 ? reach(b.u_stride, elements_of(m, b.u_columns, ldu)) : 0),
             vs = r.writes(v_side, vectors == 1 ? reach(b.v_stride, elements_of(n, b.v_columns, ldv)) : 0);
  const auto failed = r.writes(info, b.count);
  std::vector<place<double>> gaps;
  for (index_t i = 0; i < b.count && errors != nullptr; ++i) gaps.push_back(r.host_result(errors + i));
  return perform_by_lapack(r, [=](const view& v) {
    const T* const from = b.keeps_a ? read.at(v) : matrices.at(v);
    real<T>* const to_s = values.at(v);
    T *const to_u = us.at(v), *const to_v = vs.at(v);
    int* const results = failed.at(v);
    const char job = vectors == 0 ? 'N' : b.u_columns > most || b.v_columns > most ? 'A' : 'S';
    const index_t u_all = job == 'A' ? m : most, v_all = job == 'A' ? n : most;
    const double work =
        static_cast<double>(b.count) * static_cast<double>(m) * static_cast<double>(n) * 20 * static_cast<double>(most);
    for_each(b.count, work, [&](index_t i) {
      dense<T> copy(static_cast<std::size_t>(m * n)), left_side, right_side;
      std::vector<real<T>> all(static_cast<std::size_t>(most));
      for (index_t j = 0; j < n; ++j) std::copy_n(from + i * b.a_stride + j * lda, m, copy.data() + j * m);
      if (vectors == 1) {
        left_side.resize(static_cast<std::size_t>(m * u_all));
        right_side.resize(static_cast<std::size_t>(v_all * n));
      }
      results[i] = singular_now(job, job, m, n, copy.data(), std::max<index_t>(m, 1), all.data(), left_side.data(), m,
                                right_side.data(), v_all);
      for (index_t k = 0; k < b.values; ++k) to_s[i * b.s_stride + k] = all[k];
      if (vectors == 1) {
        for (index_t k = 0; k < b.u_columns; ++k)
          std::copy_n(left_side.data() + k * m, m, to_u + i * b.u_stride + k * ldu);
        for (index_t k = 0; k < b.v_columns; ++k)
          for (index_t j = 0; j < n; ++j)
            to_v[i * b.v_stride + k * ldv + j] = conjugate_if(true, right_side[j * v_all + k]);
      }
      if (!gaps.empty()) *gaps[static_cast<std::size_t>(i)].at(v) = 0;
    });
  });
}

template <class T>
status singular_one(routine& r, int vectors, int economic, index_t m, index_t n, T* a, index_t lda, real<T>* s, T* u,
                    index_t ldu, T* v, index_t ldv, int* info, double* error = nullptr) {
  const index_t count = std::min(m, n);
  svd_batch b;
  b.values = count;
  b.u_columns = economic != 0 ? count : m;
  b.v_columns = economic != 0 ? count : n;
  return singular_batch(r, vectors, m, n, a, lda, s, u, ldu, v, ldv, info, b, error);
}
// Computes the singular values of small matrices that are stored one after another.
template <class T>
status singular_small(routine& r, int vectors, index_t m, index_t n, T* a, index_t lda, real<T>* s, T* u, index_t ldu,
                      T* v, index_t ldv, int* info, index_t batch) {
  if (m > 32 || n > 32) return invalid_value;
  return singular_batch(r, vectors, m, n, a, lda, s, u, ldu, v, ldv, info,
                        {batch, lda * n, std::min(m, n), ldu * m, ldv * n, m, n, std::min(m, n), false});
}
// Computes the `rank` largest singular values of matrices with at least as many rows as columns.
template <class T>
status singular_approximate(routine& r, int vectors, index_t rank, index_t m, index_t n, const T* a, index_t lda,
                            index_t a_stride, real<T>* s, index_t s_stride, T* u, index_t ldu, index_t u_stride, T* v,
                            index_t ldv, index_t v_stride, int* info, double* errors, index_t batch) {
  if (m < n || rank < 0 || rank > n || a_stride < 0 || s_stride < 0 || u_stride < 0 || v_stride < 0)
    return invalid_value;
  return singular_batch(r, vectors, m, n, const_cast<T*>(a), lda, s, u, ldu, v, ldv, info,
                        {batch, a_stride, s_stride, u_stride, v_stride, rank, rank, rank, true}, errors);
}
// Computes the k largest singular values. Parameters of the approximation (iterations, additional columns) have no
// effect.
template <class T>
status singular_random(routine& r, char of_u, char of_v, index_t m, index_t n, index_t k, index_t beside,
                       index_t rounds, T* a, index_t lda, real<T>* s, T* u, index_t ldu, T* v, index_t ldv, int* info) {
  const index_t most = std::min(m, n);
  if ((of_u != 'S' && of_u != 'N') || (of_v != 'S' && of_v != 'N') || k < 0 || beside < 0 || rounds < 0 ||
      k + beside > most)
    return invalid_value;
  if ((of_u == 'S') != (of_v == 'S')) return not_supported;
  svd_batch b;
  b.values = b.u_columns = b.v_columns = k;
  return singular_batch(r, of_u == 'S' ? 1 : 0, m, n, a, lda, s, u, ldu, v, ldv, info, b);
}

}  // namespace bankwise::math
