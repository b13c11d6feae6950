// Helpers of the tests of cuSPARSE: its functions, full matrices in host memory, and the same matrices in sparse
// storage on the device.
#pragma once

#include "math/common/device_memory.hpp"
#include "math/common/host_matrix.hpp"

using namespace bankwise::math;
template <class T>
using on_device = bankwise::test::on_device<T>;
using bankwise::test::small_numbers;

namespace bankwise::math {
struct sparse_matrix;
struct dense_matrix;
struct dense_vector;
struct sparse_vector;
struct matrix_description;
struct solver_description;
struct product_description;
struct pivot_state;
using pivot_info = std::shared_ptr<pivot_state>;
}  // namespace bankwise::math

extern "C" {
int cusparseCreate(handle**);
int cusparseDestroy(handle*);
int cusparseSetPointerMode(handle*, int);
const char* cusparseGetErrorString(int);
int cusparseSpMMOp(void*, void*);
#define ENTRY(name, parameters, call) int name parameters;
#include "math/sparse/cusparse_descriptors.def"
#include "math/sparse/cusparse_generic.def"
#include "math/sparse/cusparse_legacy.def"
#undef ENTRY
}

namespace {

template <class T>
using matrix = bankwise::test::host_matrix<T, int, true>;
template <class T>
matrix<T> numbers(int m, int n) {
  matrix<T> a(m, n);
  a.values = small_numbers<T>(a.values.size());
  return a;
}
// Returns a matrix in which about a third of the elements are not 0. One row has only zeros.
template <class T>
matrix<T> thinned(int m, int n) {
  matrix<T> a = numbers<T>(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      if ((i * 7 + j * 5) % 3 != 0 || i == 2) a(i, j) = T(0);
  return a;
}
template <class T>
matrix<T> sum(T alpha, const matrix<T>& a, T beta, const matrix<T>& b) {
  matrix<T> c = a;
  for (std::size_t i = 0; i < c.values.size(); ++i) c.values[i] = alpha * a.values[i] + beta * b.values[i];
  return c;
}

template <class T>
std::vector<T> column(const matrix<T>& a, int j) {
  std::vector<T> all;
  for (int i = 0; i < a.rows; ++i) all.push_back(a(i, j));
  return all;
}

template <class I>
constexpr int index_type_of = sizeof(I) == 8 ? index_64 : index_32;

// The three arrays of a sparse matrix on the device, and its descriptor.
template <class T, class I>
struct stored {
  std::vector<I> offsets, indices;
  std::vector<T> values;
  std::unique_ptr<on_device<I>> on_offsets, on_indices;
  std::unique_ptr<on_device<T>> on_values;
  sparse_matrix* descriptor = nullptr;
  stored(const matrix<T>& a, int format, int base) {
    const bool turned = format == csc;
    const matrix<T> b = turned ? op(a, transposed) : a;
    if (format != coo) offsets.push_back(static_cast<I>(base));
    for (int i = 0; i < b.rows; ++i) {
      for (int j = 0; j < b.columns; ++j)
        if (b(i, j) != T(0)) {
          if (format == coo) offsets.push_back(static_cast<I>(i + base));
          indices.push_back(static_cast<I>(j + base));
          values.push_back(b(i, j));
        }
      if (format != coo) offsets.push_back(static_cast<I>(static_cast<int>(indices.size()) + base));
    }
    on_offsets = std::make_unique<on_device<I>>(offsets);
    on_indices = std::make_unique<on_device<I>>(indices);
    on_values = std::make_unique<on_device<T>>(values);
    constexpr int kind = index_type_of<I>;
    const int type = type_of(T());
    switch (format) {
      case csr:
        cusparseCreateCsr(&descriptor, a.rows, a.columns, count(), *on_offsets, *on_indices, *on_values, kind, kind,
                          base, type);
        break;
      case csc:
        cusparseCreateCsc(&descriptor, a.rows, a.columns, count(), *on_offsets, *on_indices, *on_values, kind, kind,
                          base, type);
        break;
      default:
        cusparseCreateCoo(&descriptor, a.rows, a.columns, count(), *on_offsets, *on_indices, *on_values, kind, base,
                          type);
    }
  }
  ~stored() { cusparseDestroySpMat(descriptor); }
  int count() const { return static_cast<int>(values.size()); }
};
// A full matrix on the device.
template <class T>
struct whole {
  on_device<T> values;
  dense_matrix* descriptor = nullptr;
  int rows, columns, order;
  whole(const matrix<T>& a, int o) : values(laid_out(a, o)), rows(a.rows), columns(a.columns), order(o) {
    cusparseCreateDnMat(&descriptor, rows, columns, order == by_rows ? columns : rows, values, type_of(T()), order);
  }
  ~whole() { cusparseDestroyDnMat(descriptor); }
  static std::vector<T> laid_out(const matrix<T>& a, int o) {
    return o == by_rows ? a.values : op(a, transposed).values;
  }
  matrix<T> read() const {
    matrix<T> a(order == by_rows ? rows : columns, order == by_rows ? columns : rows);
    a.values = values.read();
    return order == by_rows ? a : op(a, transposed);
  }
};
template <class T>
struct vector_of {
  on_device<T> values;
  dense_vector* descriptor = nullptr;
  explicit vector_of(const std::vector<T>& v) : values(v) {
    cusparseCreateDnVec(&descriptor, static_cast<index_t>(v.size()), values, type_of(T()));
  }
  ~vector_of() { cusparseDestroyDnVec(descriptor); }
};

struct described {
  matrix_description* d = nullptr;
  explicit described(int part = lower, int unit = 0) {
    cusparseCreateMatDescr(&d);
    cusparseSetMatFillMode(d, part);
    cusparseSetMatDiagType(d, unit);
  }
  ~described() { cusparseDestroyMatDescr(d); }
};

template <class T>
class Cusparse : public testing::Test {
 public:
  void SetUp() override { ASSERT_EQ(cusparseCreate(&h), 0); }
  void TearDown() override { cusparseDestroy(h); }
  handle* h = nullptr;
  static constexpr std::size_t bytes = 1 << 22;
  on_device<char> buffer{std::vector<char>(bytes)};
  const int type = type_of(T());
  // Returns whether the type has this operation. Real numbers have no conjugate.
  bool can(int o) const { return o != adjoint || is_complex(type); }
};
using all_types = testing::Types<float, double, cfloat, cdouble>;

// Returns a square matrix with the values 2 and -4 in turn on its diagonal. Elements above and below the diagonal can
// also differ from 0, so a solver must ignore the triangle that it does not use.
template <class T>
matrix<T> with_diagonal(int n) {
  matrix<T> a = thinned<T>(n, n);
  for (int i = 0; i < n; ++i) a(i, i) = T(static_cast<real<T>>(i % 2 == 0 ? 2 : -4));
  return a;
}

}  // namespace
