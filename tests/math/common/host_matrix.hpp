// A matrix in host memory, stored by rows or by columns, with its products, transposes and triangles.
#pragma once

#include <vector>

#include "math/common/routine.hpp"

namespace bankwise::test {

template <class T, class I, bool in_rows>
struct host_matrix {
  I rows = 0, columns = 0;
  std::vector<T> values;
  host_matrix(I m, I n) : host_matrix(m, n, std::vector<T>(static_cast<std::size_t>(m * n))) {}
  host_matrix(I m, I n, std::vector<T> v) : rows(m), columns(n), values(std::move(v)) {}
  T& operator()(I i, I j) { return values[static_cast<std::size_t>(in_rows ? i * columns + j : j * rows + i)]; }
  T operator()(I i, I j) const { return values[static_cast<std::size_t>(in_rows ? i * columns + j : j * rows + i)]; }
  bool operator==(const host_matrix&) const = default;
};

template <class T, class I, bool in_rows>
host_matrix<T, I, in_rows> operator*(const host_matrix<T, I, in_rows>& a, const host_matrix<T, I, in_rows>& b) {
  host_matrix<T, I, in_rows> c(a.rows, b.columns);
  for (I i = 0; i < a.rows; ++i)
    for (I j = 0; j < b.columns; ++j)
      for (I k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}
// Returns op(a): `a` as it is, transposed, or adjoint.
template <class T, class I, bool in_rows>
host_matrix<T, I, in_rows> op(const host_matrix<T, I, in_rows>& a, int o) {
  if (o == math::as_it_is) return a;
  host_matrix<T, I, in_rows> t(a.columns, a.rows);
  for (I i = 0; i < a.rows; ++i)
    for (I j = 0; j < a.columns; ++j) t(j, i) = math::conjugate_if(o == math::adjoint, a(i, j));
  return t;
}
// Returns a triangle of a matrix. With `unit`, its diagonal contains ones.
template <class T, class I, bool in_rows>
host_matrix<T, I, in_rows> part_of(const host_matrix<T, I, in_rows>& a, int part, bool unit) {
  host_matrix<T, I, in_rows> t(a.rows, a.columns);
  for (I i = 0; i < a.rows; ++i)
    for (I j = 0; j < a.columns; ++j)
      if (i == j || (i > j) == (part == math::lower)) t(i, j) = i == j && unit ? T(1) : a(i, j);
  return t;
}

}  // namespace bankwise::test
