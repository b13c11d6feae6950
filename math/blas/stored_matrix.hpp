// Matrices that are stored in part: bands, triangles, packed triangles. The host's BLAS computes with these matrices.
// If there is no BLAS, the loops in this file are used. The index of element (i, j) in memory is:
//
//     lower, in full      j * lead + i          upper, packed    i + j * (j + 1) / 2
//     lower, as a band    j * lead + i - j      lower, packed    i + j * (2 * n - j - 1) / 2
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "math/common/host_blas.hpp"
#include "math/common/routine.hpp"

namespace bankwise::math {

enum class storage : std::uint8_t { full, band, packed };

struct stored_shape {
  storage kind = storage::full;
  int part = full_matrix;  // the stored triangle, or full_matrix
  index_t rows = 0, columns = 0;
  index_t lead = 0;              // leading dimension of full and band storage
  index_t below = 0, above = 0;  // number of stored diagonals

  index_t first_row(index_t j) const { return part == lower ? j : std::max<index_t>(0, j - above); }
  index_t end_row(index_t j) const { return part == upper ? j + 1 : std::min(rows, j + below + 1); }
  index_t at(index_t i, index_t j) const {
    switch (kind) {
      case storage::full: return j * lead + i;
      case storage::band: return j * lead + (part == lower ? 0 : above) + i - j;
      case storage::packed: break;
    }
    return part == upper ? i + j * (j + 1) / 2 : i + j * (2 * rows - j - 1) / 2;
  }
  index_t elements() const {
    if (rows <= 0 || columns <= 0) return 0;
    if (kind == storage::packed) return rows * (rows + 1) / 2;
    return (columns - 1) * lead + (kind == storage::full ? rows : below + above + 1);
  }
};

inline stored_shape general(index_t m, index_t n, index_t lead) {
  return {storage::full, full_matrix, m, n, lead, std::max<index_t>(m, 1) - 1, std::max<index_t>(n, 1) - 1};
}
inline stored_shape general_band(index_t m, index_t n, index_t below, index_t above, index_t lead) {
  return {storage::band, full_matrix, m, n, lead, below, above};
}
inline stored_shape half_full(int part, index_t n, index_t lead) {
  const index_t most = std::max<index_t>(n, 1) - 1;
  return {storage::full, part, n, n, lead, part == lower ? most : 0, part == upper ? most : 0};
}
inline stored_shape half_band(int part, index_t n, index_t k, index_t lead) {
  return {storage::band, part, n, n, lead, part == lower ? k : 0, part == upper ? k : 0};
}
inline stored_shape half_packed(int part, index_t n) {
  const index_t most = std::max<index_t>(n, 1) - 1;
  return {storage::packed, part, n, n, 0, part == lower ? most : 0, part == upper ? most : 0};
}
// Finds a BLAS function. The name of the function begins with the kind of storage.
template <class T>
blas_function<T> blas_of(const stored_shape& s, const char* full, const char* band, const char* packed,
                         std::string_view rest, index_t incx, index_t incy) {
  const char* const kind = s.kind == storage::full ? full : s.kind == storage::band ? band : packed;
  return {kind + std::string(rest), {s.rows, s.columns, s.lead, incx, incy}};
}
// The addresses of a function's arguments. The order is: numbers, the diagonals of a band, a factor, the matrix, other
// arguments.
using addresses = std::initializer_list<const void*>;
inline void call_stored(void* function, const stored_shape& s, addresses numbers, addresses factor, const void* matrix,
                        addresses rest) {
  const index_t beside = s.below + s.above;
  if (s.kind == storage::packed)
    call_by_addresses(function, {numbers, factor, {matrix}, rest});
  else if (s.kind == storage::full)
    call_by_addresses(function, {numbers, factor, {matrix, &s.lead}, rest});
  else if (s.part == full_matrix)
    call_by_addresses(function, {numbers, {&s.below, &s.above}, factor, {matrix, &s.lead}, rest});
  else
    call_by_addresses(function, {numbers, {&beside}, factor, {matrix, &s.lead}, rest});
}
inline bool is_valid(const stored_shape& s) {
  if (s.rows < 0 || s.columns < 0 || s.below < 0 || s.above < 0 || s.part < lower || s.part > full_matrix) return false;
  if (s.kind == storage::full) return s.lead >= std::max<index_t>(1, s.rows);
  return s.kind == storage::packed || s.lead >= s.below + s.above + 1;
}

// Computes y = alpha * op(a) * x + beta * y.
template <class T>
status multiply_vector(routine& r, int o, const stored_shape& s, const T* alpha, const T* a, const T* x, index_t incx,
                       const T* beta, T* y, index_t incy) {
  if (!is_valid(s) || o < as_it_is || o > adjoint || incx == 0 || incy == 0) return invalid_value;
  if (s.rows == 0 || s.columns == 0) return success;
  const bool plain = o == as_it_is;
  const auto by = r.parameter(alpha), plus = r.parameter(beta);
  const auto matrix = r.reads(a, s.elements());
  const auto in = r.vector(x, plain ? s.columns : s.rows, incx);
  const auto out = r.written(y, plain ? s.rows : s.columns, incy);
  const auto blas = blas_of<T>(s, "ge", "gb", "", "mv", incx, incy);
  if (blas) r.by_blas();
  return r.perform([=](const view& v) {
    const T* const m = matrix.at(v);
    if (blas) {
      const T factor = by.at(v), keep = plus.at(v);
      const char word = letter_of_operation(o);
      return call_stored(blas.address(), s, {&word, &s.rows, &s.columns}, {&factor}, m,
                         {in.where.at(v), &incx, &keep, out.where.at(v), &incy});
    }
    const auto from = in.at(v);
    const auto to = out.at(v);
    const wide<T> factor(by.at(v)), keep(plus.at(v));
    std::vector<wide<T>> sums(static_cast<std::size_t>(out.count));
    for (index_t j = 0; j < s.columns; ++j) {
      wide<T> sum{};
      const wide<T> xj = plain ? wide<T>(from[j]) : wide<T>();
      for (index_t i = s.first_row(j); i < s.end_row(j); ++i) {
        const wide<T> e(conjugate_if(o == adjoint, m[s.at(i, j)]));
        if (plain)
          sums[i] += e * xj;
        else
          sum += e * wide<T>(from[i]);
      }
      if (!plain) sums[j] = sum;
    }
    for (index_t i = 0; i < out.count; ++i)
      to[i] = T(factor * sums[i] + (keep == wide<T>(0) ? wide<T>(0) : keep * wide<T>(to[i])));
  });
}

// Computes y = alpha * a * x + beta * y for a symmetric or Hermitian matrix with one stored triangle.
template <class T>
status multiply_symmetric(routine& r, bool hermitian, const stored_shape& s, const T* alpha, const T* a, const T* x,
                          index_t incx, const T* beta, T* y, index_t incy) {
  if (!is_valid(s) || s.part == full_matrix || incx == 0 || incy == 0) return invalid_value;
  if (s.rows == 0) return success;
  const auto by = r.parameter(alpha), plus = r.parameter(beta);
  const auto matrix = r.reads(a, s.elements());
  const auto in = r.vector(x, s.rows, incx);
  const auto out = r.written(y, s.rows, incy);
  const auto blas =
      hermitian ? blas_of<T>(s, "he", "hb", "hp", "mv", incx, incy) : blas_of<T>(s, "sy", "sb", "sp", "mv", incx, incy);
  if (blas) r.by_blas();
  return r.perform([=](const view& v) {
    const T* const m = matrix.at(v);
    if (blas) {
      const T factor = by.at(v), keep = plus.at(v);
      const char half = letter_of_part(s.part);
      return call_stored(blas.address(), s, {&half, &s.rows}, {&factor}, m,
                         {in.where.at(v), &incx, &keep, out.where.at(v), &incy});
    }
    const auto from = in.at(v);
    const auto to = out.at(v);
    const wide<T> factor(by.at(v)), keep(plus.at(v));
    std::vector<wide<T>> sums(static_cast<std::size_t>(s.rows));
    for (index_t j = 0; j < s.columns; ++j)
      for (index_t i = s.first_row(j); i < s.end_row(j); ++i) {
        wide<T> e(m[s.at(i, j)]);
        if (i == j) {
          if (hermitian) e = std::real(e);
          sums[i] += e * wide<T>(from[i]);
        } else {
          sums[i] += e * wide<T>(from[j]);
          sums[j] += conjugate_if(hermitian, e) * wide<T>(from[i]);
        }
      }
    for (index_t i = 0; i < s.rows; ++i)
      to[i] = T(factor * sums[i] + (keep == wide<T>(0) ? wide<T>(0) : keep * wide<T>(to[i])));
  });
}

// Computes x = op(a) * x. If `solves` is set, instead replaces x by the y that solves op(a) * y = x.
template <class T>
status triangular_vector(routine& r, bool solves, int o, bool unit, const stored_shape& s, const T* a, T* x,
                         index_t incx) {
  if (!is_valid(s) || s.part == full_matrix || o < as_it_is || o > adjoint || incx == 0) return invalid_value;
  if (s.rows == 0) return success;
  const auto matrix = r.reads(a, s.elements());
  const auto in_and_out = r.updated(x, s.rows, incx);
  if (solves) r.work({.what = cuda::chained::vector, .links = static_cast<double>(s.rows)});
  const auto blas = blas_of<T>(s, "tr", "tb", "tp", solves ? "sv" : "mv", incx, 1);
  if (blas) r.by_blas();
  return r.perform([=](const view& v) {
    const T* const m = matrix.at(v);
    if (blas) {
      const char half = letter_of_part(s.part), word = letter_of_operation(o), diagonal = letter_of_diagonal(unit);
      return call_stored(blas.address(), s, {&half, &word, &diagonal, &s.rows}, {}, m, {in_and_out.where.at(v), &incx});
    }
    const auto at = in_and_out.at(v);
    const index_t n = s.rows;
    const bool plain = o == as_it_is;
    std::vector<wide<T>> y(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) y[i] = wide<T>(at[i]);
    const auto element = [&](index_t i, index_t j) { return wide<T>(conjugate_if(o == adjoint, m[s.at(i, j)])); };
    if (!solves) {
      std::vector<wide<T>> sums(static_cast<std::size_t>(n));
      for (index_t j = 0; j < n; ++j)
        for (index_t i = s.first_row(j); i < s.end_row(j); ++i) {
          const wide<T> e = i == j && unit ? wide<T>(1) : element(i, j);
          if (plain)
            sums[i] += e * y[j];
          else
            sums[j] += e * y[i];
        }
      y = std::move(sums);
    } else {
      // If op(a) is lower triangular, the unknowns are solved from the first row to the last row, and otherwise in the
      // opposite order.
      const bool down = (s.part == lower) == plain;
      for (index_t step = 0; step < n; ++step) {
        const index_t j = down ? step : n - 1 - step;
        if (!plain)
          for (index_t i = s.first_row(j); i < s.end_row(j); ++i)
            if (i != j) y[j] -= element(i, j) * y[i];
        if (!unit) y[j] /= element(j, j);
        if (plain)
          for (index_t i = s.first_row(j); i < s.end_row(j); ++i)
            if (i != j) y[i] -= element(i, j) * y[j];
      }
    }
    for (index_t i = 0; i < n; ++i) at[i] = T(y[i]);
  });
}

// Updates a matrix. For a whole matrix, computes a += alpha * x * y'. For a stored triangle, computes a += alpha * x *
// x', or a += alpha * x * y' plus the transpose of this product.
enum class update : std::uint8_t { product, product_conjugate, symmetric, hermitian, symmetric_2, hermitian_2 };
template <class S, class T>
status rank_update(routine& r, update kind, const stored_shape& s, const S* alpha, const T* x, index_t incx, const T* y,
                   index_t incy, T* a) {
  const bool whole = kind == update::product || kind == update::product_conjugate;
  const bool two = whole || kind == update::symmetric_2 || kind == update::hermitian_2;
  const bool turns = kind == update::hermitian || kind == update::hermitian_2;
  if (!is_valid(s) || (!whole && s.part == full_matrix) || incx == 0 || (two && incy == 0)) return invalid_value;
  if (s.rows == 0 || s.columns == 0) return success;
  const auto by = r.parameter(alpha);
  const auto first = r.vector(x, s.rows, incx);
  const auto second = two ? r.vector(y, s.columns, incy) : first;
  const auto matrix = r.updates(a, s.elements());
  const std::string_view rest = kind == update::product && is_complex_type<T> ? "ru"
                                : kind == update::product_conjugate           ? "rc"
                                : two && !whole                               ? "r2"
                                                                              : "r";
  const auto blas = blas_of<T>(s, whole ? "ge" : turns ? "he" : "sy", "", turns ? "hp" : "sp", rest, incx, incy);
  if (blas) r.by_blas();
  return r.perform([=](const view& v) {
    if (blas) {
      const S scale = by.at(v);
      const char half = letter_of_part(s.part);
      T* const a_now = matrix.at(v);
      const T *const x_now = first.where.at(v), *const y_now = second.where.at(v);
      if (whole)
        return call_stored(blas.address(), s, {&s.rows, &s.columns, &scale, x_now, &incx, y_now, &incy}, {}, a_now, {});
      if (two)
        return call_stored(blas.address(), s, {&half, &s.rows, &scale, x_now, &incx, y_now, &incy}, {}, a_now, {});
      return call_stored(blas.address(), s, {&half, &s.rows, &scale, x_now, &incx}, {}, a_now, {});
    }
    const wide<T> factor(by.at(v));
    if (factor == wide<T>(0)) return;
    const auto p = first.at(v), q = second.at(v);
    T* const m = matrix.at(v);
    for (index_t j = 0; j < s.columns; ++j)
      for (index_t i = s.first_row(j); i < s.end_row(j); ++i) {
        const auto w = [](T t) { return wide<T>(t); };
        wide<T> sum(m[s.at(i, j)]);
        switch (kind) {
          case update::product: sum += factor * w(p[i]) * w(q[j]); break;
          case update::product_conjugate: sum += factor * w(p[i]) * w(conjugate_if(true, q[j])); break;
          case update::symmetric: sum += factor * w(p[i]) * w(p[j]); break;
          case update::hermitian: sum += factor * w(p[i]) * w(conjugate_if(true, p[j])); break;
          case update::symmetric_2: sum += factor * (w(p[i]) * w(q[j]) + w(q[i]) * w(p[j])); break;
          case update::hermitian_2:
            sum += factor * w(p[i]) * w(conjugate_if(true, q[j])) +
                   conjugate_if(true, factor) * w(q[i]) * w(conjugate_if(true, p[j]));
            break;
        }
        if (turns && i == j) sum = std::real(sum);
        m[s.at(i, j)] = T(sum);
      }
  });
}

}  // namespace bankwise::math
