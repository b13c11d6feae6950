// Tests cuSOLVER's eigenvalues and singular values: the product of the factors must be the matrix.
#include "math/solver/cusolver_support.hpp"

namespace {

TYPED_TEST_SUITE(Cusolver, all_types);

TYPED_TEST(Cusolver, EigenvaluesMultiplyOut) {
  using T = TypeParam;
  using R = real<T>;
  constexpr int n = 8;
  matrix<T> a = random_matrix<T>(n, n);
  const matrix<T> t = turned(a);
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] += t.values[i];
  const on_device<T> on(a.values);
  const on_device<R> w(zeros<R>(n));
  ASSERT_EQ(api<T>::syevd(this->h, 1, lower, n, on, n, w, this->work, this->size, this->info), 0);
  this->expect_info(0);
  const matrix<T> v = read(on, n, n);
  const auto values = w.read();
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  expect_near(v * diagonal<T>(values) * turned(v), a);
  // One call gets two matrices, and computes eigenvalues without vectors.
  std::vector<T> two = a.values;
  two.insert(two.end(), a.values.begin(), a.values.end());
  const on_device<T> both(two);
  const on_device<R> all(zeros<R>(2 * n));
  const on_device<int> each(std::vector<int>(2, -1));
  ASSERT_EQ(api<T>::syevj_batched(this->h, 0, upper, n, both, n, all, this->work, this->size, each, this->jacobi, 2),
            0);
  EXPECT_EQ(each.read(), (std::vector<int>{0, 0}));
  const auto again = all.read();
  for (std::size_t i = 0; i < 2 * n; ++i) EXPECT_NEAR(again[i], values[i % n], 1e-4);
  // Computes the third to fifth eigenvalue, and all eigenvalues in an interval.
  const on_device<T> some(a.values);
  int count = 0;
  ASSERT_EQ(api<T>::syevdx(this->h, 1, range_of_numbers, lower, n, some, n, 0, 0, 3, 5, &count, w, this->work,
                           this->size, this->info),
            0);
  ASSERT_EQ(count, 3);
  const matrix<T> v3 = columns_of(read(some, n, n), 3);
  const auto w3 = w.read();
  expect_near(a * v3, v3 * diagonal<T>({w3.begin(), w3.begin() + 3}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(w3[i], values[i + 2], 1e-4);
  const on_device<T> between(a.values);
  ASSERT_EQ(api<T>::syevdx(this->h, 0, range_of_values, lower, n, between, n, values[1] + R(1e-3), values[6] + R(1e-3),
                           0, 0, &count, w, this->work, this->size, this->info),
            0);
  EXPECT_EQ(count, 5);
}
TYPED_TEST(Cusolver, GeneralEigenvaluesMultiplyOut) {
  using T = TypeParam;
  using R = real<T>;
  constexpr int n = 6;
  const matrix<T> a = positive<T>(n), b = positive<T>(n);
  const on_device<T> on(a.values), other(b.values);
  const on_device<R> w(zeros<R>(n));
  ASSERT_EQ(api<T>::sygvd(this->h, 1, 1, upper, n, on, n, other, n, w, this->work, this->size, this->info), 0);
  this->expect_info(0);
  const matrix<T> v = read(on, n, n);
  expect_near(a * v, b * v * diagonal<T>(w.read()), 1e-3);
}

TYPED_TEST(Cusolver, EigenvaluesOfAnyMatrixMultiplyOut) {
  using T = TypeParam;
  using complex = std::complex<real<T>>;
  constexpr int n = 7;
  const matrix<T> a = random_matrix<T>(n, n);
  const on_device<T> on(a.values), vr(zeros<T>(n * n));
  const on_device<complex> w(zeros<complex>(n));
  const int type = type_of(T()), complex_type = type_of(complex());
  ASSERT_EQ(cusolverDnXgeev(this->h, this->params, 0, 1, n, type, on, n, complex_type, w, type, nullptr, 1, type, vr, n,
                            type, this->work, this->bytes, this->host.data(), this->host.size(), this->info),
            0);
  this->expect_info(0);
  const auto values = w.read();
  const matrix<T> packed = read(vr, n, n);
  matrix<complex> v(n, n), d(n, n), whole(n, n);
  for (index_t j = 0; j < n; ++j) {
    d(j, j) = values[static_cast<std::size_t>(j)];
    for (index_t i = 0; i < n; ++i) {
      whole(i, j) = complex(a(i, j));
      if constexpr (is_complex_type<T>)
        v(i, j) = packed(i, j);
      else if (values[static_cast<std::size_t>(j)].imag() == 0)
        v(i, j) = packed(i, j);
      else if (values[static_cast<std::size_t>(j)].imag() > 0)
        v(i, j) = complex(packed(i, j), packed(i, j + 1));
      else
        v(i, j) = complex(packed(i, j - 1), -packed(i, j));
    }
  }
  expect_near(whole * v, v * d);
  if constexpr (!is_complex_type<T>) {  // the real parts are first, then the imaginary parts
    const on_device<T> once_more(a.values), parts(zeros<T>(2 * n));
    ASSERT_EQ(
        cusolverDnXgeev(this->h, this->params, 0, 0, n, type, once_more, n, type, parts, type, nullptr, 1, type,
                        nullptr, 1, type, this->work, this->bytes, this->host.data(), this->host.size(), this->info),
        0);
    const auto got = parts.read();
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(got[i], values[i].real(), 1e-4);
      EXPECT_NEAR(got[n + i], values[i].imag(), 1e-4);
    }
  }
}

TYPED_TEST(Cusolver, SingularValuesMultiplyOut) {
  using T = TypeParam;
  using R = real<T>;
  constexpr int m = 8, n = 5;
  const matrix<T> a = random_matrix<T>(m, n);
  const on_device<R> s(zeros<R>(n));
  int size_of_work = 0;
  ASSERT_EQ(api<T>::gesvd_size(this->h, m, n, &size_of_work), 0);
  ASSERT_LE(size_of_work, this->size);
  for (const char job : {'A', 'S'}) {
    const int columns = job == 'A' ? m : n;
    const on_device<T> on(a.values), u(zeros<T>(m * columns)), vt(zeros<T>(n * n));
    ASSERT_EQ(
        api<T>::gesvd(this->h, job, job, m, n, on, m, s, u, m, vt, n, this->work, size_of_work, nullptr, this->info),
        0);
    this->expect_info(0);
    const auto values = s.read();
    EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
    const matrix<T> left_side = read(u, m, columns);
    expect_near(turned(left_side) * left_side, identity<T>(columns));
    expect_near(columns_of(left_side, n) * diagonal<T>(values) * read(vt, n, n), a);
  }
  // gesvdj returns v instead of the adjoint of v, and also accepts matrices with more columns than rows.
  for (const auto& [rows, columns] : {std::pair{8, 5}, {5, 8}})
    for (const int economic : {0, 1}) {
      const int least = std::min(rows, columns), of_u = economic == 1 ? least : rows,
                of_v = economic == 1 ? least : columns;
      const matrix<T> any = random_matrix<T>(rows, columns);
      const on_device<T> on(any.values), u(zeros<T>(rows * of_u)), v(zeros<T>(columns * of_v));
      ASSERT_EQ(api<T>::gesvdj(this->h, 1, economic, rows, columns, on, rows, s, u, rows, v, columns, this->work,
                               this->size, this->info, this->jacobi_of_svd),
                0);
      this->expect_info(0);
      expect_near(columns_of(read(u, rows, of_u), least) * diagonal<T>(s.read()) *
                      turned(columns_of(read(v, columns, of_v), least)),
                  any);
    }
  const on_device<T> wide(zeros<T>(n * m));
  EXPECT_EQ(api<T>::gesvd(this->h, 'N', 'N', n, m, wide, n, s, nullptr, 1, nullptr, 1, this->work, this->size, nullptr,
                          this->info),
            3);
}
TYPED_TEST(Cusolver, BatchesOfSingularValuesMultiplyOut) {
  using T = TypeParam;
  using R = real<T>;
  constexpr int m = 6, n = 4, batch = 3, rank = 2;
  const matrix<T> all = random_matrix<T>(m, n * batch);
  const auto one = [&](int i) {
    matrix<T> a(m, n);
    std::copy_n(all.values.begin() + i * m * n, m * n, a.values.begin());
    return a;
  };
  const on_device<T> on(all.values), kept(all.values), u(zeros<T>(m * m * batch)), v(zeros<T>(n * n * batch));
  const on_device<R> s(zeros<R>(n * batch));
  const on_device<int> each(std::vector<int>(batch, -1));
  ASSERT_EQ(api<T>::gesvdj_batched(this->h, 1, m, n, on, m, s, u, m, v, n, this->work, this->size, each,
                                   this->jacobi_of_svd, batch),
            0);
  EXPECT_EQ(each.read(), std::vector<int>(batch));
  const auto us = u.read(), vs = v.read();
  const auto values = s.read();
  for (int i = 0; i < batch; ++i) {
    matrix<T> left_side(m, n), right_side(n, n);
    std::copy_n(us.begin() + i * m * m, m * n, left_side.values.begin());
    std::copy_n(vs.begin() + i * n * n, n * n, right_side.values.begin());
    expect_near(left_side * diagonal<T>({values.begin() + i * n, values.begin() + (i + 1) * n}) * turned(right_side),
                one(i));
  }
  // Computes the two largest singular values.
  std::vector<double> errors(batch, -1);
  const on_device<T> u2(zeros<T>(m * rank * batch)), v2(zeros<T>(n * rank * batch));
  const on_device<R> s2(zeros<R>(rank * batch));
  ASSERT_EQ(api<T>::gesvda(this->h, 1, rank, m, n, kept, m, m * n, s2, rank, u2, m, m * rank, v2, n, n * rank,
                           this->work, this->size, each, errors.data(), batch),
            0);
  const auto two = s2.read();
  for (std::size_t i = 0; i < batch; ++i) {
    EXPECT_NEAR(two[2 * i + 1], values[n * i + 1], 1e-4);
    EXPECT_NEAR(errors[i], 0, 1e-5);  // the error refers to the computed values, not to the omitted values
  }
  EXPECT_EQ(kept.read(), all.values);
}

}  // namespace
