// Compares cuBLAS's functions with explicit sums: every type, transposed matrices, gaps, batches, and calls in a stream
// between kernels.
#include "math/blas/cublas_support.hpp"

namespace {

template <class T>
using gemm_entry = int (*)(handle*, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);

template <class T>
void test_gemm(handle* h, gemm_entry<T> gemm) {
  for (const int of_a : {as_it_is, transposed, adjoint})
    for (const int of_b : {as_it_is, transposed, adjoint})
      for (const int size : {1, 7, 300}) {
        const index_t m = size, n = size == 300 ? 270 : 5, k = 9;
        const auto a = for_operation<T>(of_a, m, k), b = for_operation<T>(of_b, k, n);
        matrix<T> c{m, n};
        const T alpha(2), beta(-1);
        const on_device<T> x(a.values), y(b.values), z(c.values);
        ASSERT_EQ(gemm(h, of_a, of_b, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), &alpha, x,
                       static_cast<int>(a.lead), y, static_cast<int>(b.lead), &beta, z, static_cast<int>(c.lead)),
                  success);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < m; ++i) {
            T sum{};
            for (index_t l = 0; l < k; ++l) sum += a.seen(of_a, i, l) * b.seen(of_b, l, j);
            c.at(i, j) = alpha * sum + beta * c.at(i, j);
          }
        ASSERT_EQ(z.read(), c.values) << of_a << of_b << size;
      }
}

TEST_F(Cublas, MultipliesMatrices) {
  test_gemm<float>(h, cublasSgemm_v2);
  test_gemm<double>(h, cublasDgemm_v2);
  test_gemm<cfloat>(h, cublasCgemm_v2);
  test_gemm<cdouble>(h, cublasZgemm_v2);
  test_gemm<cfloat>(h, cublasCgemm3m);
}

TEST_F(Cublas, TakesNumbersFromTheDevice) {
  const matrix<float> a{4, 4}, b{4, 4};
  const on_device<float> x(a.values), y(b.values), here(std::vector<float>(a.values.size())),
      there(std::vector<float>(a.values.size()));
  const float alpha = 3, beta = 0;
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 4, 4, 4, &alpha, x, 6, y, 6, &beta, here, 6), success);
  const on_device<float> on_alpha({alpha}), on_beta({beta});
  EXPECT_EQ(cublasSetPointerMode_v2(h, pointers_on_device), success);
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 4, 4, 4, on_alpha, x, 6, y, 6, on_beta, there, 6), success);
  EXPECT_EQ(here.read(), there.read());
  const on_device<float> sum({0.0f});
  EXPECT_EQ(cublasSdot_v2(h, 4, x, 1, y, 1, sum), success);
  float same = 0;
  EXPECT_EQ(cublasSetPointerMode_v2(h, pointers_on_host), success);
  EXPECT_EQ(cublasSdot_v2(h, 4, x, 1, y, 1, &same), success);
  EXPECT_EQ(sum.read()[0], same);
}

TEST_F(Cublas, MultipliesBatches) {
  constexpr int m = 3, n = 4, k = 5, count = 6;
  const auto a = small_numbers<float>(m * k * count), b = small_numbers<float>(k * n * count);
  std::vector<float> expected(m * n * count);
  for (int q = 0; q < count; ++q)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        for (int l = 0; l < k; ++l)
          expected[q * m * n + j * m + i] += a[q * m * k + l * m + i] * b[q * k * n + l * n + j];
  const on_device<float> x(a), y(b), strides(std::vector<float>(expected.size())),
      pointers(std::vector<float>(expected.size()));
  const float one = 1, zero = 0;
  EXPECT_EQ(
      cublasSgemmStridedBatched(h, 0, 1, m, n, k, &one, x, m, m * k, y, n, k * n, &zero, strides, m, m * n, count),
      success);
  EXPECT_EQ(strides.read(), expected);
  std::vector<const float*> of_a, of_b;
  std::vector<float*> of_c;
  for (int q = 0; q < count; ++q) {
    of_a.push_back(x.get() + q * m * k);
    of_b.push_back(y.get() + q * k * n);
    of_c.push_back(pointers.get() + q * m * n);
  }
  const on_device<const float*> all_a(of_a), all_b(of_b);
  const on_device<float*> all_c(of_c);
  EXPECT_EQ(cublasSgemmBatched(h, 0, 1, m, n, k, &one, all_a, m, all_b, n, &zero, all_c, m, count), success);
  EXPECT_EQ(pointers.read(), expected);
}

TEST_F(Cublas, MultipliesElementsOfEveryType) {
  struct types {
    int a, b, c, computed;
  };
  for (const types t :
       {types{f16, f16, f16, in_float}, types{f16, f16, f32, in_float}, types{bf16, bf16, bf16, in_float},
        types{bf16, bf16, f32, in_float_fast_tf32}, types{i8, i8, i32, in_integers}, types{i8, i8, f32, in_float},
        types{f32, f32, f32, in_float_fast_tf32}, types{f64, f64, f64, in_double}, types{e4m3, e5m2, f32, in_float},
        types{e4m3, e4m3, bf16, in_float}, types{f16, f16, f16, in_half}}) {
    constexpr int m = 5, n = 6, k = 7;
    const auto a = small_numbers<double>(m * k), b = small_numbers<double>(k * n), c = small_numbers<double>(m * n);
    const on_device<std::byte> x(bankwise::test::bytes_of_numbers(a, t.a)), y(bankwise::test::bytes_of_numbers(b, t.b)),
        z(bankwise::test::bytes_of_numbers(c, t.c));
    const int scale = t.computed == in_half       ? f16
                      : t.computed == in_double   ? f64
                      : t.computed == in_integers ? i32
                                                  : f32;
    std::byte alpha[16], beta[16];
    put_number<double>(alpha, scale, 1);
    put_number<double>(beta, scale, 2);
    EXPECT_EQ(cublasGemmEx(h, 0, 0, m, n, k, alpha, x, t.a, m, y, t.b, k, beta, z, t.c, m, t.computed, -1), success);
    std::vector<double> expected(m * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        expected[j * m + i] = 2 * c[j * m + i];
        for (int l = 0; l < k; ++l) expected[j * m + i] += a[l * m + i] * b[j * k + l];
      }
    EXPECT_EQ(bankwise::test::numbers_of_bytes(z.read(), t.c), expected) << t.a << " " << t.c << " " << t.computed;
  }
}

// The exact sum is 1 + 2^-10 plus slightly more than 2^-11. It is rounded once, to the nearest 16-bit float. The
// distance between 16-bit floats is 2^-10 here, so the sum is rounded up.
TEST_F(Cublas, RoundsOnce) {
  const on_device<std::uint16_t> a({0x3c01, 0x3c00}), b({0x3c00, 0x1001}), c({0});
  const float one = 1, zero = 0;
  EXPECT_EQ(cublasGemmEx(h, 0, 0, 1, 1, 2, &one, a, f16, 1, b, f16, 2, &zero, c, f16, 1, in_float, -1), success);
  EXPECT_EQ(c.read()[0], 0x3c02);
}

// Like cuBLAS on an H100, rounds factors to 10 bits after the point, ties to even. Does not round factors if one of the
// factors is a vector.
TEST_F(Cublas, RoundsFactorsWhereTf32IsAllowed) {
  const float half = 0x1p-11f, one = 1, zero = 0;  // half of the last bit of the number 1
  const std::vector<float> numbers{1 + half, 1 + 3 * half, 1 + half + 0x1p-23f, 0x1p-149f};
  const on_device<float> a(numbers), unit({1, 0, 0, 1}), c(std::vector<float>(4));
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 2, 2, 2, &one, a, 2, unit, 2, &zero, c, 2), success);
  EXPECT_EQ(c.read(), numbers);
  const std::vector<float> rounded{1, 1 + 4 * half, 1 + 2 * half, 0};
  EXPECT_EQ(cublasGemmEx(h, 0, 0, 2, 2, 2, &one, a, f32, 2, unit, f32, 2, &zero, c, f32, 2, in_float_fast_tf32, -1),
            success);
  EXPECT_EQ(c.read(), rounded);
  constexpr int tf32_allowed = 3;
  EXPECT_EQ(cublasSetMathMode(h, tf32_allowed), success);
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 2, 2, 2, &one, unit, 2, a, 2, &zero, c, 2), success);
  EXPECT_EQ(c.read(), rounded);
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 2, 1, 2, &one, unit, 2, a, 2, &zero, c, 2), success);
  EXPECT_EQ(c.read()[0], numbers[0]);
  EXPECT_EQ(cublasGemmEx(h, 0, 0, 2, 2, 2, &one, a, f32, 2, unit, f32, 2, &zero, c, f32, 2, in_float_pedantic, -1),
            success);
  EXPECT_EQ(c.read(), numbers);
}

template <class T>
struct level_1 {
  int (*axpy)(handle*, int, const T*, const T*, int, T*, int);
  int (*copy)(handle*, int, const T*, int, T*, int);
  int (*swap)(handle*, int, T*, int, T*, int);
  int (*scal)(handle*, int, const T*, T*, int);
  int (*amax)(handle*, int, const T*, int, int*);
};
template <class T>
void test_vectors(handle* h, const level_1<T>& f) {
  for (const int incx : {1, 2, -3})
    for (const int incy : {1, -2}) {
      constexpr int n = 9;
      auto x = small_numbers<T>(n * 3), y = small_numbers<T>(n * 3);
      const auto at = [](int i, int step) {
        return static_cast<std::size_t>(step > 0 ? i * step : (i - n + 1) * step);
      };
      const T alpha(3);
      const on_device<T> p(x), q(y);
      ASSERT_EQ(f.axpy(h, n, &alpha, p, incx, q, incy), success);
      for (int i = 0; i < n; ++i) y[at(i, incy)] += alpha * x[at(i, incx)];
      ASSERT_EQ(q.read(), y);
      ASSERT_EQ(f.swap(h, n, p, incx, q, incy), success);
      for (int i = 0; i < n; ++i) std::swap(x[at(i, incx)], y[at(i, incy)]);
      ASSERT_EQ(q.read(), y);
      ASSERT_EQ(p.read(), x);
      ASSERT_EQ(f.copy(h, n, p, incx, q, incy), success);
      for (int i = 0; i < n; ++i) y[at(i, incy)] = x[at(i, incx)];
      ASSERT_EQ(q.read(), y);
      if (incx < 0) continue;
      ASSERT_EQ(f.scal(h, n, &alpha, p, incx), success);
      for (int i = 0; i < n; ++i) x[at(i, incx)] *= alpha;
      ASSERT_EQ(p.read(), x);
      int found = -1;
      ASSERT_EQ(f.amax(h, n, p, incx, &found), success);
      const auto size = [&](int i) {
        return std::fabs(std::real(x[at(i, incx)])) + std::fabs(std::imag(x[at(i, incx)]));
      };
      int best = 0;
      for (int i = 1; i < n; ++i)
        if (size(i) > size(best)) best = i;
      ASSERT_EQ(found, best + 1);
    }
}

TEST_F(Cublas, ComputesWithVectors) {
  test_vectors<float>(h, {cublasSaxpy_v2, cublasScopy_v2, cublasSswap_v2, cublasSscal_v2, cublasIsamax_v2});
  test_vectors<double>(h, {cublasDaxpy_v2, cublasDcopy_v2, cublasDswap_v2, cublasDscal_v2, cublasIdamax_v2});
  test_vectors<cfloat>(h, {cublasCaxpy_v2, cublasCcopy_v2, cublasCswap_v2, cublasCscal_v2, cublasIcamax_v2});
  test_vectors<cdouble>(h, {cublasZaxpy_v2, cublasZcopy_v2, cublasZswap_v2, cublasZscal_v2, cublasIzamax_v2});
  const on_device<cdouble> x({{3, 4}, {0, 12}}), y({{1, 1}, {2, 0}});
  double norm = 0, sum = 0;
  cdouble plain, conjugated;
  EXPECT_EQ(cublasDznrm2_v2(h, 2, x, 1, &norm), success);
  EXPECT_EQ(cublasDzasum_v2(h, 2, x, 1, &sum), success);
  EXPECT_EQ(cublasZdotu_v2(h, 2, x, 1, y, 1, &plain), success);
  EXPECT_EQ(cublasZdotc_v2_64(h, 2, x, 1, y, 1, &conjugated), success);
  EXPECT_DOUBLE_EQ(norm, 13);
  EXPECT_EQ(sum, 19);
  EXPECT_EQ(plain, cdouble(-1, 31));
  EXPECT_EQ(conjugated, cdouble(7, -25));
}

// Calls `multiply` to multiply a matrix with a vector. Compares the result with sums over the elements of `whole`,
// which is the complete matrix.
template <class T, class Multiply>
void expect_product(const matrix<T>& whole, int o, Multiply multiply) {
  const index_t in = o == as_it_is ? whole.columns : whole.rows, out = o == as_it_is ? whole.rows : whole.columns;
  const auto x = small_numbers<T>(static_cast<std::size_t>(in));
  auto y = small_numbers<T>(static_cast<std::size_t>(out));
  const on_device<T> from(x), to(y);
  ASSERT_EQ(multiply(from.get(), to.get()), success);
  for (index_t i = 0; i < out; ++i) {
    T sum{};
    for (index_t j = 0; j < in; ++j) sum += whole.seen(o, i, j) * x[static_cast<std::size_t>(j)];
    y[static_cast<std::size_t>(i)] = T(2) * sum + T(3) * y[static_cast<std::size_t>(i)];
  }
  ASSERT_EQ(to.read(), y) << o;
}

TEST_F(Cublas, MultipliesMatricesWithVectors) {
  using T = cfloat;
  const T alpha(2), beta(3);
  constexpr int m = 6, n = 4, below = 2, above = 1;
  for (const int o : {as_it_is, transposed, adjoint}) {
    const matrix<T> a{m, n};
    const on_device<T> whole(a.values);
    expect_product(a, o, [&](const T* x, T* y) {
      return cublasCgemv_v2(h, o, m, n, &alpha, whole, static_cast<int>(a.lead), x, 1, &beta, y, 1);
    });
    matrix<T> band = a;
    std::vector<T> packed(static_cast<std::size_t>(n) * 5);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        if (i - j > below || j - i > above)
          band.at(i, j) = 0;
        else
          packed[static_cast<std::size_t>(j * 5 + above + i - j)] = a.at(i, j);
      }
    const on_device<T> stored(packed);
    expect_product(band, o, [&](const T* x, T* y) {
      return cublasCgbmv_v2(h, o, m, n, below, above, &alpha, stored, 5, x, 1, &beta, y, 1);
    });
  }
  for (const int part : {lower, upper}) {
    matrix<T> a{n, n};
    for (int i = 0; i < n; ++i) {
      a.at(i, i) = std::real(a.at(i, i));
      for (int j = 0; j < i; ++j) a.at(i, j) = std::conj(a.at(j, i));
    }
    std::vector<T> packed, band(static_cast<std::size_t>(n) * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (part == lower ? i >= j : i <= j) {
          packed.push_back(a.at(i, j));
          band[static_cast<std::size_t>(j * n + (part == lower ? i - j : n - 1 + i - j))] = a.at(i, j);
        }
    const on_device<T> whole(a.values), in_rows(packed), in_bands(band);
    const int lead = static_cast<int>(a.lead);
    expect_product(a, as_it_is, [&](const T* x, T* y) {
      return cublasChemv_v2(h, part, n, &alpha, whole, lead, x, 1, &beta, y, 1);
    });
    expect_product(a, as_it_is,
                   [&](const T* x, T* y) { return cublasChpmv_v2(h, part, n, &alpha, in_rows, x, 1, &beta, y, 1); });
    expect_product(a, as_it_is, [&](const T* x, T* y) {
      return cublasChbmv_v2(h, part, n, n - 1, &alpha, in_bands, n, x, 1, &beta, y, 1);
    });
    // The solver undoes the product with the triangle, so x has its old values again.
    for (const int o : {as_it_is, transposed, adjoint})
      for (const int unit : {0, 1}) {
        matrix<T> t = a;
        for (int i = 0; i < n; ++i) t.at(i, i) = T(i % 2 == 0 ? 1 : -1);
        std::vector<T> triangle;
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i)
            if (part == lower ? i >= j : i <= j) triangle.push_back(t.at(i, j));
        const auto x = small_numbers<T>(n);
        const on_device<T> full(t.values), rows(triangle), y(x), z(x);
        ASSERT_EQ(cublasCtrmv_v2(h, part, o, unit, n, full, lead, y, 1), success);
        std::vector<T> expected(n);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) {
            const int r = o == as_it_is ? i : j, c = o == as_it_is ? j : i;
            if (part == lower ? r < c : r > c) continue;
            expected[static_cast<std::size_t>(i)] +=
                (i == j && unit != 0 ? T(1) : t.seen(o, i, j)) * x[static_cast<std::size_t>(j)];
          }
        ASSERT_EQ(y.read(), expected);
        ASSERT_EQ(cublasCtrsv_v2(h, part, o, unit, n, full, lead, y, 1), success);
        ASSERT_EQ(y.read(), x);
        ASSERT_EQ(cublasCtpmv_v2(h, part, o, unit, n, rows, z, 1), success);
        ASSERT_EQ(z.read(), expected);
        ASSERT_EQ(cublasCtpsv_v2(h, part, o, unit, n, rows, z, 1), success);
        ASSERT_EQ(z.read(), x);
      }
  }
}

TEST_F(Cublas, AddsProductsOfVectors) {
  constexpr int m = 5, n = 3;
  matrix<cdouble> a{m, n};
  const auto x = small_numbers<cdouble>(m), y = small_numbers<cdouble>(n);
  const cdouble alpha(1, 2);
  const on_device<cdouble> to(a.values), p(x), q(y);
  ASSERT_EQ(cublasZgerc_v2(h, m, n, &alpha, p, 1, q, 1, to, static_cast<int>(a.lead)), success);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) a.at(i, j) += alpha * x[i] * std::conj(y[j]);
  EXPECT_EQ(to.read(), a.values);
  matrix<cdouble> b{m, m};
  const double factor = 2;
  const on_device<cdouble> half(b.values);
  ASSERT_EQ(cublasZher_v2(h, upper, m, &factor, p, 1, half, static_cast<int>(b.lead)), success);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i <= j; ++i) {
      b.at(i, j) += factor * x[i] * std::conj(x[j]);
      if (i == j) b.at(i, j) = b.at(i, j).real();
    }
  EXPECT_EQ(half.read(), b.values);
}

TEST_F(Cublas, MultipliesSymmetricMatricesAndTriangles) {
  using T = cdouble;
  constexpr int m = 70, n = 67;
  const T alpha(2, 1), beta(1, -1);
  for (const int side : {left, right})
    for (const int part : {lower, upper}) {
      const int size = side == left ? m : n;
      matrix<T> a{size, size};
      for (int i = 0; i < size; ++i) {
        a.at(i, i) = std::real(a.at(i, i));
        for (int j = 0; j < i; ++j) a.at(i, j) = std::conj(a.at(j, i));
      }
      const matrix<T> b{m, n};
      matrix<T> c{m, n};
      const on_device<T> x(a.values), y(b.values), z(c.values);
      ASSERT_EQ(cublasZhemm_v2(h, side, part, m, n, &alpha, x, static_cast<int>(a.lead), y, static_cast<int>(b.lead),
                               &beta, z, static_cast<int>(c.lead)),
                success);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          T sum{};
          for (int l = 0; l < size; ++l) sum += side == left ? a.at(i, l) * b.at(l, j) : b.at(i, l) * a.at(l, j);
          c.at(i, j) = alpha * sum + beta * c.at(i, j);
        }
      ASSERT_EQ(z.read(), c.values);
      for (const int o : {as_it_is, transposed, adjoint}) {
        // Only a few elements are next to a diagonal of ones, so that every step of solving gives an integer.
        matrix<T> t{size, size};
        for (int j = 0; j < size; ++j)
          for (int i = 0; i < size; ++i) t.at(i, j) = i == j ? T(0, 1) : std::abs(i - j) % 33 == 1 ? t.at(i, j) : T(0);
        const on_device<T> triangle(t.values), product(b.values);
        const T one(1);
        ASSERT_EQ(cublasZtrmm_v2(h, side, part, o, 0, m, n, &one, triangle, static_cast<int>(t.lead), y,
                                 static_cast<int>(b.lead), product, static_cast<int>(b.lead)),
                  success);
        const auto seen = [&](int i, int j) {
          const int r = o == as_it_is ? i : j, q = o == as_it_is ? j : i;
          return (part == lower ? r < q : r > q) ? T(0) : t.seen(o, i, j);
        };
        const auto got = product.read();
        for (int j = 0; j < n; j += 13)
          for (int i = 0; i < m; ++i) {
            T sum{};
            for (int l = 0; l < size; ++l) sum += side == left ? seen(i, l) * b.at(l, j) : b.at(i, l) * seen(l, j);
            ASSERT_EQ(got[static_cast<std::size_t>(j * b.lead + i)], sum);
          }
        ASSERT_EQ(cublasZtrsm_v2(h, side, part, o, 0, m, n, &one, triangle, static_cast<int>(t.lead), product,
                                 static_cast<int>(b.lead)),
                  success);
        const auto back = product.read();
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < m; ++i)
            ASSERT_NEAR(std::abs(back[static_cast<std::size_t>(j * b.lead + i)] - b.at(i, j)), 0, 1e-3);
      }
    }
}

TEST_F(Cublas, UpdatesTriangles) {
  using T = cdouble;
  constexpr int n = 9, k = 5;
  for (const int part : {lower, upper})
    for (const int o : {as_it_is, adjoint}) {
      const auto a = for_operation<T>(o, n, k), b = for_operation<T>(o, n, k);
      matrix<T> c{n, n}, d = c;
      const on_device<T> x(a.values), y(b.values), z(c.values), w(c.values);
      const double alpha = 2, beta = 3;
      const T both(1, 2);
      ASSERT_EQ(
          cublasZherk_v2(h, part, o, n, k, &alpha, x, static_cast<int>(a.lead), &beta, z, static_cast<int>(c.lead)),
          success);
      ASSERT_EQ(cublasZher2k_v2(h, part, o, n, k, &both, x, static_cast<int>(a.lead), y, static_cast<int>(b.lead),
                                &beta, w, static_cast<int>(c.lead)),
                success);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          if (part == lower ? i < j : i > j) continue;
          T one{}, two{};
          for (int l = 0; l < k; ++l) {
            one += a.seen(o, i, l) * std::conj(a.seen(o, j, l));
            two += both * a.seen(o, i, l) * std::conj(b.seen(o, j, l)) +
                   std::conj(both) * b.seen(o, i, l) * std::conj(a.seen(o, j, l));
          }
          c.at(i, j) = alpha * one + beta * c.at(i, j);
          d.at(i, j) = two + beta * d.at(i, j);
          if (i == j) c.at(i, j) = c.at(i, j).real(), d.at(i, j) = d.at(i, j).real();
        }
      EXPECT_EQ(z.read(), c.values);
      EXPECT_EQ(w.read(), d.values);
    }
}

TEST_F(Cublas, FactorsAndInvertsBatches) {
  constexpr int n = 4, count = 3;
  std::vector<double> values = small_numbers<double>(n * n * count);
  for (int q = 0; q < count; ++q)
    for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(q * n * n + i * n + i)] += 10;
  const on_device<double> original(values), factored(values), inverse(std::vector<double>(values.size())),
      product(std::vector<double>(values.size()));
  std::vector<double*> of_factored, of_inverse;
  for (int q = 0; q < count; ++q) {
    of_factored.push_back(factored.get() + q * n * n);
    of_inverse.push_back(inverse.get() + q * n * n);
  }
  const on_device<double*> all_factored(of_factored), all_inverse(of_inverse);
  const on_device<int> pivots(std::vector<int>(n * count)), info(std::vector<int>(count, 7));
  ASSERT_EQ(cublasDgetrfBatched(h, n, all_factored, n, pivots, info, count), success);
  EXPECT_EQ(info.read(), std::vector<int>(count));
  ASSERT_EQ(cublasDgetriBatched(h, n, all_factored, n, pivots, all_inverse, n, info, count), success);
  const double one = 1, zero = 0;
  ASSERT_EQ(cublasDgemmStridedBatched(h, 0, 0, n, n, n, &one, original, n, n * n, inverse, n, n * n, &zero, product, n,
                                      n * n, count),
            success);
  const auto got = product.read();
  for (int q = 0; q < count; ++q)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(got[static_cast<std::size_t>(q * n * n + j * n + i)], i == j ? 1 : 0, 1e-12);
}

TEST_F(Cublas, FactorsByReflectorsAndFindsLeastSquares) {
  constexpr int m = 7, n = 4, count = 3;
  using T = cdouble;
  const auto values = small_numbers<T>(m * n * count), sides = small_numbers<T>(m * count);
  const on_device<T> factored(values), tau(std::vector<T>(n * count)), matrices(values), x(sides);
  std::vector<T*> of_factored, of_tau, of_matrices, of_sides;
  for (int q = 0; q < count; ++q) {
    of_factored.push_back(factored + q * m * n);
    of_tau.push_back(tau + q * n);
    of_matrices.push_back(matrices + q * m * n);
    of_sides.push_back(x + q * m);
  }
  const on_device<T*> all_factored(of_factored), all_tau(of_tau), all_matrices(of_matrices), all_sides(of_sides);
  const on_device<int> failed(std::vector<int>(count, 7));
  int info = 5;
  ASSERT_EQ(cublasZgeqrfBatched(h, m, n, all_factored, m, all_tau, &info, count), success);
  EXPECT_EQ(info, 0);
  ASSERT_EQ(cublasZgelsBatched(h, 0, m, n, 1, all_matrices, m, all_sides, m, &info, failed, count), success);
  EXPECT_EQ(failed.read(), std::vector<int>(count));
  const auto r = factored.read(), solution = x.read();
  for (int q = 0; q < count; ++q) {
    const auto at = [&](const std::vector<T>& v, int i, int j) {
      return v[static_cast<std::size_t>(q * m * n + j * m + i)];
    };
    // R' * R equals a' * a, and the rest of the right side is orthogonal to every column.
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(at(r, i, i).imag(), 0);
      T along = 0;
      for (int k = 0; k < m; ++k) {
        T rest = sides[static_cast<std::size_t>(q * m + k)];
        for (int j = 0; j < n; ++j) rest -= at(values, k, j) * solution[static_cast<std::size_t>(q * m + j)];
        along += std::conj(at(values, k, i)) * rest;
      }
      EXPECT_NEAR(std::abs(along), 0, 1e-11);
      for (int j = i; j < n; ++j) {
        T one = 0, other = 0;
        for (int k = 0; k <= i; ++k) one += std::conj(at(r, k, i)) * at(r, k, j);
        for (int k = 0; k < m; ++k) other += std::conj(at(values, k, i)) * at(values, k, j);
        EXPECT_NEAR(std::abs(one - other), 0, 1e-11);
      }
    }
  }
}

}  // namespace
