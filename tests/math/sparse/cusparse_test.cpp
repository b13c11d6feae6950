// cuSPARSE's functions against the same with whole matrices, written out.
#include <functional>

#include "math/common/device_memory.hpp"
#include "math/common/routine.hpp"

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

// A matrix of the host, in rows, many of its elements 0.
template <class T>
struct matrix {
  int rows = 0, columns = 0;
  std::vector<T> values;
  matrix(int m, int n) : rows(m), columns(n), values(static_cast<std::size_t>(m * n)) {}
  T& operator()(int i, int j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  T operator()(int i, int j) const { return values[static_cast<std::size_t>(i * columns + j)]; }
  bool operator==(const matrix&) const = default;
};
template <class T>
matrix<T> numbers(int m, int n) {
  matrix<T> a(m, n);
  a.values = small_numbers<T>(a.values.size());
  return a;
}
// Every third element or so, and one row with none.
template <class T>
matrix<T> thinned(int m, int n) {
  matrix<T> a = numbers<T>(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      if ((i * 7 + j * 5) % 3 != 0 || i == 2) a(i, j) = T(0);
  return a;
}
template <class T>
matrix<T> op(const matrix<T>& a, int o) {
  if (o == as_it_is) return a;
  matrix<T> t(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) t(j, i) = conjugate_if(o == adjoint, a(i, j));
  return t;
}
template <class T>
matrix<T> operator*(const matrix<T>& a, const matrix<T>& b) {
  matrix<T> c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
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

// The three arrays of a matrix, on the device, and its descriptor.
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
// A whole matrix of the device.
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

template <class T>
class Cusparse : public testing::Test {
 public:
  void SetUp() override { ASSERT_EQ(cusparseCreate(&h), 0); }
  void TearDown() override { cusparseDestroy(h); }
  handle* h = nullptr;
  static constexpr std::size_t bytes = 1 << 22;
  on_device<char> buffer{std::vector<char>(bytes)};
  const int type = type_of(T());
  // Real numbers have no conjugate.
  bool can(int o) const { return o != adjoint || is_complex(type); }
};
using all_types = testing::Types<float, double, cfloat, cdouble>;
TYPED_TEST_SUITE(Cusparse, all_types);

TYPED_TEST(Cusparse, MultipliesMatricesAndVectors) {
  using T = TypeParam;
  const T alpha(2), beta(3);
  for (const int format : {csr, csc, coo})
    for (const int base : {0, 1})
      for (const int o : {as_it_is, transposed, adjoint}) {
        const matrix<T> a = thinned<T>(6, 9), b = numbers<T>(o == as_it_is ? 9 : 6, 4),
                        c = numbers<T>(o == as_it_is ? 6 : 9, 4);
        const matrix<T> expected = sum(alpha, op(a, o) * b, beta, c);
        const stored<T, int> on(a, format, base);
        for (const int order : {by_columns, by_rows}) {
          const whole<T> x(b, order), y(c, order);
          ASSERT_EQ(cusparseSpMM(this->h, o, as_it_is, &alpha, on.descriptor, x.descriptor, &beta, y.descriptor,
                                 this->type, 0, this->buffer),
                    this->can(o) ? 0 : sparse_invalid_value);
          EXPECT_EQ(y.read(), this->can(o) ? expected : c);
        }
        const vector_of<T> x(column(b, 0));
        const vector_of<T> y(std::vector<T>(static_cast<std::size_t>(c.rows), T(1)));
        ASSERT_EQ(cusparseSpMV(this->h, o, &alpha, on.descriptor, x.descriptor, &beta, y.descriptor, this->type, 0,
                               this->buffer),
                  this->can(o) ? 0 : sparse_invalid_value);
        if (!this->can(o)) continue;
        const auto got = y.values.read();
        const matrix<T> product = op(a, o) * b;
        for (int i = 0; i < c.rows; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], alpha * product(i, 0) + beta);
      }
}
TYPED_TEST(Cusparse, TakesLongIndicesAndScalarsOfTheDevice) {
  using T = TypeParam;
  const matrix<T> a = thinned<T>(6, 9), b = numbers<T>(4, 9), c = numbers<T>(6, 4);
  const stored<T, std::int64_t> on(a, csr, 0);
  const whole<T> x(b, by_rows), y(c, by_columns);
  const on_device<T> scalars({T(2), T(-1)});
  ASSERT_EQ(cusparseSetPointerMode(this->h, pointers_on_device), 0);
  ASSERT_EQ(cusparseSpMM(this->h, as_it_is, transposed, scalars, on.descriptor, x.descriptor, scalars + 1, y.descriptor,
                         this->type, 0, this->buffer),
            0);
  EXPECT_EQ(y.read(), sum(T(2), a * op(b, transposed), T(-1), c));
}

TYPED_TEST(Cusparse, SamplesAProduct) {
  using T = TypeParam;
  const matrix<T> pattern = thinned<T>(6, 9), a = numbers<T>(6, 5), b = numbers<T>(5, 9);
  const T alpha(2), beta(1);
  const matrix<T> product = a * b;
  const stored<T, int> on(pattern, csr, 0);
  const whole<T> x(a, by_rows), y(b, by_rows);
  ASSERT_EQ(cusparseSDDMM(this->h, as_it_is, as_it_is, &alpha, x.descriptor, y.descriptor, &beta, on.descriptor,
                          this->type, 0, this->buffer),
            0);
  std::vector<T> expected;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 9; ++j)
      if (pattern(i, j) != T(0)) expected.push_back(alpha * product(i, j) + beta * pattern(i, j));
  EXPECT_EQ(on.on_values->read(), expected);
}

TYPED_TEST(Cusparse, MultipliesSparseMatrices) {
  using T = TypeParam;
  const matrix<T> a = thinned<T>(6, 9), b = thinned<T>(9, 7);
  const stored<T, int> x(a, csr, 0), y(b, csr, 0);
  const on_device<int> offsets(std::vector<int>(7));
  sparse_matrix* c = nullptr;
  ASSERT_EQ(cusparseCreateCsr(&c, 6, 7, 0, offsets, nullptr, nullptr, index_32, index_32, 0, this->type), 0);
  product_description* d = nullptr;
  ASSERT_EQ(cusparseSpGEMM_createDescr(&d), 0);
  const T alpha(2), beta(0);
  std::size_t first = 0, second = 0;
  const auto estimate = [&](void* with) {
    return cusparseSpGEMM_workEstimation(this->h, 0, 0, &alpha, x.descriptor, y.descriptor, &beta, c, this->type, 0, d,
                                         &first, with);
  };
  const auto compute = [&](void* with) {
    return cusparseSpGEMM_compute(this->h, 0, 0, &alpha, x.descriptor, y.descriptor, &beta, c, this->type, 0, d,
                                  &second, with);
  };
  ASSERT_EQ(estimate(nullptr), 0);
  const on_device<char> one(std::vector<char>(first + 1));
  ASSERT_EQ(estimate(one), 0);
  ASSERT_EQ(compute(nullptr), 0);
  const on_device<char> two(std::vector<char>(second + 1));
  ASSERT_EQ(compute(two), 0);
  std::int64_t rows = 0, columns = 0, count = 0;
  ASSERT_EQ(cusparseSpMatGetSize(c, &rows, &columns, &count), 0);
  EXPECT_EQ(rows, 6);
  EXPECT_EQ(columns, 7);
  ASSERT_GT(count, 0);
  const on_device<int> indices(std::vector<int>(static_cast<std::size_t>(count)));
  const on_device<T> values(std::vector<T>(static_cast<std::size_t>(count), T(0)));
  ASSERT_EQ(cusparseCsrSetPointers(c, offsets, indices, values), 0);
  ASSERT_EQ(cusparseSpGEMM_copy(this->h, 0, 0, &alpha, x.descriptor, y.descriptor, &beta, c, this->type, 0, d), 0);
  const auto begins = offsets.read(), at = indices.read();
  const auto got = values.read();
  matrix<T> product(6, 7);
  for (int i = 0; i < 6; ++i)
    for (int k = begins[static_cast<std::size_t>(i)]; k < begins[static_cast<std::size_t>(i + 1)]; ++k)
      product(i, at[static_cast<std::size_t>(k)]) = got[static_cast<std::size_t>(k)];
  EXPECT_EQ(product, sum(alpha, a * b, T(0), matrix<T>(6, 7)));
  std::int64_t multiplications = 0, expected = 0;
  ASSERT_EQ(cusparseSpGEMM_getNumProducts(d, &multiplications), 0);
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 9; ++k)
      for (int j = 0; j < 7; ++j) expected += a(i, k) != T(0) && b(k, j) != T(0) ? 1 : 0;
  EXPECT_EQ(multiplications, expected);
  EXPECT_EQ(cusparseSpGEMM_destroyDescr(d), 0);
  EXPECT_EQ(cusparseDestroySpMat(c), 0);
}

// The same with its columns found once, and values as often as they change.
TYPED_TEST(Cusparse, MultipliesSparseMatricesAgain) {
  using T = TypeParam;
  const matrix<T> a = thinned<T>(6, 9), b = thinned<T>(9, 7);
  const stored<T, int> x(a, csr, 0), y(b, csr, 0);
  const on_device<int> offsets(std::vector<int>(7));
  sparse_matrix* c = nullptr;
  ASSERT_EQ(cusparseCreateCsr(&c, 6, 7, 0, offsets, nullptr, nullptr, index_32, index_32, 0, this->type), 0);
  product_description* d = nullptr;
  ASSERT_EQ(cusparseSpGEMM_createDescr(&d), 0);
  std::size_t sizes[5] = {};
  const auto estimate = [&](void* with) {
    return cusparseSpGEMMreuse_workEstimation(this->h, 0, 0, x.descriptor, y.descriptor, c, 0, d, &sizes[0], with);
  };
  ASSERT_EQ(estimate(nullptr), 0);
  const on_device<char> first(std::vector<char>(sizes[0] + 1));
  ASSERT_EQ(estimate(first), 0);
  const auto find = [&](void* one, void* other, void* third) {
    return cusparseSpGEMMreuse_nnz(this->h, 0, 0, x.descriptor, y.descriptor, c, 0, d, &sizes[1], one, &sizes[2], other,
                                   &sizes[3], third);
  };
  ASSERT_EQ(find(nullptr, nullptr, nullptr), 0);
  const on_device<char> second(std::vector<char>(sizes[1] + 1)), third(std::vector<char>(sizes[2] + 1)),
      fourth(std::vector<char>(sizes[3] + 1));
  ASSERT_EQ(find(second, third, fourth), 0);
  std::int64_t rows = 0, columns = 0, count = 0;
  ASSERT_EQ(cusparseSpMatGetSize(c, &rows, &columns, &count), 0);
  ASSERT_GT(count, 0);
  const on_device<int> indices(std::vector<int>(static_cast<std::size_t>(count)));
  const on_device<T> values(std::vector<T>(static_cast<std::size_t>(count), T(0)));
  ASSERT_EQ(cusparseCsrSetPointers(c, offsets, indices, values), 0);
  const auto copy = [&](void* with) {
    return cusparseSpGEMMreuse_copy(this->h, 0, 0, x.descriptor, y.descriptor, c, 0, d, &sizes[4], with);
  };
  ASSERT_EQ(copy(nullptr), 0);
  const on_device<char> fifth(std::vector<char>(sizes[4] + 1));
  ASSERT_EQ(copy(fifth), 0);
  for (const T alpha : {T(2), T(-1)}) {
    const T beta(0);
    ASSERT_EQ(
        cusparseSpGEMMreuse_compute(this->h, 0, 0, &alpha, x.descriptor, y.descriptor, &beta, c, this->type, 0, d), 0);
    const auto begins = offsets.read(), at = indices.read();
    const auto got = values.read();
    matrix<T> product(6, 7);
    for (int i = 0; i < 6; ++i)
      for (int k = begins[static_cast<std::size_t>(i)]; k < begins[static_cast<std::size_t>(i + 1)]; ++k)
        product(i, at[static_cast<std::size_t>(k)]) = got[static_cast<std::size_t>(k)];
    EXPECT_EQ(product, sum(alpha, a * b, T(0), matrix<T>(6, 7)));
  }
  EXPECT_EQ(cusparseSpGEMM_destroyDescr(d), 0);
  EXPECT_EQ(cusparseDestroySpMat(c), 0);
}

// A triangle with powers of two on its diagonal, in a matrix that has more.
template <class T>
matrix<T> with_diagonal(int n) {
  matrix<T> a = thinned<T>(n, n);
  for (int i = 0; i < n; ++i) a(i, i) = T(static_cast<real<T>>(i % 2 == 0 ? 2 : -4));
  return a;
}
template <class T>
matrix<T> triangle_in(const matrix<T>& a, int part, bool unit) {
  matrix<T> t(a.rows, a.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j)
      if (i == j || (i > j) == (part == lower)) t(i, j) = i == j && unit ? T(1) : a(i, j);
  return t;
}
TYPED_TEST(Cusparse, SolvesTriangles) {
  using T = TypeParam;
  constexpr int n = 7;
  const matrix<T> a = with_diagonal<T>(n), x = numbers<T>(n, 3);
  const T alpha(2);
  for (const int part : {lower, upper})
    for (const int unit : {0, 1})
      for (const int o : {as_it_is, transposed, adjoint}) {
        const stored<T, int> on(a, csr, 0);
        ASSERT_EQ(cusparseSpMatSetAttribute(on.descriptor, fill_attribute, &part, sizeof part), 0);
        ASSERT_EQ(cusparseSpMatSetAttribute(on.descriptor, diagonal_attribute, &unit, sizeof unit), 0);
        const matrix<T> b = op(triangle_in(a, part, unit == 1), o) * x;
        const whole<T> sides(b, by_columns), to(matrix<T>(n, 3), by_columns);
        solver_description* d = nullptr;
        ASSERT_EQ(cusparseSpSM_createDescr(&d), 0);
        if (!this->can(o)) {
          EXPECT_EQ(cusparseSpSM_solve(this->h, o, as_it_is, &alpha, on.descriptor, sides.descriptor, to.descriptor,
                                       this->type, 0, d),
                    sparse_invalid_value);
          EXPECT_EQ(cusparseSpSM_destroyDescr(d), 0);
          continue;
        }
        std::size_t size = 0;
        ASSERT_EQ(cusparseSpSM_bufferSize(this->h, o, as_it_is, &alpha, on.descriptor, sides.descriptor, to.descriptor,
                                          this->type, 0, d, &size),
                  0);
        ASSERT_LE(size, this->bytes);
        ASSERT_EQ(cusparseSpSM_analysis(this->h, o, as_it_is, &alpha, on.descriptor, sides.descriptor, to.descriptor,
                                        this->type, 0, d, this->buffer),
                  0);
        ASSERT_EQ(cusparseSpSM_solve(this->h, o, as_it_is, &alpha, on.descriptor, sides.descriptor, to.descriptor,
                                     this->type, 0, d),
                  0);
        EXPECT_EQ(to.read(), sum(alpha, x, T(0), x));
        EXPECT_EQ(cusparseSpSM_destroyDescr(d), 0);
        const vector_of<T> side(column(b, 0)), result(std::vector<T>(n, T(0)));
        ASSERT_EQ(cusparseSpSV_createDescr(&d), 0);
        ASSERT_EQ(cusparseSpSV_analysis(this->h, o, &alpha, on.descriptor, side.descriptor, result.descriptor,
                                        this->type, 0, d, this->buffer),
                  0);
        ASSERT_EQ(
            cusparseSpSV_solve(this->h, o, &alpha, on.descriptor, side.descriptor, result.descriptor, this->type, 0, d),
            0);
        const auto got = result.values.read();
        for (int i = 0; i < n; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], alpha * x(i, 0));
        EXPECT_EQ(cusparseSpSV_destroyDescr(d), 0);
      }
}

TYPED_TEST(Cusparse, ConvertsToWholeMatricesAndBack) {
  using T = TypeParam;
  const matrix<T> a = thinned<T>(6, 9);
  for (const int format : {csr, csc, coo}) {
    const stored<T, int> on(a, format, 0);
    const whole<T> to(numbers<T>(6, 9), by_columns);
    ASSERT_EQ(cusparseSparseToDense(this->h, on.descriptor, to.descriptor, 0, this->buffer), 0);
    EXPECT_EQ(to.read(), a);
    // Back, into a descriptor that does not know yet how many there are.
    const on_device<int> offsets(std::vector<int>(on.offsets.size())), indices(std::vector<int>(on.indices.size()));
    const on_device<T> values(std::vector<T>(on.values.size(), T(0)));
    sparse_matrix* back = nullptr;
    if (format == csr)
      cusparseCreateCsr(&back, 6, 9, 0, offsets, nullptr, nullptr, index_32, index_32, 0, this->type);
    else if (format == csc)
      cusparseCreateCsc(&back, 6, 9, 0, offsets, nullptr, nullptr, index_32, index_32, 0, this->type);
    else
      cusparseCreateCoo(&back, 6, 9, 0, nullptr, nullptr, nullptr, index_32, 0, this->type);
    ASSERT_EQ(cusparseDenseToSparse_analysis(this->h, to.descriptor, back, 0, this->buffer), 0);
    std::int64_t rows = 0, columns = 0, count = 0;
    ASSERT_EQ(cusparseSpMatGetSize(back, &rows, &columns, &count), 0);
    ASSERT_EQ(count, on.count());
    ASSERT_EQ(format == csr   ? cusparseCsrSetPointers(back, offsets, indices, values)
              : format == csc ? cusparseCscSetPointers(back, offsets, indices, values)
                              : cusparseCooSetPointers(back, offsets, indices, values),
              0);
    ASSERT_EQ(cusparseDenseToSparse_convert(this->h, to.descriptor, back, 0, this->buffer), 0);
    EXPECT_EQ(offsets.read(), on.offsets);
    EXPECT_EQ(indices.read(), on.indices);
    EXPECT_EQ(values.read(), on.values);
    cusparseDestroySpMat(back);
  }
}

TYPED_TEST(Cusparse, HasVectors) {
  using T = TypeParam;
  const std::vector<T> y = small_numbers<T>(8), x = small_numbers<T>(3);
  const std::vector<int> at = {1, 4, 6};
  const on_device<int> indices(at);
  const on_device<T> values(x);
  const vector_of<T> dense(y);
  sparse_vector* v = nullptr;
  ASSERT_EQ(cusparseCreateSpVec(&v, 8, 3, indices, values, index_32, 0, this->type), 0);
  T dot{}, expected{};
  ASSERT_EQ(cusparseSpVV(this->h, as_it_is, v, dense.descriptor, &dot, this->type, this->buffer), 0);
  for (std::size_t i = 0; i < 3; ++i) expected += x[i] * y[static_cast<std::size_t>(at[i])];
  EXPECT_EQ(dot, expected);
  const T alpha(3), beta(2);
  ASSERT_EQ(cusparseAxpby(this->h, &alpha, v, &beta, dense.descriptor), 0);
  std::vector<T> next = y;
  for (T& e : next) e *= beta;
  for (std::size_t i = 0; i < 3; ++i) next[static_cast<std::size_t>(at[i])] += alpha * x[i];
  EXPECT_EQ(dense.values.read(), next);
  ASSERT_EQ(cusparseGather(this->h, dense.descriptor, v), 0);
  EXPECT_EQ(values.read(), (std::vector<T>{next[1], next[4], next[6]}));
  const vector_of<T> other(std::vector<T>(8, T(7)));
  ASSERT_EQ(cusparseScatter(this->h, v, other.descriptor), 0);
  EXPECT_EQ(other.values.read(), (std::vector<T>{T(7), next[1], T(7), T(7), next[4], T(7), next[6], T(7)}));
  EXPECT_EQ(cusparseDestroySpVec(v), 0);
}

// The functions with a letter for the type.
template <class T>
struct api;
#define API(S, T)                                                             \
  template <>                                                                 \
  struct api<T> {                                                             \
    static constexpr auto bsrmm = cusparse##S##bsrmm;                         \
    static constexpr auto bsrmv = cusparse##S##bsrmv;                         \
    static constexpr auto bsrsm2_analysis = cusparse##S##bsrsm2_analysis;     \
    static constexpr auto bsrsm2_size = cusparse##S##bsrsm2_bufferSize;       \
    static constexpr auto bsrsm2_solve = cusparse##S##bsrsm2_solve;           \
    static constexpr auto csrgeam2 = cusparse##S##csrgeam2;                   \
    static constexpr auto nnz_compress = cusparse##S##nnz_compress;           \
    static constexpr auto compress = cusparse##S##csr2csr_compress;           \
    static constexpr auto gtsv2 = cusparse##S##gtsv2;                         \
    static constexpr auto gtsv2_batch = cusparse##S##gtsv2StridedBatch;       \
    static constexpr auto csrilu02 = cusparse##S##csrilu02;                   \
    static constexpr auto csrilu02_analysis = cusparse##S##csrilu02_analysis; \
    static constexpr auto csric02 = cusparse##S##csric02;                     \
    static constexpr auto csric02_analysis = cusparse##S##csric02_analysis;   \
  };
API(S, float)
API(D, double)
API(C, cfloat)
API(Z, cdouble)

struct described {
  matrix_description* d = nullptr;
  explicit described(int part = lower, int unit = 0) {
    cusparseCreateMatDescr(&d);
    cusparseSetMatFillMode(d, part);
    cusparseSetMatDiagType(d, unit);
  }
  ~described() { cusparseDestroyMatDescr(d); }
};

TYPED_TEST(Cusparse, MultipliesAndSolvesBlocks) {
  using T = TypeParam;
  constexpr int block = 2, m = 3;
  // Blocks (0, 0), (1, 1), (2, 0), (2, 2), in rows or in columns.
  const std::vector<int> offsets = {0, 1, 2, 4}, columns = {0, 1, 0, 2};
  matrix<T> a(m * block, m * block);
  const std::vector<std::pair<int, int>> blocks = {{0, 0}, {1, 1}, {2, 0}, {2, 2}};
  for (const auto& [i, j] : blocks)
    for (int y = 0; y < block; ++y)
      for (int x = 0; x < block; ++x)
        a(i * block + y, j * block + x) = i == j && x == y ? T(2) : T(static_cast<real<T>>(1 + i + x - y));
  const matrix<T> b = numbers<T>(m * block, 3), c = numbers<T>(m * block, 3);
  const on_device<int> on_offsets(offsets), on_columns(columns);
  const T alpha(2), beta(-1), one(1);
  for (const int direction : {direction_row, direction_column}) {
    std::vector<T> values;
    for (const auto& [i, j] : blocks)
      for (int p = 0; p < block; ++p)
        for (int q = 0; q < block; ++q)
          values.push_back(direction == direction_row ? a(i * block + p, j * block + q)
                                                      : a(i * block + q, j * block + p));
    const on_device<T> on(values);
    const whole<T> x(b, by_columns), y(c, by_columns), turned(op(b, transposed), by_columns), z(c, by_columns);
    const described general;
    ASSERT_EQ(api<T>::bsrmm(this->h, direction, as_it_is, as_it_is, m, 3, m, 4, &alpha, general.d, on, on_offsets,
                            on_columns, block, x.values, m * block, &beta, y.values, m * block),
              0);
    EXPECT_EQ(y.read(), sum(alpha, a * b, beta, c));
    ASSERT_EQ(api<T>::bsrmm(this->h, direction, as_it_is, transposed, m, 3, m, 4, &alpha, general.d, on, on_offsets,
                            on_columns, block, turned.values, 3, &beta, z.values, m * block),
              0);
    EXPECT_EQ(z.read(), sum(alpha, a * b, beta, c));
    const on_device<T> v(std::vector<T>(m * block, T(1)));
    ASSERT_EQ(api<T>::bsrmv(this->h, direction, as_it_is, m, m, 4, &one, general.d, on, on_offsets, on_columns, block,
                            x.values, &beta, v),
              0);
    const matrix<T> product = a * b;
    const auto got = v.read();
    for (int i = 0; i < m * block; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], product(i, 0) - T(1));
    for (const int o : {as_it_is, transposed}) {
      const described triangle(lower);
      const whole<T> sides(op(triangle_in(a, lower, false), o) * b, by_columns),
          to(matrix<T>(m * block, 3), by_columns);
      pivot_info* info = nullptr;
      ASSERT_EQ(cusparseCreateBsrsm2Info(&info), 0);
      int size = 0;
      ASSERT_EQ(api<T>::bsrsm2_size(this->h, direction, o, as_it_is, m, 3, 4, triangle.d, on, on_offsets, on_columns,
                                    block, info, &size),
                0);
      ASSERT_EQ(api<T>::bsrsm2_analysis(this->h, direction, o, as_it_is, m, 3, 4, triangle.d, on, on_offsets,
                                        on_columns, block, info, 0, this->buffer),
                0);
      int position = 0;
      EXPECT_EQ(cusparseXbsrsm2_zeroPivot(this->h, info, &position), 0);
      EXPECT_EQ(position, -1);
      ASSERT_EQ(
          api<T>::bsrsm2_solve(this->h, direction, o, as_it_is, m, 3, 4, &one, triangle.d, on, on_offsets, on_columns,
                               block, info, sides.values, m * block, to.values, m * block, 0, this->buffer),
          0);
      EXPECT_EQ(to.read(), b);
      EXPECT_EQ(cusparseDestroyBsrsm2Info(info), 0);
    }
  }
}

TYPED_TEST(Cusparse, AddsAndThinsRows) {
  using T = TypeParam;
  const matrix<T> a = thinned<T>(5, 8);
  matrix<T> b = thinned<T>(5, 8);
  b(2, 3) = T(1);
  const stored<T, int> x(a, csr, 0), y(b, csr, 0);
  const described d;
  const on_device<int> offsets(std::vector<int>(6));
  int total = 0;
  ASSERT_EQ(cusparseXcsrgeam2Nnz(this->h, 5, 8, d.d, x.count(), *x.on_offsets, *x.on_indices, d.d, y.count(),
                                 *y.on_offsets, *y.on_indices, d.d, offsets, &total, this->buffer),
            0);
  ASSERT_GT(total, 0);
  const on_device<int> indices(std::vector<int>(static_cast<std::size_t>(total)));
  const on_device<T> values(std::vector<T>(static_cast<std::size_t>(total), T(0)));
  const T alpha(2), beta(-3);
  ASSERT_EQ(api<T>::csrgeam2(this->h, 5, 8, &alpha, d.d, x.count(), *x.on_values, *x.on_offsets, *x.on_indices, &beta,
                             d.d, y.count(), *y.on_values, *y.on_offsets, *y.on_indices, d.d, values, offsets, indices,
                             this->buffer),
            0);
  const auto begins = offsets.read(), at = indices.read();
  const auto got = values.read();
  EXPECT_EQ(begins[5], total);
  matrix<T> added(5, 8);
  for (int i = 0; i < 5; ++i)
    for (int k = begins[static_cast<std::size_t>(i)]; k < begins[static_cast<std::size_t>(i + 1)]; ++k)
      added(i, at[static_cast<std::size_t>(k)]) += got[static_cast<std::size_t>(k)];
  EXPECT_EQ(added, sum(alpha, a, beta, b));
  // Values of the sum larger than 1.5.
  const on_device<int> each(std::vector<int>(5)), kept_offsets(std::vector<int>(6));
  int kept = -1;
  const T least(static_cast<real<T>>(1.5));
  ASSERT_EQ(api<T>::nnz_compress(this->h, 5, d.d, values, offsets, each, &kept, least), 0);
  std::vector<T> larger;
  for (const T& e : got)
    if (std::abs(e) > 1.5) larger.push_back(e);
  EXPECT_EQ(kept, static_cast<int>(larger.size()));
  const on_device<int> kept_indices(std::vector<int>(static_cast<std::size_t>(kept)));
  const on_device<T> kept_values(std::vector<T>(static_cast<std::size_t>(kept), T(0)));
  ASSERT_EQ(api<T>::compress(this->h, 5, 8, d.d, values, indices, offsets, total, each, kept_values, kept_indices,
                             kept_offsets, least),
            0);
  EXPECT_EQ(kept_offsets.read()[5], kept);
  EXPECT_EQ(kept_values.read(), larger);  // as documented; NVIDIA's own leaves out negative real numbers
}

TYPED_TEST(Cusparse, TurnsRowsIntoColumnsAndSorts) {
  using T = TypeParam;
  const matrix<T> a = thinned<T>(6, 9);
  const stored<T, int> rows(a, csr, 0), columns(a, csc, 0), both(a, coo, 0);
  const int count = rows.count();
  const on_device<int> offsets(std::vector<int>(10)), indices(std::vector<int>(rows.indices.size()));
  const on_device<T> values(std::vector<T>(rows.values.size(), T(0)));
  ASSERT_EQ(cusparseCsr2cscEx2(this->h, 6, 9, count, *rows.on_values, *rows.on_offsets, *rows.on_indices, values,
                               offsets, indices, this->type, 1, 0, 1, this->buffer),
            0);
  EXPECT_EQ(offsets.read(), columns.offsets);
  EXPECT_EQ(indices.read(), columns.indices);
  EXPECT_EQ(values.read(), columns.values);
  const on_device<int> again(std::vector<int>(7)), each(std::vector<int>(rows.indices.size()));
  ASSERT_EQ(cusparseXcoo2csr(this->h, *both.on_offsets, count, 6, again, 0), 0);
  EXPECT_EQ(again.read(), rows.offsets);
  ASSERT_EQ(cusparseXcsr2coo(this->h, again, count, 6, each, 0), 0);
  EXPECT_EQ(each.read(), both.offsets);
  // By columns, with where each element was.
  const on_device<int> y(both.offsets), x(both.indices), order(std::vector<int>(rows.indices.size()));
  ASSERT_EQ(cusparseCreateIdentityPermutation(this->h, count, order), 0);
  ASSERT_EQ(cusparseXcoosortByColumn(this->h, 6, 9, count, y, x, order, this->buffer), 0);
  EXPECT_EQ(y.read(), columns.indices);
  const auto where = order.read();
  for (std::size_t i = 0; i < where.size(); ++i)
    EXPECT_EQ(rows.values[static_cast<std::size_t>(where[i])], columns.values[i]);
  const described d;
  std::vector<int> backwards = rows.indices;
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i)
    std::reverse(backwards.begin() + rows.offsets[i], backwards.begin() + rows.offsets[i + 1]);
  const on_device<int> unsorted(backwards);
  ASSERT_EQ(cusparseXcsrsort(this->h, 6, 9, count, d.d, *rows.on_offsets, unsorted, order, this->buffer), 0);
  EXPECT_EQ(unsorted.read(), rows.indices);
}

TYPED_TEST(Cusparse, SolvesThreeDiagonals) {
  using T = TypeParam;
  constexpr int m = 9;
  const std::vector<T> below = small_numbers<T>(m), above = small_numbers<T>(m);
  std::vector<T> on(m, T(7)), one_below = below, one_above = above;
  one_below[0] = one_above[m - 1] = T(0);
  on[3] = T(0.5);  // rows change places here
  matrix<T> a(m, m);
  for (int i = 0; i < m; ++i) {
    a(i, i) = on[static_cast<std::size_t>(i)];
    if (i > 0) a(i, i - 1) = below[static_cast<std::size_t>(i)];
    if (i + 1 < m) a(i, i + 1) = above[static_cast<std::size_t>(i)];
  }
  const matrix<T> x = numbers<T>(m, 3);
  const on_device<T> l(one_below), d(on), u(one_above);
  const whole<T> b(a * x, by_columns);
  ASSERT_EQ(api<T>::gtsv2(this->h, m, 3, l, d, u, b.values, m, this->buffer), 0);
  const matrix<T> got = b.read();
  for (std::size_t i = 0; i < got.values.size(); ++i) EXPECT_NEAR(std::abs(got.values[i] - x.values[i]), 0, 1e-4);
  const on_device<T> side(column(a * x, 0));
  ASSERT_EQ(api<T>::gtsv2_batch(this->h, m, l, d, u, side, 1, m, this->buffer), 0);
  const auto first = side.read();
  for (int i = 0; i < m; ++i) EXPECT_NEAR(std::abs(first[static_cast<std::size_t>(i)] - x(i, 0)), 0, 1e-4);
}

// With all elements there an incomplete factorization is a whole one.
TYPED_TEST(Cusparse, FactorsInPlace) {
  using T = TypeParam;
  constexpr int n = 5;
  const matrix<T> a = numbers<T>(n, n);
  matrix<T> positive = a * op(a, adjoint);
  for (int i = 0; i < n; ++i) positive(i, i) += T(1);
  for (T& e : positive.values) e += T(0.5);  // none is 0
  for (const bool cholesky : {false, true}) {
    const stored<T, int> on(positive, csr, 0);
    ASSERT_EQ(on.count(), n * n);
    const described d;
    pivot_info* info = nullptr;
    int position = 0;
    if (cholesky) {
      ASSERT_EQ(cusparseCreateCsric02Info(&info), 0);
      ASSERT_EQ(api<T>::csric02_analysis(this->h, n, n * n, d.d, *on.on_values, *on.on_offsets, *on.on_indices, info, 0,
                                         this->buffer),
                0);
      ASSERT_EQ(
          api<T>::csric02(this->h, n, n * n, d.d, *on.on_values, *on.on_offsets, *on.on_indices, info, 0, this->buffer),
          0);
      EXPECT_EQ(cusparseXcsric02_zeroPivot(this->h, info, &position), 0);
      cusparseDestroyCsric02Info(info);
    } else {
      ASSERT_EQ(cusparseCreateCsrilu02Info(&info), 0);
      ASSERT_EQ(api<T>::csrilu02_analysis(this->h, n, n * n, d.d, *on.on_values, *on.on_offsets, *on.on_indices, info,
                                          0, this->buffer),
                0);
      ASSERT_EQ(api<T>::csrilu02(this->h, n, n * n, d.d, *on.on_values, *on.on_offsets, *on.on_indices, info, 0,
                                 this->buffer),
                0);
      EXPECT_EQ(cusparseXcsrilu02_zeroPivot(this->h, info, &position), 0);
      cusparseDestroyCsrilu02Info(info);
    }
    EXPECT_EQ(position, -1);
    matrix<T> f(n, n);
    f.values = on.on_values->read();
    const matrix<T> l = triangle_in(f, lower, !cholesky);
    const matrix<T> product = cholesky ? l * op(l, adjoint) : l * triangle_in(f, upper, false);
    for (std::size_t i = 0; i < product.values.size(); ++i)
      EXPECT_NEAR(std::abs(product.values[i] - positive.values[i]), 0, 2e-3);
  }
}

TEST(CusparseHandles, AreMadeAndAnswer) {
  sparse_matrix* m = nullptr;
  EXPECT_EQ(cusparseCreateCsr(&m, -1, 2, 0, nullptr, nullptr, nullptr, index_32, index_32, 0, f32),
            sparse_invalid_value);
  EXPECT_EQ(cusparseCreateCsr(&m, 1, 2, 0, nullptr, nullptr, nullptr, index_32, index_32, 0, f32), 0);
  int format = 0;
  EXPECT_EQ(cusparseSpMatGetFormat(m, &format), 0);
  EXPECT_EQ(format, csr);
  EXPECT_EQ(cusparseDestroySpMat(m), 0);
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  dense_matrix* d = nullptr;
  EXPECT_EQ(cusparseCreateDnMat(&d, huge, huge, huge, nullptr, f32, by_columns), sparse_invalid_value);
  EXPECT_EQ(
      cusparseCreateBsr(&m, 2, 2, huge, huge, huge, nullptr, nullptr, nullptr, index_32, index_32, 0, f32, by_rows),
      sparse_invalid_value);
  EXPECT_EQ(cusparseSetPointerMode(nullptr, pointers_on_host), sparse_not_initialized);
}
TEST(CusparseHandles, SayWhatIsMissingOrWrong) {
  handle* h = nullptr;
  ASSERT_EQ(cusparseCreate(&h), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cusparseSpMMOp(nullptr, nullptr), sparse_not_supported);
  // A column that the matrix does not have is left out.
  const on_device<int> offsets({0, 2}), columns({0, 5});
  const on_device<float> values({2, 3});
  sparse_matrix* m = nullptr;
  ASSERT_EQ(cusparseCreateCsr(&m, 1, 2, 2, offsets, columns, values, index_32, index_32, 0, f32), 0);
  const vector_of<float> x({1, 1}), y({0});
  const float one = 1, zero = 0;
  EXPECT_EQ(cusparseSpMV(h, 0, &one, m, x.descriptor, &zero, y.descriptor, f32, 0, nullptr), 0);
  EXPECT_EQ(y.values.read(), std::vector<float>{2});
  // Rows that begin before the first element, end after the last or overlap: the part inside the matrix remains.
  const on_device<int> wild({-7, 9, 0, 2}), order({0, 1});
  const on_device<int> to_offsets(std::vector<int>(3)), to_rows(std::vector<int>(2));
  const on_device<float> to_values(std::vector<float>(2));
  const described general;
  EXPECT_EQ(cusparseXcsrsort(h, 3, 2, 2, general.d, wild, columns, order, nullptr), 0);
  EXPECT_EQ(cusparseXcsr2coo(h, wild, 2, 3, to_rows, 0), 0);
  EXPECT_EQ(
      cusparseCsr2cscEx2(h, 3, 2, 2, values, wild, columns, to_values, to_offsets, to_rows, f32, 1, 0, 1, nullptr), 0);
  int kept = 0;
  EXPECT_EQ(cusparseSnnz_compress(h, 1, general.d, values, wild, to_rows, &kept, 0), 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cusparseSpMMOp is not in bankwise's cuSPARSE yet"), std::string::npos);
  EXPECT_NE(said.find("a matrix of 1 x 2 with 2 elements has indices outside of it"), std::string::npos);
  EXPECT_EQ(cusparseDestroySpMat(m), 0);
  EXPECT_EQ(cusparseDestroy(h), 0);
}

}  // namespace
