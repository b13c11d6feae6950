// Tests cuSOLVER's factorizations: the product of the factors must be the matrix.
#include "math/solver/cusolver_support.hpp"

namespace {

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
  const on_device<T> again(a.values);  // the rest of the first result is not defined
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
  EXPECT_LE(rounds, 0);  // above 0 only if the refinement took several rounds
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
  matrix<T> a = random_matrix<T>(n, n);  // made symmetric below; a complex matrix is also symmetric, not Hermitian
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < i; ++j) a(i, j) = a(j, i);
  for (index_t i = 0; i < n; ++i) a(i, i) = T(0);
  const matrix<T> x = random_matrix<T>(n, 2);
  const on_device<T> on(a.values), b((a * x).values);
  const on_device<int> pivots(zeros<int>(n));
  ASSERT_EQ(api<T>::sytrf(this->h, lower, n, on, n, pivots, this->work, this->size, this->info), 0);
  this->expect_info(0);
  const auto order = pivots.read();
  EXPECT_LT(*std::min_element(order.begin(), order.end()), 0);  // a 2 x 2 block, because the diagonal has only zeros
  const on_device<std::int64_t> wide(std::vector<std::int64_t>(order.begin(), order.end()));
  const int type = type_of(T());
  ASSERT_EQ(cusolverDnXsytrs(this->h, lower, n, 2, type, on, n, wide, type, b, n, this->work, this->bytes,
                             this->host.data(), this->host.size(), this->info),
            0);
  expect_near(read(b, n, 2), x, 2e-3);
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
