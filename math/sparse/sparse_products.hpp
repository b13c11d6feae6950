// Products of a sparse matrix with vectors, dense matrices and sparse matrices, and systems with a sparse triangle, for
// cuSPARSE. Sums are computed as doubles and rounded once.
//
//     multiply_dense       c = alpha * op(a) * op(b) + beta * c                 SpMM, SpMV, bsrmm, bsrmv
//     sample_product       the same, but only for the elements that c stores    SDDMM
//     sparse_product       c = alpha * a * b + beta * c, in several calls       SpGEMM, SpGEMMreuse
//     solve_sparse         op(a) * c = alpha * op(b)                            SpSV, SpSM, bsrsv2, bsrsm2
#pragma once

#include "math/sparse/sparse_matrix.hpp"

namespace bankwise::math {

inline dense_matrix as_matrix(const dense_vector& v) { return {v.size, 1, v.size, v.values, v.type, by_columns, 1, 0}; }

struct dense_places {
  dense_matrix m;
  place<std::byte> values;
  std::byte* at(const view& v, index_t batch) const {
    return values.at(v) + (m.batch > 1 ? batch * m.stride * bytes_of(m.type) : 0);
  }
};
inline dense_places places_of(routine& r, const dense_matrix& m, bool writes) {
  const index_t bytes = m.rows == 0 || m.columns == 0 ? 0 : ((m.batch - 1) * m.stride + m.reach()) * bytes_of(m.type);
  if (writes) return {m, r.writes_bytes(m.values, bytes)};
  const auto read = r.reads_bytes(m.values, bytes);
  return {m, {read.address, read.bytes, read.of_host}};
}
inline bool is_valid(const dense_matrix& m) {
  return m.rows >= 0 && m.columns >= 0 && m.batch >= 1 &&
         m.lead >= std::max<index_t>(1, m.order == by_columns ? m.rows : m.columns) &&
         fits_memory({m.lead, m.order == by_columns ? m.columns : m.rows}) && fits_memory({m.rows, m.columns}) &&
         fits_memory({m.batch, m.stride});
}
// Returns op(m), stored by rows without gaps.
template <class W>
std::vector<W> rows_of(const dense_matrix& m, const std::byte* from, int o) {
  const index_t rows = o == as_it_is ? m.rows : m.columns, columns = o == as_it_is ? m.columns : m.rows;
  std::vector<W> all(static_cast<std::size_t>(rows * columns));
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j)
      all[static_cast<std::size_t>(i * columns + j)] = conjugate_if(
          o == adjoint, number_of<W>(from + (o == as_it_is ? m.at(i, j) : m.at(j, i)) * bytes_of(m.type), m.type));
  return all;
}
template <class W>
void put_rows(const dense_matrix& m, std::byte* to, const std::vector<W>& all, W alpha, W beta) {
  for (index_t i = 0; i < m.rows; ++i)
    for (index_t j = 0; j < m.columns; ++j) {
      std::byte* const at = to + m.at(i, j) * bytes_of(m.type);
      const W product = alpha * all[static_cast<std::size_t>(i * m.columns + j)];
      put_number(at, m.type, beta == W(0) ? product : product + beta * number_of<W>(at, m.type));
    }
}

// Whether the operation is valid for the type. cuSPARSE does not accept the conjugation of real numbers.
inline bool is_operation_on(int o, int type) { return o >= as_it_is && o <= (is_complex(type) ? adjoint : transposed); }

inline status multiply_dense(routine& r, int of_a, int of_b, const void* alpha, const sparse_matrix& a,
                             const dense_matrix& b, const void* beta, const dense_matrix& c, int computed) {
  const bool plain = of_a == as_it_is;
  const index_t m = plain ? a.all_rows() : a.all_columns(), k = plain ? a.all_columns() : a.all_rows();
  const index_t b_rows = of_b == as_it_is ? b.rows : b.columns, n = of_b == as_it_is ? b.columns : b.rows;
  if (!is_operation_on(of_a, a.type) || !is_operation_on(of_b, b.type) || !is_valid(b) || !is_valid(c) || c.rows != m ||
      c.columns != n || b_rows != k)
    return invalid_value;
  const index_t batch = std::max({a.batch, b.batch, c.batch});
  for (const int one : {a.batch, b.batch, c.batch})
    if (one != 1 && one != batch) return invalid_value;
  const auto by = parameter_of(r, alpha, computed), plus = parameter_of(r, beta, computed);
  const auto sparse = places_of(r, a, touch::reads);
  const auto from = places_of(r, b, false), to = places_of(r, c, true);
  return in_numbers({a.type, b.type, c.type, computed}, [&](auto w) {
    using W = decltype(w);
    return r.perform([=](const view& v) {
      if (m == 0 || n == 0) return;
      for (index_t i = 0; i < batch; ++i) {
        const index_t of_sparse = a.batch > 1 ? i : 0;
        std::vector<entry> all = entries_of(sparse, v, of_sparse);
        const auto values =
            a.count == 0 ? std::vector<W>() : numbers_of<W>(sparse.value(v, of_sparse), a.type, a.stored());
        turn(all, of_a);
        const std::vector<W> right = k == 0 ? std::vector<W>() : rows_of<W>(b, from.at(v, b.batch > 1 ? i : 0), of_b);
        std::vector<W> sums(static_cast<std::size_t>(m * n));
        constexpr index_t strip = 64;
        for_each((n + strip - 1) / strip, static_cast<double>(all.size()) * static_cast<double>(n), [&](index_t s) {
          const index_t first = s * strip, width = std::min(strip, n - first);
          for (const entry& e : all) {
            const W x = conjugate_if(of_a == adjoint, values[static_cast<std::size_t>(e.at)]);
            const W* const row = right.data() + e.column * n + first;
            W* const sum = sums.data() + e.row * n + first;
            for (index_t j = 0; j < width; ++j) sum[j] += x * row[j];
          }
        });
        put_rows(c, to.at(v, c.batch > 1 ? i : 0), sums, as_number<W>(by.at(v)), as_number<W>(plus.at(v)));
      }
    });
  });
}

inline status sample_product(routine& r, int of_a, int of_b, const void* alpha, const dense_matrix& a,
                             const dense_matrix& b, const void* beta, const sparse_matrix& c, int computed) {
  const index_t m = of_a == as_it_is ? a.rows : a.columns, k = of_a == as_it_is ? a.columns : a.rows;
  const index_t b_rows = of_b == as_it_is ? b.rows : b.columns, n = of_b == as_it_is ? b.columns : b.rows;
  if (!is_operation_on(of_a, a.type) || !is_operation_on(of_b, b.type) || !is_valid(a) || !is_valid(b) || b_rows != k ||
      c.all_rows() != m || c.all_columns() != n)
    return invalid_value;
  const index_t batch = std::max({a.batch, b.batch, c.batch});
  for (const int one : {a.batch, b.batch, c.batch})
    if (one != 1 && one != batch) return invalid_value;
  const auto by = parameter_of(r, alpha, computed), plus = parameter_of(r, beta, computed);
  const auto left_side = places_of(r, a, false), right_side = places_of(r, b, false);
  const auto to = places_of(r, c, touch::writes);
  return in_numbers({a.type, b.type, c.type, computed}, [&](auto w) {
    using W = decltype(w);
    return r.perform([=](const view& v) {
      if (c.count == 0) return;
      const W factor = as_number<W>(by.at(v)), keep = as_number<W>(plus.at(v));
      for (index_t i = 0; i < batch; ++i) {
        // The results are dot products of rows of a and columns of b. The columns of b are stored as rows.
        const bool empty = k == 0;
        const auto x = empty ? std::vector<W>() : rows_of<W>(a, left_side.at(v, a.batch > 1 ? i : 0), of_a);
        auto y = empty ? std::vector<W>()
                       : rows_of<W>(b, right_side.at(v, b.batch > 1 ? i : 0), of_b == as_it_is ? transposed : as_it_is);
        if (of_b == adjoint)
          for (W& one : y) one = conjugate_if(true, one);
        std::byte* const values = to.values.at(v) + (c.batch > 1 ? i : 0) * c.values_stride * bytes_of(c.type);
        for (const entry& e : entries_of(to, v, c.batch > 1 ? i : 0)) {
          W sum{};
          for (index_t l = 0; l < k; ++l) sum += x[e.row * k + l] * y[e.column * k + l];
          std::byte* const at = values + e.at * bytes_of(c.type);
          put_number(at, c.type, keep == W(0) ? factor * sum : factor * sum + keep * number_of<W>(at, c.type));
        }
      }
    });
  });
}

// The rows of a matrix. Each row is sorted by column, and contains each column at most once.
template <class W>
struct sorted_rows {
  std::vector<index_t> offsets, columns;
  std::vector<W> values;
};
// Converts entries to rows. Several entries of the same element are added up.
template <class W>
sorted_rows<W> sorted(index_t rows, std::vector<std::pair<entry, W>> all) {
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first.row != b.first.row ? a.first.row < b.first.row : a.first.column < b.first.column;
  });
  sorted_rows<W> out;
  out.offsets.assign(static_cast<std::size_t>(rows + 1), 0);
  const entry* last = nullptr;
  for (const auto& [e, value] : all) {
    if (last != nullptr && last->row == e.row && last->column == e.column) {
      out.values.back() += value;
    } else {
      out.columns.push_back(e.column);
      out.values.push_back(value);
      ++out.offsets[static_cast<std::size_t>(e.row + 1)];
    }
    last = &e;
  }
  for (index_t i = 0; i < rows; ++i) out.offsets[i + 1] += out.offsets[i];
  return out;
}

// A product that the program has not copied yet.
struct sparse_result {
  sorted_rows<cdouble> rows;
  std::int64_t count = 0, products = 0;  // number of elements, and number of necessary multiplications
};
inline bool is_csr(const sparse_matrix& m) { return m.format == csr && m.batch == 1; }
inline status check_product(int of_a, int of_b, const sparse_matrix& a, const sparse_matrix& b,
                            const sparse_matrix& c) {
  if (of_a != as_it_is || of_b != as_it_is || !is_csr(a) || !is_csr(b) || !is_csr(c)) return not_supported;
  return a.columns != b.rows || c.rows != a.rows || c.columns != b.columns ? invalid_value : success;
}

inline std::vector<std::vector<entry>> entries_by_row(const sparse_places& p, const view& v) {
  std::vector<std::vector<entry>> rows(static_cast<std::size_t>(p.m.rows));
  for (const entry& e : entries_of(p, v)) rows[static_cast<std::size_t>(e.row)].push_back(e);
  return rows;
}
// Computes one row after another. There is a sum for each column, and a list of the columns with elements in the
// current row.
inline sorted_rows<cdouble> product_of(const sparse_places& x, const sparse_places& y, const view& v, cdouble factor) {
  const sparse_matrix &a = x.m, &b = y.m;
  const auto x_values = a.count == 0 ? std::vector<cdouble>() : numbers_of<cdouble>(x.value(v, 0), a.type, a.count),
             y_values = b.count == 0 ? std::vector<cdouble>() : numbers_of<cdouble>(y.value(v, 0), b.type, b.count);
  const auto lines = entries_by_row(y, v);
  std::vector<cdouble> sums(static_cast<std::size_t>(b.columns));
  std::vector<bool> is_there(static_cast<std::size_t>(b.columns));
  sorted_rows<cdouble> out;
  out.offsets.push_back(0);
  for (const std::vector<entry>& row : entries_by_row(x, v)) {
    const std::size_t first = out.columns.size();
    for (const entry& e : row)
      for (const entry& f : lines[static_cast<std::size_t>(e.column)]) {
        const auto j = static_cast<std::size_t>(f.column);
        if (!is_there[j]) {
          is_there[j] = true;
          sums[j] = 0;
          out.columns.push_back(f.column);
        }
        sums[j] += x_values[static_cast<std::size_t>(e.at)] * y_values[static_cast<std::size_t>(f.at)];
      }
    std::sort(out.columns.begin() + static_cast<std::ptrdiff_t>(first), out.columns.end());
    for (std::size_t i = first; i < out.columns.size(); ++i) {
      const auto j = static_cast<std::size_t>(out.columns[i]);
      out.values.push_back(factor * sums[j]);
      is_there[j] = false;
    }
    out.offsets.push_back(static_cast<index_t>(out.columns.size()));
  }
  return out;
}

// Computes a product of sparse matrices. The host waits for the number of elements of the product, and stores this
// number in the descriptor of c. If alpha is null, its value is 1.
inline status sparse_product(routine& r, int of_a, int of_b, const void* alpha, const sparse_matrix& a,
                             const sparse_matrix& b, sparse_matrix& c, int computed,
                             const std::shared_ptr<sparse_result>& to) {
  if (const status s = check_product(of_a, of_b, a, b, c); s != success) return s;
  const bool plain = alpha == nullptr;
  const auto by = plain ? any_scalar() : parameter_of(r, alpha, computed);
  const auto x = places_of(r, a, touch::reads), y = places_of(r, b, touch::reads);
  const auto count = r.host_result(&to->count);
  const status s = r.perform([=](const view& v) {
    to->rows = product_of(x, y, v, plain ? cdouble(1) : by.at(v));
    *count.at(v) = static_cast<std::int64_t>(to->rows.columns.size());
  });
  if (s == success) c.count = to->count;
  return s;
}
inline status count_products(routine& r, int of_a, int of_b, const sparse_matrix& a, const sparse_matrix& b,
                             const sparse_matrix& c, const std::shared_ptr<sparse_result>& to) {
  if (const status s = check_product(of_a, of_b, a, b, c); s != success) return s;
  const auto x = places_of(r, a, touch::pattern), y = places_of(r, b, touch::pattern);
  const auto count = r.host_result(&to->products);
  return r.perform([=](const view& v) {
    const auto lines = entries_by_row(y, v);
    std::int64_t sum = 0;
    for (const entry& e : entries_of(x, v))
      sum += static_cast<std::int64_t>(lines[static_cast<std::size_t>(e.column)].size());
    *count.at(v) = sum;
  });
}

// Copies a product: the offsets of its rows, its columns and, if `beta` is not null, its values.
inline status copy_product(routine& r, const void* beta, const sparse_matrix& c, int computed,
                           const std::shared_ptr<sparse_result>& from) {
  if (!is_csr(c)) return not_supported;
  if (from->count != c.count) return invalid_value;
  const bool with_values = beta != nullptr;
  const auto plus = with_values ? parameter_of(r, beta, computed) : any_scalar();
  const auto offsets = r.writes_bytes(c.offsets, c.offsets_count() * bytes_of_index(c.offsets_type));
  const auto columns = r.writes_bytes(c.indices, c.count * bytes_of_index(c.indices_type));
  const auto values = r.writes_bytes(c.values, with_values ? c.count * bytes_of(c.type) : 0);
  return r.perform([=](const view& v) {
    const sorted_rows<cdouble>& all = from->rows;
    // With --counts, products are not computed. So there is nothing to copy.
    const bool is_there = static_cast<index_t>(all.offsets.size()) == c.rows + 1 && c.count != 0;
    for (index_t i = 0; i <= c.rows; ++i)
      put_index(offsets.at(v), c.offsets_type, i, (is_there ? all.offsets[i] : 0) + c.base);
    for (index_t i = 0; i < c.count; ++i) {
      put_index(columns.at(v), c.indices_type, i, all.columns[i] + c.base);
      if (!with_values) continue;
      const cdouble keep = plus.at(v);
      std::byte* const at = values.at(v) + i * bytes_of(c.type);
      put_number(at, c.type,
                 keep == cdouble(0) ? all.values[i] : all.values[i] + keep * number_of<cdouble>(at, c.type));
    }
  });
}
// Computes the values of a product whose rows and columns are known: alpha * a * b + beta * c.
inline status product_again(routine& r, int of_a, int of_b, const void* alpha, const sparse_matrix& a,
                            const sparse_matrix& b, const void* beta, const sparse_matrix& c, int computed) {
  if (const status s = check_product(of_a, of_b, a, b, c); s != success) return s;
  const auto by = parameter_of(r, alpha, computed), plus = parameter_of(r, beta, computed);
  const auto x = places_of(r, a, touch::reads), y = places_of(r, b, touch::reads);
  const auto values = r.writes_bytes(c.values, c.count * bytes_of(c.type));
  return r.perform([=](const view& v) {
    const sorted_rows<cdouble> all = product_of(x, y, v, by.at(v));
    const cdouble keep = plus.at(v);
    for (index_t i = 0; i < std::min(c.count, static_cast<index_t>(all.values.size())); ++i) {
      std::byte* const at = values.at(v) + i * bytes_of(c.type);
      put_number(at, c.type,
                 keep == cdouble(0) ? all.values[i] : all.values[i] + keep * number_of<cdouble>(at, c.type));
    }
  });
}

// The values that the program sets after a solver has analysed the matrix.
struct solver_values {
  std::vector<cdouble> general, diagonal;
};
inline status solve_sparse(routine& r, int of_a, int of_b, const void* alpha, const sparse_matrix& a,
                           const dense_matrix& b, const dense_matrix& c, int computed,
                           const std::shared_ptr<const solver_values>& newer = nullptr) {
  const index_t n = a.all_rows(), b_rows = of_b == as_it_is ? b.rows : b.columns,
                columns = of_b == as_it_is ? b.columns : b.rows;
  if (!is_operation_on(of_a, a.type) || !is_operation_on(of_b, b.type) || a.all_columns() != n || b_rows != n ||
      c.rows != n || c.columns != columns || !is_valid(b) || !is_valid(c))
    return invalid_value;
  const index_t batch = std::max({a.batch, b.batch, c.batch});
  const auto by = parameter_of(r, alpha, computed);
  const auto sparse = places_of(r, a, touch::reads);
  const auto from = places_of(r, b, false), to = places_of(r, c, true);
  return in_numbers({a.type, b.type, c.type, computed}, [&](auto w) {
    using W = decltype(w);
    return r.perform([=](const view& v) {
      if (n == 0 || columns == 0) return;
      for (index_t i = 0; i < batch; ++i) {
        const index_t of_sparse = a.batch > 1 ? i : 0;
        auto values = a.count == 0 ? std::vector<W>() : numbers_of<W>(sparse.value(v, of_sparse), a.type, a.stored());
        if (newer != nullptr && newer->general.size() == values.size())
          for (std::size_t k = 0; k < values.size(); ++k) values[k] = as_number<W>(newer->general[k]);
        std::vector<entry> all = entries_of(sparse, v, of_sparse);
        turn(all, of_a);
        const bool down = (a.part == lower) == (of_a == as_it_is);
        std::vector<std::vector<entry>> rows(static_cast<std::size_t>(n));
        std::vector<W> diagonal(static_cast<std::size_t>(n), a.unit == 1 ? W(1) : W(0));
        for (const entry& e : all) {
          if (e.row == e.column && a.unit == 0)
            diagonal[static_cast<std::size_t>(e.row)] =
                conjugate_if(of_a == adjoint, values[static_cast<std::size_t>(e.at)]);
          else if (e.row != e.column && (e.row > e.column) == down)
            rows[static_cast<std::size_t>(e.row)].push_back(e);
        }
        if (newer != nullptr && newer->diagonal.size() == diagonal.size() && a.unit == 0)
          for (std::size_t k = 0; k < diagonal.size(); ++k)
            diagonal[k] = conjugate_if(of_a == adjoint, as_number<W>(newer->diagonal[k]));
        std::vector<W> x = rows_of<W>(b, from.at(v, b.batch > 1 ? i : 0), of_b);
        const W factor = as_number<W>(by.at(v));
        for (W& one : x) one *= factor;
        for (index_t step = 0; step < n; ++step) {
          const index_t row = down ? step : n - 1 - step;
          W* const own = x.data() + row * columns;
          for (const entry& e : rows[static_cast<std::size_t>(row)]) {
            const W y = conjugate_if(of_a == adjoint, values[static_cast<std::size_t>(e.at)]);
            const W* const known = x.data() + e.column * columns;
            for (index_t j = 0; j < columns; ++j) own[j] -= y * known[j];
          }
          for (index_t j = 0; j < columns; ++j) own[j] /= diagonal[static_cast<std::size_t>(row)];
        }
        put_rows(c, to.at(v, c.batch > 1 ? i : 0), x, W(1), W(0));
      }
    });
  });
}

}  // namespace bankwise::math
