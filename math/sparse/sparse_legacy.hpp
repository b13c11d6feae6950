// Functions of cuSPARSE that take the arrays of a matrix as separate arguments: blocks, sums, systems with three
// diagonals, incomplete factors. Indices have 32 bits.
#pragma once

#include "math/sparse/sparse_conversions.hpp"

namespace bankwise::math {

struct matrix_description {  // a cusparseMatDescr_t
  int kind = 0, part = lower, unit = 0, base = 0;
};

// A result of an analysis or a factorization: the number, from 1, of the first row with a zero pivot. The number is 0
// if there is no such row.
struct pivot_state {
  int first_zero = 0, base = 0;
};
using pivot_info = std::shared_ptr<pivot_state>;

template <class T>
sparse_matrix rows_matrix(const matrix_description& d, index_t m, index_t n, index_t count, const T* values,
                          const int* offsets, const int* columns) {
  sparse_matrix a;
  a.rows = m;
  a.columns = n;
  a.count = count;
  a.offsets = const_cast<int*>(offsets);
  a.indices = const_cast<int*>(columns);
  a.values = const_cast<T*>(values);
  a.base = d.base;
  a.type = type_of(T());
  a.part = d.part;
  a.unit = d.unit;
  return a;
}
template <class T>
sparse_matrix block_matrix(const matrix_description& d, int direction, index_t m, index_t n, index_t count,
                           const T* values, const int* offsets, const int* columns, index_t block) {
  sparse_matrix a = rows_matrix(d, m, n, count, values, offsets, columns);
  a.format = bsr;
  a.block_rows = a.block_columns = block;
  a.blocks_by_rows = direction == direction_row;
  return a;
}
inline bool is_block_call(const matrix_description* d, int direction, index_t rows, index_t columns, index_t count,
                          index_t block) {
  return d != nullptr && (direction == direction_row || direction == direction_column) && rows >= 0 && columns >= 0 &&
         count >= 0 && block >= 1 && fits_memory({count, block, block}) && fits_memory({rows, block, block}) &&
         fits_memory({columns, block, block});
}
template <class T>
dense_matrix columns_matrix(const T* values, index_t rows, index_t columns, index_t lead) {
  return {rows, columns, lead, const_cast<T*>(values), type_of(T()), by_columns, 1, 0};
}

template <class T>
status multiply_blocks(routine& r, int direction, int of_a, int of_b, index_t m, index_t n, index_t k, index_t count,
                       const T* alpha, const matrix_description* d, const T* values, const int* offsets,
                       const int* columns, index_t block, const T* b, index_t ldb, const T* beta, T* c, index_t ldc) {
  if (!is_block_call(d, direction, m, k, count, block) || n < 0) return invalid_value;
  if (of_a != as_it_is || of_b == adjoint) return not_supported;  // limits of cuSPARSE
  const index_t rows = k * block;
  return multiply_dense(r, of_a, of_b, alpha, block_matrix(*d, direction, m, k, count, values, offsets, columns, block),
                        of_b == as_it_is ? columns_matrix(b, rows, n, ldb) : columns_matrix(b, n, rows, ldb), beta,
                        columns_matrix(c, m * block, n, ldc), type_of(T()));
}
template <class T>
status multiply_blocks_vector(routine& r, int direction, int o, index_t m, index_t n, index_t count, const T* alpha,
                              const matrix_description* d, const T* values, const int* offsets, const int* columns,
                              index_t block, const T* x, const T* beta, T* y) {
  if (!is_block_call(d, direction, m, n, count, block)) return invalid_value;
  const index_t in = (o == as_it_is ? n : m) * block, out = (o == as_it_is ? m : n) * block;
  const auto lead = [](index_t l) { return std::max<index_t>(l, 1); };
  return multiply_dense(r, o, as_it_is, alpha,
                        block_matrix(*d, direction, m, n, count, values, offsets, columns, block),
                        columns_matrix(x, in, 1, lead(in)), beta, columns_matrix(y, out, 1, lead(out)), type_of(T()));
}

// Finds the first row of the matrix `a` whose diagonal element is missing or 0. If the matrix consists of blocks, finds
// the first row of blocks that contains such a diagonal element.
template <class T>
status analyse(routine& r, const sparse_matrix& a, const pivot_info& to) {
  const auto from = places_of(r, a, touch::reads);
  to->base = a.base;
  const auto position = r.host_result(&to->first_zero);
  return r.perform([=](const view& v) {
    std::vector<bool> has(static_cast<std::size_t>(a.rows));
    std::vector<std::vector<entry>> blocks(static_cast<std::size_t>(a.rows));
    for (const entry& e : entries_of(from, v))
      if (e.row == e.column && load<T>(from.value(v, 0) + e.at * bytes_of(a.type)) != T(0))
        blocks[static_cast<std::size_t>(e.row / a.block_rows)].push_back(e);
    for (index_t i = 0; i < a.rows; ++i)
      has[static_cast<std::size_t>(i)] =
          static_cast<index_t>(blocks[static_cast<std::size_t>(i)].size()) == a.block_rows;
    *position.at(v) = 0;
    for (index_t i = a.rows; i-- > 0 && a.unit == 0;)
      if (!has[static_cast<std::size_t>(i)]) *position.at(v) = static_cast<int>(i) + 1;
  });
}
template <class T>
status solve_blocks(routine& r, int direction, int of_a, int of_b, index_t m, index_t n, index_t count, const T* alpha,
                    const matrix_description* d, const T* values, const int* offsets, const int* columns, index_t block,
                    const T* b, index_t ldb, T* x, index_t ldx) {
  if (!is_block_call(d, direction, m, m, count, block) || n < 0) return invalid_value;
  const index_t rows = m * block;
  const sparse_matrix a = block_matrix(*d, direction, m, m, count, values, offsets, columns, block);
  if (of_b == as_it_is)
    return solve_sparse(r, of_a, as_it_is, alpha, a, columns_matrix(b, rows, n, ldb), columns_matrix(x, rows, n, ldx),
                        type_of(T()));
  // op(b) and x are transposed, and stored by columns. This equals storage by rows.
  dense_matrix from = columns_matrix(b, rows, n, ldb), to = columns_matrix(x, rows, n, ldx);
  from.order = to.order = by_rows;
  return solve_sparse(r, of_a, as_it_is, alpha, a, from, to, type_of(T()));
}
template <class T>
status analyse_blocks(routine& r, int direction, index_t m, index_t count, const matrix_description* d, const T* values,
                      const int* offsets, const int* columns, index_t block, const pivot_info* info) {
  if (!is_block_call(d, direction, m, m, count, block) || info == nullptr) return invalid_value;
  return analyse<T>(r, block_matrix(*d, direction, m, m, count, values, offsets, columns, block), *info);
}
// Writes to host or device memory, depending on the pointer mode.
inline status tell_zero_pivot(routine& r, const pivot_info* info, int* position) {
  if (info == nullptr) return invalid_value;
  const int row = (*info)->first_zero - 1, told = row < 0 ? -1 : row + (*info)->base;
  const auto to = r.result(position);
  const status s = r.perform([=](const view& v) { *to.at(v) = told; });
  return s == success && row >= 0 ? zero_pivot : s;
}

// --- sums c = alpha * a + beta * b. A first call counts the elements in each row of c, and a second call computes the
// elements.

// Returns the columns and values of the elements in each row of a matrix. The values are multiplied by `factor`.
template <class T>
std::vector<std::vector<std::pair<index_t, T>>> rows_in(const sparse_places& p, const view& v, T factor) {
  std::vector<std::vector<std::pair<index_t, T>>> rows(static_cast<std::size_t>(p.m.rows));
  for (const entry& e : entries_of(p, v))
    rows[static_cast<std::size_t>(e.row)].emplace_back(
        e.column, p.values.bytes == 0 ? T(0) : factor * load<T>(p.value(v, 0) + e.at * bytes_of(p.m.type)));
  return rows;
}
template <class T>
std::vector<std::vector<std::pair<index_t, T>>> sum_of(std::vector<std::vector<std::pair<index_t, T>>> a,
                                                       const std::vector<std::vector<std::pair<index_t, T>>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto& row = a[i];
    row.insert(row.end(), b[i].begin(), b[i].end());
    std::stable_sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (kept != 0 && row[kept - 1].first == row[k].first)
        row[kept - 1].second += row[k].second;
      else
        row[kept++] = row[k];
    }
    row.resize(kept);
  }
  return a;
}
inline status count_sum(routine& r, index_t m, index_t n, const matrix_description* a, index_t a_count,
                        const int* a_offsets, const int* a_columns, const matrix_description* b, index_t b_count,
                        const int* b_offsets, const int* b_columns, const matrix_description* c, int* offsets,
                        int* total) {
  if (a == nullptr || b == nullptr || c == nullptr || m < 0 || n < 0 || a_count < 0 || b_count < 0)
    return invalid_value;
  const float* const none = nullptr;
  const auto x = places_of(r, rows_matrix(*a, m, n, a_count, none, a_offsets, a_columns), touch::pattern),
             y = places_of(r, rows_matrix(*b, m, n, b_count, none, b_offsets, b_columns), touch::pattern);
  const auto out = r.writes(offsets, m + 1);
  const auto all = r.result(total);
  const int base = c->base;
  return r.perform([=](const view& v) {
    const auto rows = sum_of(rows_in(x, v, 0.0f), rows_in(y, v, 0.0f));
    int sum = base;
    out.at(v)[0] = sum;
    for (index_t i = 0; i < m; ++i)
      out.at(v)[i + 1] = sum += static_cast<int>(rows[static_cast<std::size_t>(i)].size());
    *all.at(v) = sum - base;
  });
}
template <class T>
status add_rows(routine& r, index_t m, index_t n, const T* alpha, const matrix_description* a, index_t a_count,
                const T* a_values, const int* a_offsets, const int* a_columns, const T* beta,
                const matrix_description* b, index_t b_count, const T* b_values, const int* b_offsets,
                const int* b_columns, const matrix_description* c, T* values, const int* offsets, int* columns) {
  if (a == nullptr || b == nullptr || c == nullptr || m < 0 || n < 0 || a_count < 0 || b_count < 0)
    return invalid_value;
  const auto by = r.parameter(alpha), plus = r.parameter(beta);
  const auto x = places_of(r, rows_matrix(*a, m, n, a_count, a_values, a_offsets, a_columns), touch::reads),
             y = places_of(r, rows_matrix(*b, m, n, b_count, b_values, b_offsets, b_columns), touch::reads);
  // The number of elements follows from the offsets on the device. The arrays must have room for this number.
  const auto begins = r.reads(offsets, m + 1);
  const std::uint64_t to_values = reinterpret_cast<std::uint64_t>(values),
                      to_columns = reinterpret_cast<std::uint64_t>(columns);
  const auto first_value = r.writes(values, a_count + b_count == 0 ? 0 : 1);
  const auto first_column = r.writes(columns, a_count + b_count == 0 ? 0 : 1);
  const int base = c->base;
  static_cast<void>(first_value);
  static_cast<void>(first_column);
  return r.perform([=](const view& v) {
    const auto rows = sum_of(rows_in(x, v, by.at(v)), rows_in(y, v, plus.at(v)));
    std::uint64_t count = 0;
    for (const auto& row : rows) count += row.size();
    if (count == 0 || static_cast<std::uint64_t>(begins.at(v)[m] - base) != count) return;
    T* const out = reinterpret_cast<T*>(v(to_values, count * sizeof(T)));
    int* const out_columns = reinterpret_cast<int*>(v(to_columns, count * sizeof(int)));
    if (out == nullptr || out_columns == nullptr) return;
    std::size_t i = 0;
    for (const auto& row : rows)
      for (const auto& [column, value] : row) {
        out[i] = value;
        out_columns[i++] = static_cast<int>(column) + base;
      }
  });
}

// Counts the elements of a dense matrix that are not 0, for each row or for each column.
template <class T>
status count_elements(routine& r, int direction, index_t m, index_t n, const matrix_description* d, const T* a,
                      index_t lda, int* each, int* total) {
  if (d == nullptr || m < 0 || n < 0 || lda < std::max<index_t>(1, m)) return invalid_value;
  const auto from = r.reads(a, elements_of(m, n, lda));
  const auto counts = r.writes(each, direction == direction_row ? m : n);
  const auto all = r.result(total);
  return r.perform([=](const view& v) {
    int sum = 0;
    std::fill_n(counts.at(v), direction == direction_row ? m : n, 0);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i)
        if (from.at(v)[j * lda + i] != T(0)) {
          ++counts.at(v)[direction == direction_row ? i : j];
          ++sum;
        }
    *all.at(v) = sum;
  });
}
// Counts the elements of each row that are larger than `least`. For complex numbers, the real part is compared.
template <class T>
status count_larger(routine& r, index_t m, const matrix_description* d, const T* values, const int* offsets, int* each,
                    int* total, T least) {
  if (d == nullptr || m < 0 || !(std::real(least) >= 0)) return invalid_value;
  const auto begins = r.reads(offsets, m + 1);
  const auto first = r.reads(values, 1);
  const auto counts = r.writes(each, m);
  const auto all = r.result(total);
  return r.perform([=](const view& v) {
    const int* const at = begins.at(v);
    const index_t count = index_t{at[m]} - at[0];
    const T* const from =
        count <= 0 ? nullptr
                   : reinterpret_cast<const T*>(v(first.address, static_cast<std::uint64_t>(count) * sizeof(T)));
    int sum = 0;
    for (index_t i = 0; i < m; ++i) {
      int here = 0;
      for (index_t k = index_t{at[i]} - at[0];
           k < std::min<index_t>(index_t{at[i + 1]} - at[0], count) && from != nullptr; ++k)
        here += k >= 0 && std::abs(from[k]) > std::real(least) ? 1 : 0;
      counts.at(v)[i] = here;
      sum += here;
    }
    *all.at(v) = sum;
  });
}
template <class T>
status keep_larger(routine& r, index_t m, index_t n, const matrix_description* d, const T* values, const int* columns,
                   const int* offsets, index_t count, const int* each, T* to_values, int* to_columns, int* to_offsets,
                   T least) {
  if (d == nullptr || m < 0 || n < 0 || count < 0 || !(std::real(least) >= 0)) return invalid_value;
  const auto from = r.reads(values, count);
  const auto indices = r.reads(columns, count), begins = r.reads(offsets, m + 1), counts = r.reads(each, m);
  const auto out_begins = r.writes(to_offsets, m + 1);
  const auto first = r.writes(to_values, count == 0 ? 0 : 1);
  const auto first_index = r.writes(to_columns, count == 0 ? 0 : 1);
  const int base = d->base;
  return r.perform([=](const view& v) {
    index_t total = 0;
    out_begins.at(v)[0] = base;
    for (index_t i = 0; i < m; ++i) {
      total += std::max(0, counts.at(v)[i]);
      out_begins.at(v)[i + 1] = static_cast<int>(total) + base;
    }
    if (total == 0 || total > count) return;
    T* const out = reinterpret_cast<T*>(v(first.address, static_cast<std::uint64_t>(total) * sizeof(T)));
    int* const out_indices =
        reinterpret_cast<int*>(v(first_index.address, static_cast<std::uint64_t>(total) * sizeof(int)));
    if (out == nullptr || out_indices == nullptr) return;
    index_t to = 0;
    for (index_t i = 0; i < m; ++i)
      for (index_t k = index_t{begins.at(v)[i]} - base;
           k < std::min<index_t>(index_t{begins.at(v)[i + 1]} - base, count); ++k)
        if (k >= 0 && std::abs(from.at(v)[k]) > std::real(least) && to < total) {
          out[to] = from.at(v)[k];
          out_indices[to++] = indices.at(v)[k];
        }
  });
}

// Solves systems with three diagonals. The lower diagonal begins with a 0, and the upper diagonal ends with a 0.
// Exchanges of rows fill a fourth diagonal.
template <class T>
void solve_three_diagonals(const T* below, const T* on, const T* above, index_t m, index_t step, T* x, index_t columns,
                           index_t ldx, index_t x_step) {
  std::vector<T> d(static_cast<std::size_t>(m)), u(d.size()), second(d.size());
  std::vector<std::vector<T>> sides(static_cast<std::size_t>(columns));
  for (index_t i = 0; i < m; ++i) {
    d[i] = on[i * step];
    u[i] = i + 1 < m ? above[i * step] : T(0);
  }
  for (index_t c = 0; c < columns; ++c)
    for (index_t i = 0; i < m; ++i) sides[c].push_back(x[c * ldx + i * x_step]);
  for (index_t i = 0; i + 1 < m; ++i) {
    T l = below[(i + 1) * step];
    if (std::abs(l) > std::abs(d[i])) {
      std::swap(l, d[i]);
      const T diagonal = d[i + 1];
      d[i + 1] = u[i];
      u[i] = diagonal;
      second[i] = u[i + 1];
      u[i + 1] = T(0);
      for (std::vector<T>& s : sides) std::swap(s[i], s[i + 1]);
      const T factor = l / d[i];
      d[i + 1] -= factor * u[i];
      u[i + 1] -= factor * second[i];
      for (std::vector<T>& s : sides) s[i + 1] -= factor * s[i];
    } else {
      const T factor = l / d[i];
      d[i + 1] -= factor * u[i];
      for (std::vector<T>& s : sides) s[i + 1] -= factor * s[i];
    }
  }
  for (index_t c = 0; c < columns; ++c) {
    std::vector<T>& s = sides[c];
    for (index_t i = m; i-- > 0;) {
      if (i + 1 < m) s[i] -= u[i] * s[i + 1];
      if (i + 2 < m) s[i] -= second[i] * s[i + 2];
      s[i] /= d[i];
    }
    for (index_t i = 0; i < m; ++i) x[c * ldx + i * x_step] = s[i];
  }
}
template <class T>
status three_diagonals(routine& r, index_t m, index_t n, const T* below, const T* on, const T* above, T* b,
                       index_t ldb) {
  if (m < 3 || n < 0 || ldb < m) return invalid_value;
  const auto l = r.reads(below, m), d = r.reads(on, m), u = r.reads(above, m);
  const auto x = r.writes(b, elements_of(m, n, ldb));
  return r.perform([=](const view& v) { solve_three_diagonals(l.at(v), d.at(v), u.at(v), m, 1, x.at(v), n, ldb, 1); });
}
template <class T>
status three_diagonals_batch(routine& r, index_t m, const T* below, const T* on, const T* above, T* b, index_t batch,
                             index_t distance, index_t step) {
  if (m < (step == 1 ? 3 : 1) || batch < 0 || distance < (step == 1 ? m : 1)) return invalid_value;
  const index_t reach = batch == 0 ? 0 : (batch - 1) * distance + (m - 1) * step + 1;
  const auto l = r.reads(below, reach), d = r.reads(on, reach), u = r.reads(above, reach);
  const auto x = r.writes(b, reach);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < batch; ++i) {
      const index_t at = i * distance;
      solve_three_diagonals(l.at(v) + at, d.at(v) + at, u.at(v) + at, m, step, x.at(v) + at, 1, 0, step);
    }
  });
}

// Computes incomplete factors: L and U, or L with L * L'. The factors have the sparsity pattern of the matrix, and
// replace the matrix in memory.
template <class T>
status incomplete_factor(routine& r, bool cholesky, index_t m, index_t count, const matrix_description* d, T* values,
                         const int* offsets, const int* columns, const pivot_info* info) {
  if (d == nullptr || info == nullptr || m < 0 || count < 0) return invalid_value;
  const auto matrix = places_of(r, rows_matrix(*d, m, m, count, values, offsets, columns), touch::writes);
  (*info)->base = d->base;
  const auto position = r.host_result(&(*info)->first_zero);
  return r.perform([=](const view& v) {
    std::vector<std::vector<std::pair<index_t, T*>>> rows(static_cast<std::size_t>(m));
    T* const first = reinterpret_cast<T*>(matrix.values.at(v));
    for (const entry& e : entries_of(matrix, v))
      rows[static_cast<std::size_t>(e.row)].emplace_back(e.column, first + e.at);
    for (auto& row : rows)
      std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto element = [&](index_t i, index_t j) -> T* {
      const auto& row = rows[static_cast<std::size_t>(i)];
      const auto at = std::lower_bound(row.begin(), row.end(), j, [](const auto& a, index_t c) { return a.first < c; });
      return at != row.end() && at->first == j ? at->second : nullptr;
    };
    int zero = -1;
    for (index_t i = 0; i < m; ++i) {
      if (cholesky) {
        for (const auto& [j, to] : rows[static_cast<std::size_t>(i)]) {
          if (j > i) break;
          T sum = *to;
          for (const auto& [k, other] : rows[static_cast<std::size_t>(j)]) {
            if (k >= j) break;
            if (const T* const mine = element(i, k)) sum -= *mine * conjugate_if(true, *other);
          }
          if (j == i) {
            if (!(std::real(sum) > 0) && zero < 0) zero = static_cast<int>(i);
            *to = T(std::sqrt(std::real(sum)));
          } else if (const T* const pivot = element(j, j)) {
            *to = sum / *pivot;
          }
        }
      } else {
        for (const auto& [k, factor] : rows[static_cast<std::size_t>(i)]) {
          if (k >= i) break;
          const T* const pivot = element(k, k);
          if (pivot == nullptr || *pivot == T(0)) continue;
          *factor /= *pivot;
          for (const auto& [j, other] : rows[static_cast<std::size_t>(k)])
            if (j > k)
              if (T* const to = element(i, j)) *to -= *factor * *other;
        }
      }
      const T* const own = element(i, i);
      if ((own == nullptr || *own == T(0)) && zero < 0) zero = static_cast<int>(i);
    }
    *position.at(v) = zero + 1;
  });
}
template <class T>
status analyse_rows(routine& r, index_t m, index_t count, const matrix_description* d, const T* values,
                    const int* offsets, const int* columns, const pivot_info* info) {
  if (d == nullptr || info == nullptr || m < 0 || count < 0) return invalid_value;
  return analyse<T>(r, rows_matrix(*d, m, m, count, values, offsets, columns), *info);
}

}  // namespace bankwise::math
