// cuSOLVER's factorizations, eigenvalues and singular values, each against what it must multiply out to.
#include <functional>

#include "math/common/device_memory.hpp"
#include "math/solver/eigenvalues.hpp"

namespace bankwise::math {
struct matrix_description;
}

using namespace bankwise::math;
template <class T>
using on_device = bankwise::test::on_device<T>;
using bankwise::test::small_numbers;

namespace {
struct unknown;
}
extern "C" {
int cusolverDnCreate(unknown**);
int cusolverDnDestroy(unknown*);
int cusolverDnCreateParams(unknown**);
int cusolverDnXsyevjSetTolerance(unknown*, double);
int cusolverDnCreateSyevjInfo(unknown**);
int cusolverDnDestroySyevjInfo(unknown*);
int cusolverDnCreateGesvdjInfo(unknown**);
int cusolverDnDestroyGesvdjInfo(unknown*);
int cusolverDnDestroyParams(unknown*);
int cusolverGetVersion(int*);
int cusolverRfCreate(unknown**);
int cusolverSpCreate(handle**);
int cusolverSpDestroy(handle*);
int cusparseCreateMatDescr(matrix_description**);
int cusparseDestroyMatDescr(matrix_description*);
#define ENTRY(name, parameters, call) int name parameters;
#include "math/solver/cusolver_any.def"
#include "math/solver/cusolver_factors.def"
#include "math/solver/cusolver_sparse.def"
#include "math/solver/cusolver_spectra.def"
#undef ENTRY
}

namespace {

// Matrices of the host, in columns.
template <class T>
struct matrix {
  index_t rows = 0, columns = 0;
  std::vector<T> values;
  matrix(index_t m, index_t n) : rows(m), columns(n), values(static_cast<std::size_t>(m * n)) {}
  matrix(index_t m, index_t n, std::vector<T> v) : rows(m), columns(n), values(std::move(v)) {}
  T& operator()(index_t i, index_t j) { return values[static_cast<std::size_t>(j * rows + i)]; }
  T operator()(index_t i, index_t j) const { return values[static_cast<std::size_t>(j * rows + i)]; }
};
template <class T>
std::vector<T> zeros(index_t count) {
  return std::vector<T>(static_cast<std::size_t>(count));
}
template <class T>
matrix<T> random_matrix(index_t m, index_t n) {
  static std::mt19937_64 random(3);
  std::uniform_real_distribution<double> numbers(-1, 1);
  matrix<T> a(m, n);
  for (T& x : a.values) {
    if constexpr (is_complex_type<T>)
      x = T(static_cast<real<T>>(numbers(random)), static_cast<real<T>>(numbers(random)));
    else
      x = static_cast<T>(numbers(random));
  }
  return a;
}
template <class T>
matrix<T> operator*(const matrix<T>& a, const matrix<T>& b) {
  matrix<T> c(a.rows, b.columns);
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t j = 0; j < b.columns; ++j)
      for (index_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}
template <class T>
matrix<T> turned(const matrix<T>& a) {
  matrix<T> t(a.columns, a.rows);
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t j = 0; j < a.columns; ++j) t(j, i) = conjugate_if(true, a(i, j));
  return t;
}
template <class T>
matrix<T> columns_of(const matrix<T>& a, index_t count) {
  return {a.rows, count, {a.values.begin(), a.values.begin() + a.rows * count}};
}
// A triangle of it, `unit`: with ones on the diagonal.
template <class T>
matrix<T> part_of(const matrix<T>& a, int part, bool unit) {
  matrix<T> t(a.rows, a.columns);
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t j = 0; j < a.columns; ++j)
      if (i == j || (i > j) == (part == lower)) t(i, j) = i == j && unit ? T(1) : a(i, j);
  return t;
}
template <class T>
matrix<T> diagonal(const std::vector<real<T>>& w) {
  const auto n = static_cast<index_t>(w.size());
  matrix<T> d(n, n);
  for (index_t i = 0; i < n; ++i) d(i, i) = w[static_cast<std::size_t>(i)];
  return d;
}
template <class T>
matrix<T> identity(index_t n) {
  return diagonal<T>(std::vector<real<T>>(static_cast<std::size_t>(n), 1));
}
template <class T>
void expect_near(const matrix<T>& a, const matrix<T>& b, double most = 0) {
  if (most == 0) most = (sizeof(real<T>) == 4 ? 2e-5 : 1e-12) * static_cast<double>(a.rows + a.columns);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) ASSERT_NEAR(std::abs(a.values[i] - b.values[i]), 0, most) << i;
}
template <class T>
matrix<T> positive(index_t n) {
  const matrix<T> a = random_matrix<T>(n, n);
  matrix<T> p = a * turned(a);
  for (index_t i = 0; i < n; ++i) p(i, i) = std::real(p(i, i)) + real<T>(1);
  return p;
}
template <class T>
matrix<T> read(const on_device<T>& d, index_t m, index_t n) {
  return {m, n, d.read()};
}

// Functions of a type, by the letter of it.
template <class T>
struct api;
#define API(S, T, O, Y)                                                               \
  template <>                                                                         \
  struct api<T> {                                                                     \
    static constexpr auto potrf = cusolverDn##S##potrf, potri = cusolverDn##S##potri; \
    static constexpr auto potrs = cusolverDn##S##potrs;                               \
    static constexpr auto potrf_batched = cusolverDn##S##potrfBatched;                \
    static constexpr auto potrs_batched = cusolverDn##S##potrsBatched;                \
    static constexpr auto getrf = cusolverDn##S##getrf;                               \
    static constexpr auto getrs = cusolverDn##S##getrs;                               \
    static constexpr auto laswp = cusolverDn##S##laswp;                               \
    static constexpr auto geqrf = cusolverDn##S##geqrf;                               \
    static constexpr auto orgqr = cusolverDn##S##O##gqr;                              \
    static constexpr auto ormqr = cusolverDn##S##O##mqr;                              \
    static constexpr auto sytrf = cusolverDn##S##sytrf;                               \
    static constexpr auto gebrd = cusolverDn##S##gebrd;                               \
    static constexpr auto orgbr = cusolverDn##S##O##gbr;                              \
    static constexpr auto sytrd = cusolverDn##S##Y##trd;                              \
    static constexpr auto orgtr = cusolverDn##S##O##gtr;                              \
    static constexpr auto syevd = cusolverDn##S##Y##evd;                              \
    static constexpr auto syevj_batched = cusolverDn##S##Y##evjBatched;               \
    static constexpr auto syevdx = cusolverDn##S##Y##evdx;                            \
    static constexpr auto sygvd = cusolverDn##S##Y##gvd;                              \
    static constexpr auto gesvd = cusolverDn##S##gesvd;                               \
    static constexpr auto gesvd_size = cusolverDn##S##gesvd_bufferSize;               \
    static constexpr auto gesvdj = cusolverDn##S##gesvdj;                             \
    static constexpr auto gesvdj_batched = cusolverDn##S##gesvdjBatched;              \
    static constexpr auto gesvda = cusolverDn##S##gesvdaStridedBatched;               \
    static constexpr auto gesv = cusolverDn##S##S##gesv;                              \
    static constexpr auto gels = cusolverDn##S##S##gels;                              \
    static constexpr auto csrlsvqr = cusolverSp##S##csrlsvqr;                         \
    static constexpr auto csrlsvchol = cusolverSp##S##csrlsvchol;                     \
  };
API(S, float, or, sy)
API(D, double, or, sy)
API(C, cfloat, un, he)
API(Z, cdouble, un, he)

template <class T>
class Cusolver : public testing::Test {
 public:
  void SetUp() override {
    unknown* made = nullptr;
    ASSERT_EQ(cusolverDnCreate(&made), 0);
    h = reinterpret_cast<handle*>(made);
    ASSERT_EQ(cusolverDnCreateParams(&params), 0);
    ASSERT_EQ(cusolverDnCreateSyevjInfo(&jacobi), 0);
    ASSERT_EQ(cusolverDnCreateGesvdjInfo(&jacobi_of_svd), 0);
    if (api<T>::potrf(h, lower, 1, work, 1, work + 1, size - 1, info) == solver_not_supported)
      GTEST_SKIP() << "there is no LAPACK on this machine";
  }
  void TearDown() override {
    cusolverDnDestroyGesvdjInfo(jacobi_of_svd);
    cusolverDnDestroySyevjInfo(jacobi);
    cusolverDnDestroyParams(params);
    cusolverDnDestroy(reinterpret_cast<unknown*>(h));
  }
  void expect_info(int expected) { EXPECT_EQ(info.read()[0], expected); }
  handle* h = nullptr;
  unknown *params = nullptr, *jacobi = nullptr, *jacobi_of_svd = nullptr;
  // Larger than any function requires, also in NVIDIA's own library.
  static constexpr int size = 1 << 20;
  static constexpr std::size_t bytes = size * sizeof(T);
  on_device<T> work{zeros<T>(size)};
  std::vector<char> host = std::vector<char>(1 << 20);
  on_device<int> info{std::vector<int>{-77}};
};
using all_types = testing::Types<float, double, cfloat, cdouble>;
TYPED_TEST_SUITE(Cusolver, all_types);

TYPED_TEST(Cusolver, CholeskyMultipliesOutAndSolves) {
  using T = TypeParam;
  constexpr int n = 7, columns = 3;
  const matrix<T> a = positive<T>(n), x = random_matrix<T>(n, columns);
  for (const int part : {lower, upper}) {
    const on_device<T> on(a.values), b((a * x).values);
    ASSERT_EQ(api<T>::potrf(this->h, part, n, on, n, this->work, this->size, this->info), 0);
    this->expect_info(0);
    const matrix<T> f = part_of(read(on, n, n), part, false);
    expect_near(part == lower ? f * turned(f) : turned(f) * f, a);
    ASSERT_EQ(api<T>::potrs(this->h, part, n, columns, on, n, b, n, this->info), 0);
    expect_near(read(b, n, columns), x, 1e-3);
    ASSERT_EQ(api<T>::potri(this->h, part, n, on, n, this->work, this->size, this->info), 0);
    const matrix<T> inverse = read(on, n, n), expected = a;
    matrix<T> whole = inverse;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j)
        if (i != j && (i > j) != (part == lower)) whole(i, j) = conjugate_if(true, inverse(j, i));
    expect_near(whole * a, identity<T>(n), 1e-3);
  }
}
TYPED_TEST(Cusolver, CholeskySaysWhichMinorIsNotPositive) {
  using T = TypeParam;
  matrix<T> a = identity<T>(5);
  a(3, 3) = T(-1);
  const on_device<T> on(a.values), other(identity<T>(5).values);
  ASSERT_EQ(api<T>::potrf(this->h, lower, 5, on, 5, this->work, this->size, this->info), 0);
  this->expect_info(4);
  const on_device<T> again(a.values);  // what is left of the first is nobody's business
  const on_device<T*> pointers({again.get(), other.get()});
  const on_device<int> each(zeros<int>(2));
  ASSERT_EQ(api<T>::potrf_batched(this->h, upper, 5, pointers, 5, each, 2), 0);
  EXPECT_EQ(each.read(), (std::vector<int>{4, 0}));
  const on_device<T> b(std::vector<T>(5, T(2)));
  const on_device<T*> sides({b.get(), b.get()}), good({other.get(), other.get()});
  ASSERT_EQ(api<T>::potrs_batched(this->h, lower, 5, 1, good, 5, sides, 5, this->info, 2), 0);
  EXPECT_EQ(b.read(), std::vector<T>(5, T(2)));
  EXPECT_EQ(api<T>::potrf(this->h, lower, 5, on, 4, this->work, this->size, this->info), 3);
}

TYPED_TEST(Cusolver, LuMultipliesOutAndSolves) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair{6, 6}, {8, 5}, {4, 7}}) {
    const int least = std::min(m, n);
    const matrix<T> a = random_matrix<T>(m, n);
    const on_device<T> on(a.values), rows(a.values);
    const on_device<int> pivots(zeros<int>(least));
    ASSERT_EQ(api<T>::getrf(this->h, m, n, on, m, this->work, pivots, this->info), 0);
    this->expect_info(0);
    const matrix<T> f = read(on, m, n);
    matrix<T> l(m, least), u(least, n);
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < least; ++j) l(i, j) = i == j ? T(1) : i > j ? f(i, j) : T(0);
    for (index_t i = 0; i < least; ++i)
      for (index_t j = i; j < n; ++j) u(i, j) = f(i, j);
    ASSERT_EQ(api<T>::laswp(this->h, n, rows, m, 1, least, pivots, 1), 0);
    expect_near(l * u, read(rows, m, n));
    if (m != n) continue;
    const matrix<T> x = random_matrix<T>(n, 2);
    for (const int o : {as_it_is, transposed, adjoint}) {
      matrix<T> op = o == as_it_is ? a : turned(a);
      if (o == transposed)
        for (T& e : op.values) e = conjugate_if(true, e);
      const on_device<T> b((op * x).values);
      ASSERT_EQ(api<T>::getrs(this->h, o, n, 2, on, n, pivots, b, n, this->info), 0);
      expect_near(read(b, n, 2), x, 1e-3);
    }
  }
}
TYPED_TEST(Cusolver, LuWithoutPivotsKeepsItsRows) {
  using T = TypeParam;
  const matrix<T> a = positive<T>(5);
  const on_device<T> on(a.values);
  ASSERT_EQ(api<T>::getrf(this->h, 5, 5, on, 5, this->work, nullptr, this->info), 0);
  const matrix<T> f = read(on, 5, 5);
  expect_near(part_of(f, lower, true) * part_of(f, upper, false), a, 1e-3);
  const on_device<T> zero(zeros<T>(9));
  const on_device<int> pivots(zeros<int>(3));
  ASSERT_EQ(api<T>::getrf(this->h, 3, 3, zero, 3, this->work, pivots, this->info), 0);
  this->expect_info(1);
}

TYPED_TEST(Cusolver, QrMultipliesOut) {
  using T = TypeParam;
  constexpr int m = 9, n = 5;
  const matrix<T> a = random_matrix<T>(m, n);
  const on_device<T> on(a.values), tau(zeros<T>(n)), c(a.values);
  ASSERT_EQ(api<T>::geqrf(this->h, m, n, on, m, tau, this->work, this->size, this->info), 0);
  this->expect_info(0);
  const matrix<T> r = part_of(read(on, m, n), upper, false);
  // Q' * a is R.
  const int turn = is_complex_type<T> ? adjoint : transposed;
  ASSERT_EQ(api<T>::ormqr(this->h, left, turn, m, n, n, on, m, tau, c, m, this->work, this->size, this->info), 0);
  expect_near(read(c, m, n), r);
  ASSERT_EQ(api<T>::orgqr(this->h, m, n, n, on, m, tau, this->work, this->size, this->info), 0);
  const matrix<T> q = read(on, m, n);
  expect_near(turned(q) * q, identity<T>(n));
  matrix<T> top(n, n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) top(i, j) = r(i, j);
  expect_near(q * top, a);
}

TYPED_TEST(Cusolver, LeastSquaresLeaveNothingAlongTheColumns) {
  using T = TypeParam;
  constexpr int m = 9, n = 4;
  const matrix<T> a = random_matrix<T>(m, n), b = random_matrix<T>(m, 2), square = positive<T>(n);
  const on_device<T> on(a.values), sides(b.values), x(zeros<T>(n * 2));
  int rounds = -5;
  ASSERT_EQ(api<T>::gels(this->h, m, n, 2, on, m, sides, m, x, n, this->work, this->bytes, &rounds, this->info), 0);
  EXPECT_LE(rounds, 0);  // what was refined in rounds would be above
  matrix<T> rest = a * read(x, n, 2);
  for (std::size_t i = 0; i < rest.values.size(); ++i) rest.values[i] -= b.values[i];
  expect_near(turned(a) * rest, matrix<T>(n, 2));
  const matrix<T> known = random_matrix<T>(n, 2);
  const on_device<T> s(square.values), right((square * known).values);
  const on_device<int> pivots(zeros<int>(n));
  ASSERT_EQ(api<T>::gesv(this->h, n, 2, s, n, pivots, right, n, x, n, this->work, this->bytes, &rounds, this->info), 0);
  expect_near(read(x, n, 2), known, 1e-3);
}

TYPED_TEST(Cusolver, PivotedLdlSolves) {
  using T = TypeParam;
  constexpr int n = 6;
  matrix<T> a = random_matrix<T>(n, n);  // also symmetric for complex numbers
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < i; ++j) a(i, j) = a(j, i);
  for (index_t i = 0; i < n; ++i) a(i, i) = T(0);
  const matrix<T> x = random_matrix<T>(n, 2);
  const on_device<T> on(a.values), b((a * x).values);
  const on_device<int> pivots(zeros<int>(n));
  ASSERT_EQ(api<T>::sytrf(this->h, lower, n, on, n, pivots, this->work, this->size, this->info), 0);
  this->expect_info(0);
  const auto order = pivots.read();
  EXPECT_LT(*std::min_element(order.begin(), order.end()), 0);  // a block of two: the diagonal has zeros alone
  const on_device<std::int64_t> wide(std::vector<std::int64_t>(order.begin(), order.end()));
  const int type = type_of(T());
  ASSERT_EQ(cusolverDnXsytrs(this->h, lower, n, 2, type, on, n, wide, type, b, n, this->work, this->bytes,
                             this->host.data(), this->host.size(), this->info),
            0);
  expect_near(read(b, n, 2), x, 2e-3);
}

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
  // Two of them in one call, and their values alone.
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
  // The third to the fifth, and those between numbers.
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
  if constexpr (!is_complex_type<T>) {  // real parts, then imaginary ones
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
  // v in place of its adjoint, and matrices that are wider than high.
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
  // The two largest.
  std::vector<double> errors(batch, -1);
  const on_device<T> u2(zeros<T>(m * rank * batch)), v2(zeros<T>(n * rank * batch));
  const on_device<R> s2(zeros<R>(rank * batch));
  ASSERT_EQ(api<T>::gesvda(this->h, 1, rank, m, n, kept, m, m * n, s2, rank, u2, m, m * rank, v2, n, n * rank,
                           this->work, this->size, each, errors.data(), batch),
            0);
  const auto two = s2.read();
  for (std::size_t i = 0; i < batch; ++i) {
    EXPECT_NEAR(two[2 * i + 1], values[n * i + 1], 1e-4);
    EXPECT_NEAR(errors[i], 0, 1e-5);  // of existing values, whatever is omitted
  }
  EXPECT_EQ(kept.read(), all.values);
}

TYPED_TEST(Cusolver, SparseSystemsAreSolved) {
  using T = TypeParam;
  constexpr int n = 6;
  matrix<T> a = positive<T>(n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      if (i - j > 2 || j - i > 2) a(i, j) = T(0);
  for (index_t i = 0; i < n; ++i) a(i, i) += T(4);
  std::vector<T> values;
  std::vector<int> offsets = {0}, columns;
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < n; ++j)
      if (a(i, j) != T(0)) {
        values.push_back(a(i, j));
        columns.push_back(static_cast<int>(j));
      }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  const matrix<T> x = random_matrix<T>(n, 1);
  const on_device<T> on(values), b((a * x).values), zero(zeros<T>(static_cast<index_t>(values.size()))),
      to(zeros<T>(n));
  const on_device<int> begins(offsets), at(columns);
  handle* sparse = nullptr;
  matrix_description* d = nullptr;
  ASSERT_EQ(cusolverSpCreate(&sparse), 0);
  ASSERT_EQ(cusparseCreateMatDescr(&d), 0);
  const int count = static_cast<int>(values.size());
  for (const bool cholesky : {false, true}) {
    const auto solve = cholesky ? api<T>::csrlsvchol : api<T>::csrlsvqr;
    int row = -5;
    ASSERT_EQ(solve(sparse, n, count, d, on, begins, at, b, 0, 0, to, &row), 0);
    EXPECT_EQ(row, -1);
    expect_near(read(to, n, 1), x, 1e-3);
    ASSERT_EQ(solve(sparse, n, count, d, zero, begins, at, b, 0, 0, to, &row), 0);
    EXPECT_GE(row, 0);
  }
  EXPECT_EQ(cusparseDestroyMatDescr(d), 0);
  EXPECT_EQ(cusolverSpDestroy(sparse), 0);
}

TYPED_TEST(Cusolver, ReducesToTwoDiagonals) {
  using T = TypeParam;
  using R = real<T>;
  constexpr int m = 6, n = 4;
  const matrix<T> a = random_matrix<T>(m, n), square = positive<T>(n);
  const on_device<T> on(a.values), tau_q(zeros<T>(n)), tau_p(zeros<T>(n));
  const on_device<R> d(zeros<R>(n)), e(zeros<R>(n));
  ASSERT_EQ(api<T>::gebrd(this->h, m, n, on, m, d, e, tau_q, tau_p, this->work, this->size, this->info), 0);
  matrix<T> band = diagonal<T>(d.read()), p(n, n);
  const auto beside = e.read();
  for (index_t i = 0; i + 1 < n; ++i) band(i, i + 1) = beside[static_cast<std::size_t>(i)];
  const matrix<T> both = read(on, m, n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) p(i, j) = both(i, j);
  const on_device<T> form_p(p.values);
  ASSERT_EQ(api<T>::orgbr(this->h, left, m, n, n, on, m, tau_q, this->work, this->size, this->info), 0);
  ASSERT_EQ(api<T>::orgbr(this->h, right, n, n, m, form_p, n, tau_p, this->work, this->size, this->info), 0);
  expect_near(read(on, m, n) * band * read(form_p, n, n), a);
  const on_device<T> s(square.values);
  ASSERT_EQ(api<T>::sytrd(this->h, lower, n, s, n, d, e, tau_q, this->work, this->size, this->info), 0);
  matrix<T> three = diagonal<T>(d.read());
  const auto next = e.read();
  for (index_t i = 0; i + 1 < n; ++i) three(i, i + 1) = three(i + 1, i) = next[static_cast<std::size_t>(i)];
  ASSERT_EQ(api<T>::orgtr(this->h, lower, n, s, n, tau_q, this->work, this->size, this->info), 0);
  const matrix<T> q = read(s, n, n);
  expect_near(q * three * turned(q), square, 1e-3);
}

TYPED_TEST(Cusolver, FormsOfAnyTypeAreTheSame) {
  using T = TypeParam;
  using R = real<T>;
  constexpr index_t n = 6;
  const int type = type_of(T()), real_type = type_of(R());
  const matrix<T> a = positive<T>(n), x = random_matrix<T>(n, 1);
  const on_device<T> c(a.values), u(a.values), b((a * x).values), q(a.values), tau(zeros<T>(n));
  const on_device<std::int64_t> pivots(zeros<std::int64_t>(n));
  std::size_t on_device_bytes = 0, on_host_bytes = 7;
  ASSERT_EQ(
      cusolverDnXpotrf_bufferSize(this->h, this->params, upper, n, type, c, n, type, &on_device_bytes, &on_host_bytes),
      0);
  EXPECT_GT(on_device_bytes, 0u);
  EXPECT_LT(on_host_bytes, this->host.size());
  ASSERT_EQ(cusolverDnXpotrf(this->h, this->params, upper, n, type, c, n, type, this->work, this->bytes,
                             this->host.data(), this->host.size(), this->info),
            0);
  ASSERT_EQ(cusolverDnXpotrs(this->h, this->params, upper, n, 1, type, c, n, type, b, n, this->info), 0);
  expect_near(read(b, n, 1), x, 1e-3);
  ASSERT_EQ(cusolverDnXtrtri(this->h, upper, 0, n, type, c, n, this->work, this->bytes, this->host.data(),
                             this->host.size(), this->info),
            0);
  const matrix<T> inverse = part_of(read(c, n, n), upper, false);
  expect_near(inverse * turned(inverse) * a, identity<T>(n), 1e-3);
  const on_device<T> sides((a * x).values);
  ASSERT_EQ(cusolverDnXgetrf(this->h, this->params, n, n, type, u, n, pivots, type, this->work, this->bytes,
                             this->host.data(), this->host.size(), this->info),
            0);
  ASSERT_EQ(cusolverDnXgetrs(this->h, this->params, as_it_is, n, 1, type, u, n, pivots, type, sides, n, this->info), 0);
  expect_near(read(sides, n, 1), x, 1e-3);
  ASSERT_EQ(cusolverDnXgeqrf(this->h, this->params, n, n, type, q, n, type, tau, type, this->work, this->bytes,
                             this->host.data(), this->host.size(), this->info),
            0);
  const matrix<T> r = part_of(read(q, n, n), upper, false);
  expect_near(turned(r) * r, turned(a) * a, 5e-3);
  const on_device<T> e(a.values), s(a.values), us(zeros<T>(n * n)), vs(zeros<T>(n * n));
  const on_device<R> w(zeros<R>(n)), values(zeros<R>(n));
  ASSERT_EQ(cusolverDnXsyevd(this->h, this->params, 1, lower, n, type, e, n, real_type, w, type, this->work,
                             this->bytes, this->host.data(), this->host.size(), this->info),
            0);
  const matrix<T> v = read(e, n, n);
  expect_near(v * diagonal<T>(w.read()) * turned(v), a);
  double error = -1;
  ASSERT_EQ(
      cusolverDnXgesvdp(this->h, this->params, 1, 1, n, n, type, s, n, real_type, values, type, us, n, type, vs, n,
                        type, this->work, this->bytes, this->host.data(), this->host.size(), this->info, &error),
      0);
  EXPECT_EQ(error, 0);
  expect_near(read(us, n, n) * diagonal<T>(values.read()) * turned(read(vs, n, n)), a);
  EXPECT_EQ(cusolverDnXpotrf(this->h, this->params, upper, n, f16, c, n, type, this->work, this->bytes,
                             this->host.data(), this->host.size(), this->info),
            3);
}

TEST(CusolverHandles, AreMadeAndKept) {
  unknown* info = nullptr;
  ASSERT_EQ(cusolverDnCreateSyevjInfo(&info), 0);
  EXPECT_EQ(cusolverDnXsyevjSetTolerance(info, 1e-7), 0);
  EXPECT_EQ(cusolverDnDestroySyevjInfo(info), 0);
  int version = 0;
  EXPECT_EQ(cusolverGetVersion(&version), 0);
  EXPECT_EQ(version / 1000, 12);
  EXPECT_EQ(cusolverDnCreate(nullptr), 3);
  EXPECT_EQ(cusolverDnDpotrf(nullptr, lower, 1, nullptr, 1, nullptr, 0, nullptr), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cusolverRfCreate(&info), 9);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cusolverRfCreate is not in bankwise's cuSOLVER yet"),
            std::string::npos);
}

}  // namespace
