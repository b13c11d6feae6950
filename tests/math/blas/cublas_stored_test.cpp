// Compares cuBLAS's functions for partly stored matrices with explicit sums: every type and storage, gaps, positive and
// negative steps, and sizes larger than the strips of a thread. The elements are small integers, so that a BLAS and our
// own loops give equal results.
#include "math/blas/any_vectors.hpp"
#include "math/common/device_memory.hpp"

using namespace bankwise::math;
template <class T>
using on_device = bankwise::test::on_device<T>;
using bankwise::test::small_numbers;

#define ENTRY(name, parameters, call) extern "C" int name parameters;
#include "math/blas/cublas_matrices.def"
#include "math/blas/cublas_triangles.def"
#undef ENTRY
extern "C" {
int cublasCreate_v2(handle**);
int cublasDestroy_v2(handle*);
}

namespace {

constexpr int operations[] = {as_it_is, transposed, adjoint};

class CublasStored : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cublasCreate_v2(&h), success); }
  void TearDown() override { EXPECT_EQ(cublasDestroy_v2(h), success); }
  handle* h = nullptr;
};

// A matrix with unused elements after each column.
template <class T>
struct stored {
  int rows, columns, lead = rows + 2;
  std::vector<T> values = small_numbers<T>(static_cast<std::size_t>(lead) * static_cast<std::size_t>(columns));
  T& at(int i, int j) { return values[static_cast<std::size_t>(j * lead + i)]; }
  T at(int i, int j) const { return values[static_cast<std::size_t>(j * lead + i)]; }
};
bool is_in(int part, int i, int j) { return part == lower ? i >= j : i <= j; }

// Returns the full matrix that a stored triangle represents.
template <class T>
stored<T> symmetric(const stored<T>& a, int part, bool hermitian) {
  stored<T> whole = a;
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i) {
      if (!is_in(part, i, j)) whole.at(i, j) = conjugate_if(hermitian, a.at(j, i));
      if (hermitian && i == j) whole.at(i, j) = std::real(a.at(i, j));
    }
  return whole;
}
// Returns op(a), which only uses the elements of the stored triangle.
template <class T>
stored<T> triangle(const stored<T>& a, int part, int o, bool unit) {
  stored<T> only{a.rows, a.columns};
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i) {
      const int r = o == as_it_is ? i : j, c = o == as_it_is ? j : i;
      only.at(i, j) = i == j && unit ? T(1) : is_in(part, r, c) ? conjugate_if(o == adjoint, a.at(r, c)) : T(0);
    }
  return only;
}
template <class T>
std::vector<T> packed(const stored<T>& a, int part) {
  std::vector<T> all;
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (is_in(part, i, j)) all.push_back(a.at(i, j));
  return all;
}
// Stores `a` as a band of k diagonals next to the main diagonal. In `a`, elements outside of the band become zero.
template <class T>
std::vector<T> band(stored<T>& a, int part, int k) {
  std::vector<T> all(static_cast<std::size_t>((k + 1) * a.columns));
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i) {
      if (std::abs(i - j) > k)
        a.at(i, j) = 0;
      else if (is_in(part, i, j))
        all[static_cast<std::size_t>(j * (k + 1) + (part == lower ? i - j : k + i - j))] = a.at(i, j);
    }
  return all;
}

// A vector of n elements that are `step` apart. If the step is negative, the first element is at the end of the memory.
template <class T>
struct stepped {
  int n, step;
  std::vector<T> values = small_numbers<T>(static_cast<std::size_t>((n - 1) * std::abs(step) + 1));
  T& at(int i) { return values[static_cast<std::size_t>(step > 0 ? i * step : (i + 1 - n) * step)]; }
  T at(int i) const { return values[static_cast<std::size_t>(step > 0 ? i * step : (i + 1 - n) * step)]; }
};

// Expects that call(x, incx, y, incy) computes y = 2 * a * x + 3 * y.
template <class T, class Call>
void expect_product(const stored<T>& a, const char* what, Call call) {
  for (const int step : {1, -2, 3}) {
    const stepped<T> x{a.columns, step};
    stepped<T> y{a.rows, -step};
    const on_device<T> in(x.values), out(y.values);
    ASSERT_EQ(call(in.get(), x.step, out.get(), y.step), success) << what;
    for (int i = 0; i < a.rows; ++i) {
      T sum{};
      for (int j = 0; j < a.columns; ++j) sum += a.at(i, j) * x.at(j);
      y.at(i) = T(2) * sum + T(3) * y.at(i);
    }
    ASSERT_EQ(out.read(), y.values) << what << ", step " << step;
  }
}

#define SYMMETRIC_VECTORS(S, T, he, hb, hp, hermitian)                                          \
  for (const int part : {lower, upper}) {                                                       \
    const T two(2), three(3);                                                                   \
    stored<T> a{9, 9};                                                                          \
    const on_device<T> full(a.values), rows(packed(a, part));                                   \
    const stored<T> whole = symmetric(a, part, hermitian);                                      \
    expect_product(whole, #S #he, [&](const T* x, int p, T* y, int q) {                         \
      return cublas##S##he##mv_v2(h, part, 9, &two, full, a.lead, x, p, &three, y, q);          \
    });                                                                                         \
    expect_product(whole, #S #hp, [&](const T* x, int p, T* y, int q) {                         \
      return cublas##S##hp##mv_v2(h, part, 9, &two, rows, x, p, &three, y, q);                  \
    });                                                                                         \
    const on_device<T> diagonals(band(a, part, 3));                                             \
    expect_product(symmetric(a, part, hermitian), #S #hb, [&](const T* x, int p, T* y, int q) { \
      return cublas##S##hb##mv_v2(h, part, 9, 3, &two, diagonals, 4, x, p, &three, y, q);       \
    });                                                                                         \
  }

TEST_F(CublasStored, MultipliesSymmetricMatricesWithVectors){
    SYMMETRIC_VECTORS(S, float, sy, sb, sp, false) SYMMETRIC_VECTORS(D, double, sy, sb, sp, false)
        SYMMETRIC_VECTORS(C, cfloat, he, hb, hp, true) SYMMETRIC_VECTORS(Z, cdouble, he, hb, hp, true)}

TEST_F(CublasStored, MultipliesBandsWithVectors) {
  constexpr int m = 8, n = 6, below = 2, above = 1, lead = below + above + 2;
  const float two = 2, three = 3;
  for (const int o : operations) {
    stored<float> a{m, n};
    std::vector<float> all(lead * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        if (i - j > below || j - i > above)
          a.at(i, j) = 0;
        else
          all[static_cast<std::size_t>(j * lead + above + i - j)] = a.at(i, j);
      }
    stored<float> seen = o == as_it_is ? a : stored<float>{n, m};
    for (int j = 0; j < seen.columns && o != as_it_is; ++j)
      for (int i = 0; i < seen.rows; ++i) seen.at(i, j) = a.at(j, i);
    const on_device<float> diagonals(all), full(a.values);
    expect_product(seen, "gbmv", [&](const float* x, int p, float* y, int q) {
      return cublasSgbmv_v2(h, o, m, n, below, above, &two, diagonals, lead, x, p, &three, y, q);
    });
    expect_product(seen, "gemv", [&](const float* x, int p, float* y, int q) {
      return cublasSgemv_v2(h, o, m, n, &two, full, a.lead, x, p, &three, y, q);
    });
  }
}

// The first function multiplies op(a) by x and overwrites x. The second function restores x.
template <class T, class Multiply, class Solve>
void expect_there_and_back(const stored<T>& a, const char* what, Multiply multiply, Solve solve) {
  for (const int step : {1, -2, 3}) {
    const stepped<T> x{a.rows, step};
    stepped<T> expected = x;
    for (int i = 0; i < a.rows; ++i) {
      T sum{};
      for (int j = 0; j < a.rows; ++j) sum += a.at(i, j) * x.at(j);
      expected.at(i) = sum;
    }
    const on_device<T> y(x.values);
    ASSERT_EQ(multiply(y.get(), step), success) << what;
    ASSERT_EQ(y.read(), expected.values) << what << ", step " << step;
    ASSERT_EQ(solve(y.get(), step), success) << what;
    ASSERT_EQ(y.read(), x.values) << what << ", step " << step;
  }
}

#define TRIANGLE_VECTORS(S, T)                                                                                        \
  for (const int part : {lower, upper})                                                                               \
    for (const int o : operations)                                                                                    \
      for (const int unit : {0, 1}) {                                                                                 \
        stored<T> a{7, 7};                                                                                            \
        for (int i = 0; i < 7; ++i) a.at(i, i) = T(i % 2 == 0 ? 1 : -1);                                              \
        const on_device<T> full(a.values), rows(packed(a, part));                                                     \
        const auto whole = triangle(a, part, o, unit == 1);                                                           \
        expect_there_and_back(                                                                                        \
            whole, #S "tr", [&](T* x, int p) { return cublas##S##trmv_v2(h, part, o, unit, 7, full, a.lead, x, p); }, \
            [&](T* x, int p) { return cublas##S##trsv_v2(h, part, o, unit, 7, full, a.lead, x, p); });                \
        expect_there_and_back(                                                                                        \
            whole, #S "tp", [&](T* x, int p) { return cublas##S##tpmv_v2(h, part, o, unit, 7, rows, x, p); },         \
            [&](T* x, int p) { return cublas##S##tpsv_v2(h, part, o, unit, 7, rows, x, p); });                        \
        const on_device<T> diagonals(band(a, part, 2));                                                               \
        expect_there_and_back(                                                                                        \
            triangle(a, part, o, unit == 1), #S "tb",                                                                 \
            [&](T* x, int p) { return cublas##S##tbmv_v2(h, part, o, unit, 7, 2, diagonals, 3, x, p); },              \
            [&](T* x, int p) { return cublas##S##tbsv_v2(h, part, o, unit, 7, 2, diagonals, 3, x, p); });             \
      }

TEST_F(CublasStored, MultipliesAndSolvesTrianglesWithVectors){TRIANGLE_VECTORS(S, float) TRIANGLE_VECTORS(Z, cdouble)}

TEST_F(CublasStored, AddsProductsOfVectorsToTriangles) {
  constexpr int n = 8;
  for (const int part : {lower, upper})
    for (const int step : {1, -2}) {
      const stepped<double> x{n, step}, y{n, 3};
      const on_device<double> p(x.values), q(y.values);
      const stored<double> a{n, n};
      const double two = 2;
      const on_device<double> one(a.values), both(a.values), one_packed(packed(a, part)), both_packed(packed(a, part));
      ASSERT_EQ(cublasDsyr_v2(h, part, n, &two, p, step, one, a.lead), success);
      ASSERT_EQ(cublasDsyr2_v2(h, part, n, &two, p, step, q, 3, both, a.lead), success);
      ASSERT_EQ(cublasDspr_v2(h, part, n, &two, p, step, one_packed), success);
      ASSERT_EQ(cublasDspr2_v2(h, part, n, &two, p, step, q, 3, both_packed), success);
      stored<double> b = a, c = a;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          if (is_in(part, i, j)) {
            b.at(i, j) += 2 * x.at(i) * x.at(j);
            c.at(i, j) += 2 * (x.at(i) * y.at(j) + y.at(i) * x.at(j));
          }
      EXPECT_EQ(one.read(), b.values);
      EXPECT_EQ(both.read(), c.values);
      EXPECT_EQ(one_packed.read(), packed(b, part));
      EXPECT_EQ(both_packed.read(), packed(c, part));
    }
  // Tests rank updates of a general matrix and of a Hermitian matrix.
  const stepped<cfloat> x{n, -2}, y{n, 3};
  const on_device<cfloat> p(x.values), q(y.values);
  stored<cfloat> a{n, n}, b = a, c = a;
  const cfloat factor(1, 2);
  const on_device<cfloat> plain(a.values), turned(b.values), hermitian(c.values);
  ASSERT_EQ(cublasCgeru_v2(h, n, n, &factor, p, -2, q, 3, plain, a.lead), success);
  ASSERT_EQ(cublasCgerc_v2(h, n, n, &factor, p, -2, q, 3, turned, a.lead), success);
  ASSERT_EQ(cublasCher2_v2(h, lower, n, &factor, p, -2, q, 3, hermitian, a.lead), success);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      a.at(i, j) += factor * x.at(i) * y.at(j);
      b.at(i, j) += factor * x.at(i) * std::conj(y.at(j));
      if (i < j) continue;
      c.at(i, j) += factor * x.at(i) * std::conj(y.at(j)) + std::conj(factor) * y.at(i) * std::conj(x.at(j));
      if (i == j) c.at(i, j) = c.at(i, j).real();
    }
  EXPECT_EQ(plain.read(), a.values);
  EXPECT_EQ(turned.read(), b.values);
  EXPECT_EQ(hermitian.read(), c.values);
}

template <class T>
struct functions {
  int (*multiply_symmetric)(handle*, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
  int (*multiply)(handle*, int, int, int, int, int, int, const T*, const T*, int, const T*, int, T*, int);
  int (*solve)(handle*, int, int, int, int, int, int, const T*, const T*, int, T*, int);
  int (*square)(handle*, int, int, int, int, const T*, const T*, int, const T*, T*, int);
  int (*product)(handle*, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
  int (*product_and_turned)(handle*, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
};
#define FUNCTIONS(S)                                                                                  \
  {                                                                                                   \
    cublas##S##symm_v2, cublas##S##trmm_v2, cublas##S##trsm_v2, cublas##S##syrk_v2, cublas##S##syrkx, \
        cublas##S##syr2k_v2                                                                           \
  }

// The second matrix has more columns than a strip, and the third matrix has more rows.
constexpr std::pair<int, int> shapes[] = {{5, 7}, {6, 300}, {300, 6}};

// c = 2 * a * b + keep * c, or b * a.
template <class T>
std::vector<T> side_product(int side, const stored<T>& a, const stored<T>& b, stored<T> c, T keep) {
  for (int j = 0; j < c.columns; ++j)
    for (int i = 0; i < c.rows; ++i) {
      T sum{};
      for (int l = 0; l < a.rows; ++l) sum += side == left ? a.at(i, l) * b.at(l, j) : b.at(i, l) * a.at(l, j);
      c.at(i, j) = T(2) * sum + keep * c.at(i, j);
    }
  return c.values;
}

template <class T>
void test_sides(handle* h, const functions<T>& f) {
  for (const auto& [m, n] : shapes)
    for (const int side : {left, right})
      for (const int part : {lower, upper}) {
        const int size = side == left ? m : n;
        // Only a few elements are next to a diagonal of ones, so that every step of solving gives an integer.
        stored<T> a{size, size};
        for (int j = 0; j < size; ++j)
          for (int i = 0; i < size; ++i) a.at(i, j) = i == j ? T(1) : std::abs(i - j) % 50 == 1 ? a.at(i, j) : T(0);
        const stored<T> b{m, n}, c{m, n};
        stored<T> b_in_c = c;
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < m; ++i) b_in_c.at(i, j) = b.at(i, j);
        const T two(2), three(3), half = T(1) / two;
        const on_device<T> x(a.values), y(b.values), z(c.values), w(c.values);
        ASSERT_EQ(f.multiply_symmetric(h, side, part, m, n, &two, x, a.lead, y, b.lead, &three, z, c.lead), success);
        ASSERT_EQ(z.read(), side_product(side, symmetric(a, part, false), b, c, three)) << m << side << part;
        for (const int o : operations) {
          ASSERT_EQ(f.multiply(h, side, part, o, 0, m, n, &two, x, a.lead, y, b.lead, w, c.lead), success);
          ASSERT_EQ(w.read(), side_product(side, triangle(a, part, o, false), b, c, T(0))) << m << side << part << o;
          ASSERT_EQ(f.solve(h, side, part, o, 0, m, n, &half, x, a.lead, w, c.lead), success);
          ASSERT_EQ(w.read(), b_in_c.values) << m << side << part << o;
        }
        // In place.
        ASSERT_EQ(f.multiply(h, side, part, as_it_is, 1, m, n, &two, x, a.lead, w, c.lead, w, c.lead), success);
        ASSERT_EQ(w.read(), side_product(side, triangle(a, part, as_it_is, true), b, c, T(0))) << m << side << part;
      }
}

TEST_F(CublasStored, MultipliesAndSolvesMatrices) {
  test_sides<float>(h, FUNCTIONS(S));
  test_sides<double>(h, FUNCTIONS(D));
  test_sides<cfloat>(h, FUNCTIONS(C));
  test_sides<cdouble>(h, FUNCTIONS(Z));
}

template <class T>
void test_updates(handle* h, const functions<T>& f) {
  constexpr int k = 5;
  for (const int n : {9, 300})
    for (const int part : {lower, upper})
      for (const int o : {as_it_is, transposed}) {
        const stored<T> a{o == as_it_is ? n : k, o == as_it_is ? k : n}, b{a.rows, a.columns}, c{n, n};
        const auto seen = [o](const stored<T>& s, int i, int l) { return o == as_it_is ? s.at(i, l) : s.at(l, i); };
        stored<T> square = c, product = c, both = c;
        const T two(2), three(3);
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) {
            if (!is_in(part, i, j)) continue;
            T own{}, other{}, turned{};
            for (int l = 0; l < k; ++l) {
              own += seen(a, i, l) * seen(a, j, l);
              other += seen(a, i, l) * seen(b, j, l);
              turned += seen(b, i, l) * seen(a, j, l);
            }
            square.at(i, j) = two * own + three * c.at(i, j);
            product.at(i, j) = two * other + three * c.at(i, j);
            both.at(i, j) = two * (other + turned) + three * c.at(i, j);
          }
        const on_device<T> x(a.values), y(b.values), p(c.values), q(c.values), r(c.values);
        ASSERT_EQ(f.square(h, part, o, n, k, &two, x, a.lead, &three, p, c.lead), success);
        ASSERT_EQ(f.product(h, part, o, n, k, &two, x, a.lead, y, b.lead, &three, q, c.lead), success);
        ASSERT_EQ(f.product_and_turned(h, part, o, n, k, &two, x, a.lead, y, b.lead, &three, r, c.lead), success);
        ASSERT_EQ(p.read(), square.values) << n << part << o;
        ASSERT_EQ(q.read(), product.values) << n << part << o;
        ASSERT_EQ(r.read(), both.values) << n << part << o;
      }
}

TEST_F(CublasStored, UpdatesTriangles) {
  test_updates<float>(h, FUNCTIONS(S));
  test_updates<double>(h, FUNCTIONS(D));
  test_updates<cfloat>(h, FUNCTIONS(C));
  test_updates<cdouble>(h, FUNCTIONS(Z));
}

TEST_F(CublasStored, UpdatesHermitianTriangles) {
  constexpr int n = 300, k = 3;
  for (const int part : {lower, upper})
    for (const int o : {as_it_is, adjoint}) {
      const stored<cdouble> a{o == as_it_is ? n : k, o == as_it_is ? k : n}, b{a.rows, a.columns}, c{n, n};
      const auto seen = [o](const stored<cdouble>& s, int i, int l) {
        return o == as_it_is ? s.at(i, l) : std::conj(s.at(l, i));
      };
      stored<cdouble> square = c, both = c;
      const double two = 2, three = 3;
      const cdouble factor(1, 2);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          if (!is_in(part, i, j)) continue;
          cdouble own{}, other{};
          for (int l = 0; l < k; ++l) {
            own += seen(a, i, l) * std::conj(seen(a, j, l));
            other += factor * seen(a, i, l) * std::conj(seen(b, j, l)) +
                     std::conj(factor) * seen(b, i, l) * std::conj(seen(a, j, l));
          }
          square.at(i, j) = two * own + three * c.at(i, j);
          both.at(i, j) = other + three * c.at(i, j);
          if (i == j) square.at(i, j) = square.at(i, j).real(), both.at(i, j) = both.at(i, j).real();
        }
      const on_device<cdouble> x(a.values), y(b.values), p(c.values), q(c.values);
      ASSERT_EQ(cublasZherk_v2(h, part, o, n, k, &two, x, a.lead, &three, p, c.lead), success);
      ASSERT_EQ(cublasZher2k_v2(h, part, o, n, k, &factor, x, a.lead, y, b.lead, &three, q, c.lead), success);
      ASSERT_EQ(p.read(), square.values) << part << o;
      ASSERT_EQ(q.read(), both.values) << part << o;
    }
}

}  // namespace
