// Compares cuSPARSE's functions that take descriptors with the same operations on full matrices.
#include "math/sparse/cusparse_support.hpp"

namespace {

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

// Multiplies the sparse matrices again with new values. The positions of the result's elements are not computed again.
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
        const matrix<T> b = op(part_of(a, part, unit == 1), o) * x;
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
    // Converts the matrix back. The number of elements in the descriptor is not set yet.
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
  // An element whose column is outside of the matrix is ignored.
  const on_device<int> offsets({0, 2}), columns({0, 5});
  const on_device<float> values({2, 3});
  sparse_matrix* m = nullptr;
  ASSERT_EQ(cusparseCreateCsr(&m, 1, 2, 2, offsets, columns, values, index_32, index_32, 0, f32), 0);
  const vector_of<float> x({1, 1}), y({0});
  const float one = 1, zero = 0;
  EXPECT_EQ(cusparseSpMV(h, 0, &one, m, x.descriptor, &zero, y.descriptor, f32, 0, nullptr), 0);
  EXPECT_EQ(y.values.read(), std::vector<float>{2});
  // Row offsets may begin before the first element, end after the last element, or overlap. The elements inside the
  // matrix are used.
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
  EXPECT_NE(said.find("a matrix of 1 x 2 with 2 elements has indices outside the matrix"), std::string::npos);
  EXPECT_EQ(cusparseDestroySpMat(m), 0);
  EXPECT_EQ(cusparseDestroy(h), 0);
}

}  // namespace
