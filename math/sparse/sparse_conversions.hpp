// Conversions of sparse matrices and vectors for cuSPARSE: to and from dense form, between storage by rows and by
// columns, and sorting.
#pragma once

#include <array>

#include "math/blas/any_vectors.hpp"
#include "math/sparse/sparse_products.hpp"

namespace bankwise::math {

inline status to_dense(routine& r, const sparse_matrix& a, const dense_matrix& b) {
  if (a.all_rows() != b.rows || a.all_columns() != b.columns || !is_valid(b) || a.type != b.type) return invalid_value;
  const auto from = places_of(r, a, touch::reads);
  const auto to = places_of(r, b, true);
  return r.perform([=](const view& v) {
    if (b.rows == 0 || b.columns == 0) return;
    const auto bytes = static_cast<std::size_t>(bytes_of(b.type));
    std::byte* const out = to.at(v, 0);
    for (index_t i = 0; i < b.rows; ++i)
      for (index_t j = 0; j < b.columns; ++j) std::memset(out + b.at(i, j) * bytes_of(b.type), 0, bytes);
    for (const entry& e : entries_of(from, v))
      std::memcpy(out + b.at(e.row, e.column) * bytes_of(b.type), from.value(v, 0) + e.at * bytes_of(a.type), bytes);
  });
}

inline bool is_zero(const std::byte* at, int type) { return number_of<cdouble>(at, type) == cdouble(0); }
// Writes the number of elements to host memory, and writes the offsets of rows or columns to the matrix.
inline status count_of_dense(routine& r, const dense_matrix& a, sparse_matrix& b, std::int64_t* counted) {
  if (b.format == bsr) return not_supported;
  if (a.rows != b.rows || a.columns != b.columns || !is_valid(a) || a.type != b.type) return invalid_value;
  const auto from = places_of(r, a, false);
  const bool lines = b.format != coo, by_column = b.format == csc;
  const index_t count = by_column ? b.columns : b.rows, each = by_column ? b.rows : b.columns;
  const auto offsets = r.writes_bytes(b.offsets, lines ? (count + 1) * bytes_of_index(b.offsets_type) : 0);
  const auto result = r.host_result(counted);
  return r.perform([=](const view& v) {
    index_t total = 0;
    if (lines) put_index(offsets.at(v), b.offsets_type, 0, b.base);
    for (index_t i = 0; i < count; ++i) {
      for (index_t j = 0; j < each; ++j) {
        const index_t at = by_column ? a.at(j, i) : a.at(i, j);
        total += is_zero(from.at(v, 0) + at * bytes_of(a.type), a.type) ? 0 : 1;
      }
      if (lines) put_index(offsets.at(v), b.offsets_type, i + 1, total + b.base);
    }
    *result.at(v) = total;
  });
}
inline status from_dense(routine& r, const dense_matrix& a, const sparse_matrix& b) {
  if (b.format == bsr) return not_supported;
  if (a.rows != b.rows || a.columns != b.columns || !is_valid(a) || a.type != b.type) return invalid_value;
  const auto from = places_of(r, a, false);
  const bool lines = b.format != coo, by_column = b.format == csc;
  const index_t count = by_column ? b.columns : b.rows, each = by_column ? b.rows : b.columns;
  const auto offsets = r.writes_bytes(b.offsets, b.offsets_count() * bytes_of_index(b.offsets_type));
  const auto indices = r.writes_bytes(b.indices, b.count * bytes_of_index(b.indices_type)),
             values = r.writes_bytes(b.values, b.count * bytes_of(b.type));
  return r.perform([=](const view& v) {
    index_t total = 0;
    if (lines) put_index(offsets.at(v), b.offsets_type, 0, b.base);
    for (index_t i = 0; i < count; ++i) {
      for (index_t j = 0; j < each && total < b.count; ++j) {
        const std::byte* const at = from.at(v, 0) + (by_column ? a.at(j, i) : a.at(i, j)) * bytes_of(a.type);
        if (is_zero(at, a.type)) continue;
        if (!lines) put_index(offsets.at(v), b.offsets_type, total, i + b.base);
        put_index(indices.at(v), b.indices_type, total, j + b.base);
        std::memcpy(values.at(v) + total * bytes_of(b.type), at, static_cast<std::size_t>(bytes_of(b.type)));
        ++total;
      }
      if (lines) put_index(offsets.at(v), b.offsets_type, i + 1, total + b.base);
    }
  });
}

// --- vectors

struct vector_places {
  place<const std::byte> indices;
  place<std::byte> sparse, dense;
};
inline vector_places places_of(routine& r, const sparse_vector& x, const dense_vector& y, bool writes_x,
                               bool writes_y) {
  if (x.count < 0 || x.size != y.size) r.refuse(invalid_value);
  const auto any = [&](void* p, index_t bytes, bool writes) {
    if (writes) return r.writes_bytes(p, bytes);
    const auto read = r.reads_bytes(p, bytes);
    return place<std::byte>{read.address, read.bytes, read.of_host};
  };
  vector_places p;
  p.indices = r.reads_bytes(x.indices, x.count * bytes_of_index(x.index_type));
  p.sparse = any(x.values, x.count * bytes_of(x.type), writes_x);
  p.dense = any(y.values, y.size * bytes_of(y.type), writes_y);
  return p;
}
// Calls body(element of x, element of y) for each stored element of x. The element of y has the same index.
template <class Body>
void for_pairs(const view& v, const sparse_vector& x, const dense_vector& y, const vector_places& p, Body body) {
  for (index_t i = 0; i < x.count; ++i) {
    const index_t at = index_at(p.indices.at(v), x.index_type, i) - x.base;
    if (at >= 0 && at < y.size) body(p.sparse.at(v) + i * bytes_of(x.type), p.dense.at(v) + at * bytes_of(y.type));
  }
}
inline status add_sparse(routine& r, const void* alpha, const sparse_vector& x, const void* beta,
                         const dense_vector& y) {
  const int computed = bytes_of(x.type) == 2 ? int{f32} : x.type;
  const auto by = parameter_of(r, alpha, computed), plus = parameter_of(r, beta, computed);
  const auto p = places_of(r, x, y, false, true);
  return r.perform([=](const view& v) {
    const cdouble factor = by.at(v), keep = plus.at(v);
    for (index_t i = 0; i < y.size && keep != cdouble(1); ++i) {
      std::byte* const at = p.dense.at(v) + i * bytes_of(y.type);
      put_number(at, y.type, keep == cdouble(0) ? cdouble(0) : keep * number_of<cdouble>(at, y.type));
    }
    for_pairs(v, x, y, p, [&](std::byte* a, std::byte* b) {
      put_number(b, y.type, factor * number_of<cdouble>(a, x.type) + number_of<cdouble>(b, y.type));
    });
  });
}
inline status gather(routine& r, const dense_vector& y, const sparse_vector& x) {
  if (x.type != y.type) return invalid_value;
  const auto p = places_of(r, x, y, true, false);
  return r.perform([=](const view& v) {
    for_pairs(v, x, y, p,
              [&](std::byte* a, std::byte* b) { std::memcpy(a, b, static_cast<std::size_t>(bytes_of(x.type))); });
  });
}
inline status scatter(routine& r, const sparse_vector& x, const dense_vector& y) {
  if (x.type != y.type) return invalid_value;
  const auto p = places_of(r, x, y, false, true);
  return r.perform([=](const view& v) {
    for_pairs(v, x, y, p,
              [&](std::byte* a, std::byte* b) { std::memcpy(b, a, static_cast<std::size_t>(bytes_of(x.type))); });
  });
}
inline status rotate(routine& r, const void* cosine, const void* sine, const sparse_vector& x, const dense_vector& y) {
  const auto c = parameter_of(r, cosine, x.type), s = parameter_of(r, sine, x.type);
  const auto p = places_of(r, x, y, true, true);
  return r.perform([=](const view& v) {
    for_pairs(v, x, y, p, [&](std::byte* a, std::byte* b) {
      const cdouble one = number_of<cdouble>(a, x.type), other = number_of<cdouble>(b, y.type);
      put_number(a, x.type, c.at(v) * one + s.at(v) * other);
      put_number(b, y.type, c.at(v) * other - std::conj(s.at(v)) * one);
    });
  });
}
inline status dot_sparse(routine& r, int o, const sparse_vector& x, const dense_vector& y, void* result, int computed) {
  const auto p = places_of(r, x, y, false, false);
  const auto to = result_of(r, result, computed);
  return r.perform([=](const view& v) {
    cdouble sum = 0;
    for_pairs(v, x, y, p, [&](std::byte* a, std::byte* b) {
      sum += conjugate_if(o == adjoint, number_of<cdouble>(a, x.type)) * number_of<cdouble>(b, y.type);
    });
    put_number(to.at(v), computed, sum);
  });
}

// --- 32-bit indices, for functions without descriptors

inline status rows_to_offsets(routine& r, const int* rows, index_t count, index_t m, int* offsets, int base) {
  if (count < 0 || m < 0) return invalid_value;
  const auto from = r.reads(rows, count);
  const auto to = r.writes(offsets, m + 1);
  return r.perform([=](const view& v) {
    std::vector<int> each(static_cast<std::size_t>(m + 1));
    for (index_t i = 0; i < count; ++i) {
      const index_t row = index_t{from.at(v)[i]} - base;
      if (row >= 0 && row < m) ++each[static_cast<std::size_t>(row + 1)];
    }
    int sum = base;
    for (index_t i = 0; i <= m; ++i) to.at(v)[i] = sum += each[static_cast<std::size_t>(i)];
  });
}
inline status offsets_to_rows(routine& r, const int* offsets, index_t count, index_t m, int* rows, int base) {
  if (count < 0 || m < 0) return invalid_value;
  const auto from = r.reads(offsets, m + 1);
  const auto to = r.writes(rows, count);
  return r.perform([=](const view& v) {
    for (index_t row = 0; row < m; ++row)
      for (index_t i = std::max<index_t>(0, index_t{from.at(v)[row]} - base);
           i < std::min<index_t>(count, index_t{from.at(v)[row + 1]} - base); ++i)
        to.at(v)[i] = static_cast<int>(row) + base;
  });
}
inline status count_up(routine& r, index_t n, int* to) {
  if (n < 0) return invalid_value;
  const auto out = r.writes(to, n);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < n; ++i) out.at(v)[i] = static_cast<int>(i);
  });
}
// Sorts elements by the index `first`, and then by `second`. If `order` is not null, it is permuted in the same way.
inline status sort_elements(routine& r, index_t count, int* first, int* second, int* order) {
  if (count < 0) return invalid_value;
  const auto x = r.writes(first, count), y = r.writes(second, count);
  const auto with = r.writes(order, order == nullptr ? 0 : count);
  return r.perform([=](const view& v) {
    int *const a = x.at(v), *const b = y.at(v), *const p = with.at(v);
    std::vector<std::array<int, 3>> all(static_cast<std::size_t>(count));
    for (index_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = {a[i], b[i], p == nullptr ? 0 : p[i]};
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& l, const auto& m) { return std::pair(l[0], l[1]) < std::pair(m[0], m[1]); });
    for (index_t i = 0; i < count; ++i) {
      a[i] = all[static_cast<std::size_t>(i)][0];
      b[i] = all[static_cast<std::size_t>(i)][1];
      if (p != nullptr) p[i] = all[static_cast<std::size_t>(i)][2];
    }
  });
}
inline status sort_lines(routine& r, index_t lines, index_t count, const int* offsets, int* indices, int* order) {
  if (lines < 0 || count < 0) return invalid_value;
  const auto from = r.reads(offsets, lines + 1);
  const auto x = r.writes(indices, count), with = r.writes(order, order == nullptr ? 0 : count);
  return r.perform([=](const view& v) {
    const int* const begin = from.at(v);
    int *const a = x.at(v), *const p = with.at(v);
    std::vector<std::pair<int, int>> line;
    for (index_t l = 0; l < lines; ++l) {
      const index_t first = std::max<index_t>(0, index_t{begin[l]} - begin[0]),
                    end = std::min<index_t>(index_t{begin[l + 1]} - begin[0], count);
      line.clear();
      for (index_t i = first; i < end; ++i) line.emplace_back(a[i], p == nullptr ? 0 : p[i]);
      std::stable_sort(line.begin(), line.end(), [](const auto& l1, const auto& l2) { return l1.first < l2.first; });
      for (index_t i = first; i < end; ++i) {
        a[i] = line[static_cast<std::size_t>(i - first)].first;
        if (p != nullptr) p[i] = line[static_cast<std::size_t>(i - first)].second;
      }
    }
  });
}
// Converts storage by rows to storage by columns. Values are converted only if the program requests them.
inline status to_columns(routine& r, index_t m, index_t n, index_t count, const void* values, const int* offsets,
                         const int* columns, void* to_values, int* to_offsets, int* to_rows, int type, bool with_values,
                         int base) {
  const index_t bytes = bytes_of(type);
  if (m < 0 || n < 0 || count < 0) return invalid_value;
  if (bytes == 0 && with_values) return not_supported;
  sparse_matrix a;
  a.rows = m;
  a.columns = n;
  a.count = count;
  a.offsets = const_cast<int*>(offsets);
  a.indices = const_cast<int*>(columns);
  a.values = const_cast<void*>(values);
  a.base = base;
  a.type = type;
  const auto from = places_of(r, a, with_values ? touch::reads : touch::pattern);
  const auto starts = r.writes(to_offsets, n + 1), rows = r.writes(to_rows, count);
  const auto out = r.writes_bytes(to_values, with_values ? count * bytes : 0);
  return r.perform([=](const view& v) {
    std::vector<entry> all = entries_of(from, v);
    // If rows overlap, there may be more than `count` elements. Further elements are ignored.
    all.resize(std::min(all.size(), static_cast<std::size_t>(count)));
    std::stable_sort(all.begin(), all.end(), [](const entry& x, const entry& y) { return x.column < y.column; });
    std::vector<int> each(static_cast<std::size_t>(n + 1));
    for (std::size_t i = 0; i < all.size(); ++i) {
      ++each[static_cast<std::size_t>(all[i].column + 1)];
      rows.at(v)[i] = static_cast<int>(all[i].row) + base;
      if (with_values)
        std::memcpy(out.at(v) + static_cast<index_t>(i) * bytes, from.value(v, 0) + all[i].at * bytes,
                    static_cast<std::size_t>(bytes));
    }
    int sum = base;
    for (index_t j = 0; j <= n; ++j) starts.at(v)[j] = sum += each[static_cast<std::size_t>(j)];
  });
}

}  // namespace bankwise::math
