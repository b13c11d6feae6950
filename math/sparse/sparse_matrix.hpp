// Sparse and dense matrices and vectors, as cuSPARSE describes them.
//
//     1 . 2      csr   offsets 0 2 3   columns 0 2 1   values 1 2 3
//     . 3 .      csc   offsets 0 1 2 3 rows 0 1 0      values 1 3 2
//                coo   rows 0 0 1      columns 0 2 1   values 1 2 3
//
// bsr is csr with blocks as elements. Indices have 32 or 64 bits, and begin at 0 or 1.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/format.hpp"
#include "math/common/general_product.hpp"

namespace bankwise::math {

struct sparse_matrix {
  int format = csr;
  // `count` is the number of elements. For bsr, all three numbers are numbers of blocks.
  index_t rows = 0, columns = 0, count = 0;
  // for coo, `offsets` contains the rows and `indices` the columns
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;
  int offsets_type = index_32, indices_type = index_32, base = 0, type = f32;
  index_t block_rows = 1, block_columns = 1;
  bool blocks_by_rows = true;
  int part = lower, unit = 0;
  int batch = 1;
  index_t offsets_stride = 0, indices_stride = 0, values_stride = 0;

  index_t all_rows() const { return rows * block_rows; }
  index_t all_columns() const { return columns * block_columns; }
  index_t stored() const { return count * block_rows * block_columns; }
  index_t offsets_count() const { return format == coo ? count : (format == csc ? columns : rows) + 1; }
};
struct dense_matrix {
  index_t rows = 0, columns = 0, lead = 0;
  void* values = nullptr;
  int type = f32, order = by_columns;
  int batch = 1;
  index_t stride = 0;

  index_t at(index_t i, index_t j) const { return order == by_columns ? j * lead + i : i * lead + j; }
  index_t reach() const {
    return order == by_columns ? elements_of(rows, columns, lead) : elements_of(columns, rows, lead);
  }
};
struct dense_vector {
  index_t size = 0;
  void* values = nullptr;
  int type = f32;
};
struct sparse_vector {
  index_t size = 0, count = 0;
  void *indices = nullptr, *values = nullptr;
  int index_type = index_32, base = 0, type = f32;
};

inline index_t bytes_of_index(int type) { return type == index_64 ? 8 : type == index_32 ? 4 : 2; }
inline index_t index_at(const std::byte* p, int type, index_t i) {
  switch (type) {
    case index_64: return load<std::int64_t>(p + i * 8);
    case index_32: return load<std::int32_t>(p + i * 4);
    default: return load<std::uint16_t>(p + i * 2);
  }
}
inline void put_index(std::byte* p, int type, index_t i, index_t value) {
  switch (type) {
    case index_64: return store(p + i * 8, static_cast<std::int64_t>(value));
    case index_32: return store(p + i * 4, static_cast<std::int32_t>(value));
    default: return store(p + i * 2, static_cast<std::uint16_t>(value));
  }
}

// A stored element: its row, its column, and its index in the array of values.
struct entry {
  index_t row = 0, column = 0, at = 0;
};

// The device addresses of a matrix's arrays, which a call reads or writes.
struct sparse_places {
  sparse_matrix m;
  place<const std::byte> offsets, indices;
  place<std::byte> values;

  const std::byte* value(const view& v, index_t batch) const {
    return values.at(v) + batch * m.values_stride * bytes_of(m.type);
  }
};
enum class touch : std::uint8_t { pattern, reads, writes };  // what a call does with the values of the matrix
inline sparse_places places_of(routine& r, const sparse_matrix& m, touch how) {
  const index_t last = m.batch - 1;
  const index_t offsets = (last * m.offsets_stride + m.offsets_count()) * bytes_of_index(m.offsets_type),
                indices = (last * m.indices_stride + m.count) * bytes_of_index(m.indices_type),
                values = (last * m.values_stride + m.stored()) * bytes_of(m.type);
  sparse_places p{m, {}, {}, {}};
  p.offsets = r.reads_bytes(m.offsets, offsets);
  p.indices = r.reads_bytes(m.indices, m.count == 0 ? 0 : indices);
  if (m.count == 0 || how == touch::pattern) return p;
  if (how == touch::writes) {
    p.values = r.writes_bytes(m.values, values);
  } else {
    const auto read = r.reads_bytes(m.values, values);
    p.values = {read.address, read.bytes, read.of_host};
  }
  return p;
}

// Returns the entries in the order in which they are stored. Ignores elements outside of the matrix, and prints a
// message about them.
inline std::vector<entry> entries_of(const sparse_places& p, const view& v, index_t batch = 0) {
  const sparse_matrix& m = p.m;
  std::vector<entry> all;
  if (m.count == 0) return all;
  all.reserve(static_cast<std::size_t>(m.stored()));
  const std::byte* const offsets = p.offsets.at(v) + batch * m.offsets_stride * bytes_of_index(m.offsets_type);
  const std::byte* const indices = p.indices.at(v) + batch * m.indices_stride * bytes_of_index(m.indices_type);
  index_t outside = 0;
  const auto add = [&](index_t row, index_t column, index_t i) {
    if (row < 0 || row >= m.rows || column < 0 || column >= m.columns) {
      ++outside;
      return;
    }
    const index_t in_block = m.block_rows * m.block_columns;
    for (index_t y = 0; y < m.block_rows; ++y)
      for (index_t x = 0; x < m.block_columns; ++x)
        all.push_back({row * m.block_rows + y, column * m.block_columns + x,
                       i * in_block + (m.blocks_by_rows ? y * m.block_columns + x : x * m.block_rows + y)});
  };
  if (m.format == coo) {
    for (index_t i = 0; i < m.count; ++i)
      add(index_at(offsets, m.offsets_type, i) - m.base, index_at(indices, m.indices_type, i) - m.base, i);
  } else {
    for (index_t line = 0; line + 1 < m.offsets_count(); ++line) {
      const index_t begin = index_at(offsets, m.offsets_type, line) - m.base,
                    end = index_at(offsets, m.offsets_type, line + 1) - m.base;
      if (begin < 0 || end > m.count) {
        ++outside;
        continue;
      }
      for (index_t i = begin; i < end; ++i) {
        const index_t other = index_at(indices, m.indices_type, i) - m.base;
        m.format == csc ? add(other, line, i) : add(line, other, i);
      }
    }
  }
  if (outside != 0)
    cuda::say(
        formatted("cuSPARSE: a matrix of {} x {} with {} elements has indices outside the matrix. bankwise ignores "
                  "these elements",
                  m.rows, m.columns, m.count));
  return all;
}

// Returns elements of any type as numbers to compute with, which are double or complex.
template <class W>
std::vector<W> numbers_of(const std::byte* p, int type, index_t count) {
  std::vector<W> all(static_cast<std::size_t>(count));
  for (index_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = number_of<W>(p + i * bytes_of(type), type);
  return all;
}
template <class W>
W as_number(cdouble x) {
  if constexpr (std::is_same_v<W, cdouble>)
    return x;
  else
    return x.real();
}
// Calls body(W()). W is a type that can represent elements of all these types.
template <class Body>
status in_numbers(std::initializer_list<int> types, Body body) {
  for (const int t : types)
    if (bytes_of(t) == 0) return not_supported;
  return std::any_of(types.begin(), types.end(), [](int t) { return is_complex(t); }) ? body(cdouble())
                                                                                      : body(double());
}

// Exchanges the rows and columns of the entries, unless the operation is as_it_is.
inline void turn(std::vector<entry>& all, int o) {
  if (o != as_it_is)
    for (entry& e : all) std::swap(e.row, e.column);
}

}  // namespace bankwise::math
