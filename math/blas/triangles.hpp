// BLAS of level 3, except the general product. The host's BLAS computes one strip in each thread. Without a BLAS, a
// matrix with one stored triangle is expanded and multiplied.
#pragma once

#include <algorithm>
#include <vector>

#include "math/common/general_product.hpp"
#include "math/common/host_blas.hpp"

namespace bankwise::math {

// A matrix of rows x columns elements, stored by columns without gaps.
template <class T>
using dense = std::vector<T>;

template <class T>
dense<T> unfold(const T* a, index_t n, index_t lead, int part, bool hermitian) {
  dense<T> d(static_cast<std::size_t>(n * n));
  for (index_t j = 0; j < n; ++j)
    for (index_t i = part == lower ? j : 0; i < (part == lower ? n : j + 1); ++i) {
      const T e = i == j && hermitian ? T(std::real(a[j * lead + i])) : a[j * lead + i];
      d[j * n + i] = e;
      if (i != j) d[i * n + j] = conjugate_if(hermitian, e);
    }
  return d;
}
// Returns op(a) for a triangle `a`. The other triangle of the result is zero.
template <class T>
dense<T> triangle_of(const T* a, index_t n, index_t lead, int part, int o, bool unit) {
  dense<T> d(static_cast<std::size_t>(n * n));
  for (index_t j = 0; j < n; ++j)
    for (index_t i = part == lower ? j : 0; i < (part == lower ? n : j + 1); ++i) {
      const T e = i == j && unit ? T(1) : conjugate_if(o == adjoint, a[j * lead + i]);
      d[o == as_it_is ? j * n + i : i * n + j] = e;
    }
  return d;
}

// Divides an m x n matrix into independent strips, for the product of this matrix and a square matrix. If the square
// matrix is on the left, the strips are columns. Otherwise, they are rows. Calls body(rows, columns, first row, first
// column).
template <class F>
void for_each_side_strip(int where, index_t m, index_t n, const F& body) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(where == left ? m : n);
  for_each_strip(where == left ? n : m, work, [&](index_t first, index_t size) {
    if (where == left)
      body(m, size, index_t{0}, first);
    else
      body(size, n, first, index_t{0});
  });
}

// Returns what a GPU computes in so many products, of which it computes the part that is not known to be zero.
template <class T>
cuda::library_work product_work(double products, index_t m, index_t n, index_t k) {
  cuda::library_work w = gpu_work(shape_of<T>(as_it_is, as_it_is, m, n, k, m, k, m), 1);
  w.products = products;
  w.operations *= products;
  return w;
}

// Computes c = alpha * a * b + beta * c, or c = alpha * b * a + beta * c. a is symmetric or Hermitian.
template <class T>
status multiply_by_symmetric(routine& r, bool hermitian, int where, int part, index_t m, index_t n, const T* alpha,
                             const T* a, index_t lda, const T* b, index_t ldb, const T* beta, T* c, index_t ldc) {
  const index_t size = where == left ? m : n;
  if (m < 0 || n < 0 || (where != left && where != right) || (part != lower && part != upper) ||
      lda < std::max<index_t>(1, size) || ldb < std::max<index_t>(1, m) || ldc < std::max<index_t>(1, m))
    return invalid_value;
  if (m == 0 || n == 0) return success;
  r.by_blas();
  r.work(product_work<T>(1, m, n, size));
  const auto by = r.parameter(alpha), plus = r.parameter(beta);
  const auto x = r.reads(a, elements_of(size, size, lda)), y = r.reads(b, elements_of(m, n, ldb));
  const auto z = r.writes(c, elements_of(m, n, ldc));
  return r.perform([=](const view& v) {
    const T factor = by.at(v), keep = plus.at(v);
    if (const blas_function<T> symm(hermitian ? "hemm" : "symm", {m, n, lda, ldb, ldc}); symm) {
      for_each_side_strip(where, m, n, [&](index_t rows, index_t columns, index_t row, index_t column) {
        symm(letter_of_side(where), letter_of_part(part), rows, columns, &factor, x.at(v), lda,
             y.at(v) + column * ldb + row, ldb, &keep, z.at(v) + column * ldc + row, ldc);
      });
      return;
    }
    const dense<T> whole = unfold(x.at(v), size, lda, part, hermitian);
    if (where == left)
      multiply(as_it_is, as_it_is, m, n, m, factor, whole.data(), m, y.at(v), ldb, keep, z.at(v), ldc);
    else
      multiply(as_it_is, as_it_is, m, n, n, factor, y.at(v), ldb, whole.data(), n, keep, z.at(v), ldc);
  });
}

// Computes a triangle of c = alpha * op(a) * op(b)' + beta * c. If `two` is set, adds the transposed product.
template <class A, class B, class T>
status rank_k(routine& r, bool hermitian, bool two, int part, int o, index_t n, index_t k, const A* alpha, const T* a,
              index_t lda, const T* b, index_t ldb, const B* beta, T* c, index_t ldc) {
  const bool plain = o == as_it_is;
  if (n < 0 || k < 0 || (part != lower && part != upper) || o < as_it_is || o > adjoint ||
      lda < std::max<index_t>(1, plain ? n : k) || ldb < std::max<index_t>(1, plain ? n : k) ||
      ldc < std::max<index_t>(1, n))
    return invalid_value;
  if (n == 0) return success;
  r.by_blas();
  r.work(product_work<T>(two ? 1 : 0.5, n, n, k));
  const auto by = r.parameter(alpha);
  const auto plus = r.parameter(beta);
  const index_t a_count = plain ? elements_of(n, k, lda) : elements_of(k, n, lda),
                b_count = plain ? elements_of(n, k, ldb) : elements_of(k, n, ldb);
  const auto x = r.reads(a, a_count), y = r.reads(b, b_count);
  const auto z = r.writes(c, elements_of(n, n, ldc));
  return r.perform([=](const view& v) {
    const A factor = by.at(v);
    const B keep = plus.at(v);
    const operation turned = hermitian ? adjoint : transposed;
    const operation of_a = plain ? as_it_is : turned, of_b = plain ? turned : as_it_is;
    const index_t depth = factor == A(0) ? 0 : k;  // elements that are multiplied by zero are not read
    const T *const p = x.at(v), *const q = y.at(v);
    // `from` returns the address of row i of op(p) or op(q). `add_block` computes a block of c from op(p) and op(q).
    const auto from = [&](const T* s, index_t lead, index_t i) { return s + (plain ? i : i * lead); };
    const auto add_block = [&](index_t i, index_t j, index_t rows, index_t columns, T scale, T* to, index_t lead) {
      multiply(of_a, of_b, rows, columns, depth, T(factor), from(p, lda, i), lda, from(q, ldb, j), ldb, scale, to,
               lead);
      if (two)
        multiply(of_a, of_b, rows, columns, depth, conjugate_if(hermitian, T(factor)), from(q, ldb, i), ldb,
                 from(p, lda, j), lda, T(1), to, lead);
    };
    const bool is_own = two || (p == q && lda == ldb);  // BLAS has no function for the other cases
    const blas_function<T> diagonal_block(
        is_own ? std::string(hermitian ? "her" : "syr") + (two ? "2k" : "k") : std::string(), {n, k, lda, ldb, ldc});
    const char word = plain ? 'N' : hermitian ? 'C' : 'T';
    for_each_strip(
        n, static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k), [&](index_t first, index_t size) {
          T* const strip = z.at(v) + first * ldc;
          const index_t other = part == lower ? first + size : 0, others = part == lower ? n - other : first;
          if (others != 0) add_block(other, first, others, size, T(keep), strip + other, ldc);
          T* const block = strip + first;
          if (diagonal_block && two) {
            diagonal_block(letter_of_part(part), word, size, depth, &factor, from(p, lda, first), lda,
                           from(q, ldb, first), ldb, &keep, block, ldc);
          } else if (diagonal_block) {
            diagonal_block(letter_of_part(part), word, size, depth, &factor, from(p, lda, first), lda, &keep, block,
                           ldc);
          } else {
            dense<T> sum(static_cast<std::size_t>(size * size));
            add_block(first, first, size, size, T(0), sum.data(), size);
            for (index_t j = 0; j < size; ++j)
              for (index_t i = part == lower ? j : 0; i < (part == lower ? size : j + 1); ++i)
                block[j * ldc + i] = sum[j * size + i] + (keep == B(0) ? T(0) : T(keep) * block[j * ldc + i]);
          }
          if (hermitian)
            for (index_t j = 0; j < size; ++j) block[j * ldc + j] = std::real(block[j * ldc + j]);
        });
  });
}

inline bool are_sides(int where, int part, int o, index_t m, index_t n, index_t lda, index_t ldb) {
  return m >= 0 && n >= 0 && (where == left || where == right) && (part == lower || part == upper) && o >= as_it_is &&
         o <= adjoint && lda >= std::max<index_t>(1, where == left ? m : n) && ldb >= std::max<index_t>(1, m);
}

template <class T>
status multiply_by_triangle(routine& r, int where, int part, int o, bool unit, index_t m, index_t n, const T* alpha,
                            const T* a, index_t lda, const T* b, index_t ldb, T* c, index_t ldc) {
  if (!are_sides(where, part, o, m, n, lda, ldb) || ldc < std::max<index_t>(1, m)) return invalid_value;
  if (m == 0 || n == 0) return success;
  r.by_blas();
  const index_t size = where == left ? m : n;
  r.work(product_work<T>(0.5, m, n, size));
  const auto by = r.parameter(alpha);
  const auto x = r.reads(a, elements_of(size, size, lda)), y = r.reads(b, elements_of(m, n, ldb));
  const auto z = r.writes(c, elements_of(m, n, ldc));
  return r.perform([=](const view& v) {
    const T factor = by.at(v);
    if (const blas_function<T> trmm("trmm", {m, n, lda, ldc}); trmm) {
      T* const out = z.at(v);
      if (y.at(v) != out || ldb != ldc)
        for (index_t j = 0; j < n; ++j) std::copy_n(y.at(v) + j * ldb, m, out + j * ldc);
      for_each_side_strip(where, m, n, [&](index_t rows, index_t columns, index_t row, index_t column) {
        trmm(letter_of_side(where), letter_of_part(part), letter_of_operation(o), letter_of_diagonal(unit), rows,
             columns, &factor, x.at(v), lda, out + column * ldc + row, ldc);
      });
      return;
    }
    const dense<T> t = triangle_of(x.at(v), size, lda, part, o, unit);
    dense<T> product(static_cast<std::size_t>(m * n));  // b and c may be the same matrix
    if (where == left)
      multiply(as_it_is, as_it_is, m, n, m, factor, t.data(), m, y.at(v), ldb, T(0), product.data(), m);
    else
      multiply(as_it_is, as_it_is, m, n, n, factor, y.at(v), ldb, t.data(), n, T(0), product.data(), m);
    T* const out = z.at(v);
    for (index_t j = 0; j < n; ++j) std::copy_n(product.data() + j * m, m, out + j * ldc);
  });
}

// Computes b = alpha * inverse of op(a) * b, or b = alpha * b * inverse of op(a).
template <class T>
void solve_triangle(int where, int part, int o, bool unit, index_t m, index_t n, T alpha, const T* a, index_t lda, T* b,
                    index_t ldb) {
  if (const blas_function<T> trsm("trsm", {m, n, lda, ldb}); trsm) {
    for_each_side_strip(where, m, n, [&](index_t rows, index_t columns, index_t row, index_t column) {
      trsm(letter_of_side(where), letter_of_part(part), letter_of_operation(o), letter_of_diagonal(unit), rows, columns,
           &alpha, a, lda, b + column * ldb + row, ldb);
    });
    return;
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) b[j * ldb + i] = alpha == T(0) ? T(0) : alpha * b[j * ldb + i];
  if (alpha == T(0)) return;
  // Solves for the unknowns in sequence. Subtracts each unknown from the unknowns that depend on it.
  const index_t size = where == left ? m : n;
  const dense<T> t = triangle_of(a, size, lda, part, o, unit);
  const bool is_lower = (part == lower) == (o == as_it_is), ascends = is_lower == (where == left);
  for (index_t step = 0; step < size; ++step) {
    const index_t j = ascends ? step : size - 1 - step;
    const index_t next = ascends ? j + 1 : 0, end = ascends ? size : j;
    const T* const column = t.data() + j * size;
    if (where == left)
      for (index_t c = 0; c < n; ++c) {
        T* const x = b + c * ldb;
        x[j] /= column[j];
        for (index_t i = next; i < end; ++i) x[i] -= column[i] * x[j];
      }
    else
      for (index_t i = 0; i < m; ++i) {
        const T x = b[j * ldb + i] /= column[j];
        for (index_t k = next; k < end; ++k) b[k * ldb + i] -= t[k * size + j] * x;
      }
  }
}

template <class T>
status solve(routine& r, int where, int part, int o, bool unit, index_t m, index_t n, const T* alpha, const T* a,
             index_t lda, T* b, index_t ldb) {
  if (!are_sides(where, part, o, m, n, lda, ldb)) return invalid_value;
  if (m == 0 || n == 0) return success;
  r.by_blas();
  const index_t size = where == left ? m : n;
  cuda::library_work work = product_work<T>(0.5, m, n, size);
  work.what = where == left ? cuda::chained::left_side : cuda::chained::right_side;
  work.links = static_cast<double>(size);
  r.work(work);
  const auto by = r.parameter(alpha);
  const auto x = r.reads(a, elements_of(size, size, lda));
  const auto z = r.writes(b, elements_of(m, n, ldb));
  return r.perform(
      [=](const view& v) { solve_triangle(where, part, o, unit, m, n, by.at(v), x.at(v), lda, z.at(v), ldb); });
}

// Returns the host address of an array in device memory.
template <class T>
T* found(const view& v, T* p, index_t count) {
  return count == 0 ? nullptr
                    : reinterpret_cast<T*>(
                          v(reinterpret_cast<std::uint64_t>(p), static_cast<std::uint64_t>(count) * sizeof(T)));
}

template <class T>
status solve_batch(routine& r, int where, int part, int o, bool unit, index_t m, index_t n, const T* alpha,
                   const T* const* a, index_t lda, T* const* b, index_t ldb, index_t batch) {
  if (!are_sides(where, part, o, m, n, lda, ldb) || batch < 0) return invalid_value;
  if (m == 0 || n == 0 || batch == 0) return success;
  r.by_blas();
  const index_t size = where == left ? m : n, a_count = elements_of(size, size, lda), b_count = elements_of(m, n, ldb);
  r.work(product_work<T>(0.5 * static_cast<double>(batch), m, n, size));
  const auto by = r.parameter(alpha);
  const auto x = r.pointers(a, batch, a_count * static_cast<index_t>(sizeof(T)), false);
  const auto z = r.pointers(b, batch, b_count * static_cast<index_t>(sizeof(T)), true);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < batch; ++i)
      solve_triangle(where, part, o, unit, m, n, by.at(v), found(v, x.at(v)[i], a_count), lda,
                     found(v, z.at(v)[i], b_count), ldb);
  });
}

// Computes c = alpha * op(a) + beta * op(b).
template <class T>
status add(routine& r, int of_a, int of_b, index_t m, index_t n, const T* alpha, const T* a, index_t lda, const T* beta,
           const T* b, index_t ldb, T* c, index_t ldc) {
  if (m < 0 || n < 0 || of_a < as_it_is || of_a > adjoint || of_b < as_it_is || of_b > adjoint ||
      ldc < std::max<index_t>(1, m))
    return invalid_value;
  if (m == 0 || n == 0) return success;
  const auto by = r.parameter(alpha), plus = r.parameter(beta);
  const auto count = [&](int o, index_t lead) {
    return o == as_it_is ? elements_of(m, n, lead) : elements_of(n, m, lead);
  };
  // If the factor is zero, the matrix may be null.
  const auto used = [](const scalar<T>& s) { return s.later.bytes != 0 || s.value != T(0); };
  const auto x = r.reads(a, used(by) ? count(of_a, lda) : 0), y = r.reads(b, used(plus) ? count(of_b, ldb) : 0);
  const auto z = r.writes(c, elements_of(m, n, ldc));
  return r.perform([=](const view& v) {
    const T p = by.at(v), q = plus.at(v);
    const T *const one = x.at(v), *const other = y.at(v);
    T* const out = z.at(v);
    const auto element = [](const T* d, int o, index_t lead, index_t i, index_t j) {
      return o == as_it_is ? d[j * lead + i] : conjugate_if(o == adjoint, d[i * lead + j]);
    };
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i)
        out[j * ldc + i] = (p == T(0) ? T(0) : p * element(one, of_a, lda, i, j)) +
                           (q == T(0) ? T(0) : q * element(other, of_b, ldb, i, j));
  });
}

// Computes c = a * diag(x), or c = diag(x) * a.
template <class T>
status multiply_by_diagonal(routine& r, int where, index_t m, index_t n, const T* a, index_t lda, const T* x,
                            index_t incx, T* c, index_t ldc) {
  if (m < 0 || n < 0 || (where != left && where != right) || lda < std::max<index_t>(1, m) ||
      ldc < std::max<index_t>(1, m))
    return invalid_value;
  if (m == 0 || n == 0) return success;
  const auto in = r.reads(a, elements_of(m, n, lda));
  const auto diagonal = r.vector(x, where == left ? m : n, incx);
  const auto out = r.writes(c, elements_of(m, n, ldc));
  return r.perform([=](const view& v) {
    const auto d = diagonal.at(v);
    const T* const from = in.at(v);
    T* const to = out.at(v);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) to[j * ldc + i] = from[j * lda + i] * d[where == left ? i : j];
  });
}

// Converts a triangle to its packed form, or converts a packed triangle back.
template <class T>
status pack(routine& r, bool packs, int part, index_t n, const T* from, T* to, index_t lead) {
  if (n < 0 || (part != lower && part != upper) || lead < std::max<index_t>(1, n)) return invalid_value;
  if (n == 0) return success;
  const index_t full = elements_of(n, n, lead), packed = n * (n + 1) / 2;
  const auto in = r.reads(from, packs ? full : packed);
  const auto out = r.writes(to, packs ? packed : full);
  return r.perform([=](const view& v) {
    const T* p = in.at(v);
    T* q = out.at(v);
    index_t at = 0;
    for (index_t j = 0; j < n; ++j)
      for (index_t i = part == lower ? j : 0; i < (part == lower ? n : j + 1); ++i, ++at) {
        if (packs)
          q[at] = p[j * lead + i];
        else
          q[j * lead + i] = p[at];
      }
  });
}

// Replaces a (m x n) by L and U. Pivots are counted from 1. If `pivots` is null, rows are not exchanged. Returns 0, or
// the first column whose pivot is 0.
template <class T, class I>
int factor(T* a, index_t m, index_t n, index_t lead, I* pivots) {
  int info = 0;
  for (index_t j = 0; j < std::min(m, n); ++j) {
    index_t pivot = j;
    if (pivots != nullptr) {
      for (index_t i = j + 1; i < m; ++i)
        if (std::abs(a[j * lead + i]) > std::abs(a[j * lead + pivot])) pivot = i;
      pivots[j] = static_cast<I>(pivot + 1);
    }
    if (a[j * lead + pivot] == T(0)) {
      if (info == 0) info = static_cast<int>(j + 1);
      continue;
    }
    if (pivot != j)
      for (index_t k = 0; k < n; ++k) std::swap(a[k * lead + j], a[k * lead + pivot]);
    for (index_t i = j + 1; i < m; ++i) a[j * lead + i] /= a[j * lead + j];
    for (index_t k = j + 1; k < n; ++k)
      for (index_t i = j + 1; i < m; ++i) a[k * lead + i] -= a[j * lead + i] * a[k * lead + j];
  }
  return info;
}

template <class T, class I>
void solve_factored(int o, const T* lu, index_t n, index_t lead, const I* pivots, T* b, index_t columns, index_t ldb) {
  const auto exchange = [&](bool forth) {
    if (pivots == nullptr) return;
    for (index_t step = 0; step < n; ++step) {
      const index_t i = forth ? step : n - 1 - step, other = static_cast<index_t>(pivots[i]) - 1;
      if (other == i || other < 0 || other >= n) continue;
      for (index_t c = 0; c < columns; ++c) std::swap(b[c * ldb + i], b[c * ldb + other]);
    }
  };
  if (o == as_it_is) {
    exchange(true);
    solve_triangle(left, lower, as_it_is, true, n, columns, T(1), lu, lead, b, ldb);
    solve_triangle(left, upper, as_it_is, false, n, columns, T(1), lu, lead, b, ldb);
  } else {
    solve_triangle(left, upper, o, false, n, columns, T(1), lu, lead, b, ldb);
    solve_triangle(left, lower, o, true, n, columns, T(1), lu, lead, b, ldb);
    exchange(false);
  }
}

template <class T>
void invert(const T* lu, index_t n, index_t lead, const int* pivots, T* to, index_t ldc) {
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) to[j * ldc + i] = i == j ? T(1) : T(0);
  solve_factored(as_it_is, lu, n, lead, pivots, to, n, ldc);
}

template <class T>
status factor_batch(routine& r, index_t n, T* const* a, index_t lda, int* pivots, int* info, index_t batch) {
  if (n < 0 || batch < 0 || lda < std::max<index_t>(1, n)) return invalid_value;
  if (n == 0 || batch == 0) return success;
  const index_t count = elements_of(n, n, lda);
  const auto matrices = r.pointers(a, batch, count * static_cast<index_t>(sizeof(T)), true);
  const auto order = r.writes(pivots, pivots == nullptr ? 0 : n * batch), failed = r.writes(info, batch);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < batch; ++i)
      failed.at(v)[i] = factor(found(v, matrices.at(v)[i], count), n, n, lda,
                               order.bytes != 0 ? order.at(v) + i * n : static_cast<int*>(nullptr));
  });
}

template <class T>
status invert_batch(routine& r, index_t n, const T* const* a, index_t lda, const int* pivots, T* const* c, index_t ldc,
                    int* info, index_t batch) {
  if (n < 0 || batch < 0 || lda < std::max<index_t>(1, n) || ldc < std::max<index_t>(1, n)) return invalid_value;
  if (n == 0 || batch == 0) return success;
  const index_t a_count = elements_of(n, n, lda), c_count = elements_of(n, n, ldc);
  const auto from = r.pointers(a, batch, a_count * static_cast<index_t>(sizeof(T)), false);
  const auto to = r.pointers(c, batch, c_count * static_cast<index_t>(sizeof(T)), true);
  const auto order = r.reads(pivots, pivots == nullptr ? 0 : n * batch);
  const auto failed = r.writes(info, batch);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < batch; ++i) {
      const T* const lu = found(v, from.at(v)[i], a_count);
      int& zero = failed.at(v)[i];
      zero = 0;
      for (index_t j = n; j-- > 0;)
        if (lu[j * lda + j] == T(0)) zero = static_cast<int>(j + 1);
      if (zero == 0)
        invert(lu, n, lda, order.bytes != 0 ? order.at(v) + i * n : nullptr, found(v, to.at(v)[i], c_count), ldc);
    }
  });
}

template <class T>
status invert_small(routine& r, index_t n, const T* const* a, index_t lda, T* const* c, index_t ldc, int* info,
                    index_t batch) {
  if (n < 0 || batch < 0 || lda < std::max<index_t>(1, n) || ldc < std::max<index_t>(1, n)) return invalid_value;
  if (n > 32) return not_supported;  // a limit of cuBLAS
  if (n == 0 || batch == 0) return success;
  const index_t a_count = elements_of(n, n, lda), c_count = elements_of(n, n, ldc);
  const auto from = r.pointers(a, batch, a_count * static_cast<index_t>(sizeof(T)), false);
  const auto to = r.pointers(c, batch, c_count * static_cast<index_t>(sizeof(T)), true);
  const auto failed = r.writes(info, batch);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < batch; ++i) {
      const T* const matrix = found(v, from.at(v)[i], a_count);
      dense<T> lu(static_cast<std::size_t>(n * n));
      std::vector<int> pivots(static_cast<std::size_t>(n));
      for (index_t j = 0; j < n; ++j) std::copy_n(matrix + j * lda, n, lu.data() + j * n);
      failed.at(v)[i] = factor(lu.data(), n, n, n, pivots.data());
      if (failed.at(v)[i] == 0) invert(lu.data(), n, n, pivots.data(), found(v, to.at(v)[i], c_count), ldc);
    }
  });
}

// Solves systems of equations with matrices that are already factored. `info` is in host memory.
template <class T>
status solve_factored_batch(routine& r, int o, index_t n, index_t columns, const T* const* a, index_t lda,
                            const int* pivots, T* const* b, index_t ldb, int* info, index_t batch) {
  if (info == nullptr) return invalid_value;
  const int wrong = o < as_it_is || o > adjoint     ? 1
                    : n < 0                         ? 2
                    : columns < 0                   ? 3
                    : lda < std::max<index_t>(1, n) ? 5
                    : ldb < std::max<index_t>(1, n) ? 8
                    : batch < 0                     ? 10
                                                    : 0;
  *info = -wrong;
  if (wrong != 0) return invalid_value;
  if (n == 0 || columns == 0 || batch == 0) return success;
  r.by_blas();
  const index_t a_count = elements_of(n, n, lda), b_count = elements_of(n, columns, ldb);
  const auto from = r.pointers(a, batch, a_count * static_cast<index_t>(sizeof(T)), false);
  const auto to = r.pointers(b, batch, b_count * static_cast<index_t>(sizeof(T)), true);
  const auto order = r.reads(pivots, pivots == nullptr ? 0 : n * batch);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < batch; ++i)
      solve_factored(o, found(v, from.at(v)[i], a_count), n, lda, order.bytes != 0 ? order.at(v) + i * n : nullptr,
                     found(v, to.at(v)[i], b_count), columns, ldb);
  });
}

}  // namespace bankwise::math
