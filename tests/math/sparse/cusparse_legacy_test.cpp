// Compares cuSPARSE's old functions with the same operations on full matrices. The names of these functions have a
// letter for the type.
#include "math/sparse/cusparse_support.hpp"

namespace {

TYPED_TEST_SUITE(Cusparse, all_types);

// The functions for one type. Each name contains a letter for the type.
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

TYPED_TEST(Cusparse, MultipliesAndSolvesBlocks) {
  using T = TypeParam;
  constexpr int block = 2, m = 3;
  // Blocks (0, 0), (1, 1), (2, 0) and (2, 2), stored by rows or by columns.
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
      const whole<T> sides(op(part_of(a, lower, false), o) * b, by_columns), to(matrix<T>(m * block, 3), by_columns);
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
  // Keeps the elements of the sum that are larger than 1.5.
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
  EXPECT_EQ(kept_values.read(), larger);  // as documented, although NVIDIA's function also drops negative real numbers
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
  // Sorts by columns, and returns the original index of each element.
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
  on[3] = T(0.5);  // a small pivot, so that the solver swaps rows
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

// If the matrix has no zeros, an incomplete factorization is a complete factorization.
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
    const matrix<T> l = part_of(f, lower, !cholesky);
    const matrix<T> product = cholesky ? l * op(l, adjoint) : l * part_of(f, upper, false);
    for (std::size_t i = 0; i < product.values.size(); ++i)
      EXPECT_NEAR(std::abs(product.values[i] - positive.values[i]), 0, 2e-3);
  }
}

}  // namespace
