// Helpers of the tests of cuSOLVER: its functions, and matrices in host memory.
#pragma once

#include "math/common/device_memory.hpp"
#include "math/common/host_matrix.hpp"
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

template <class T>
using matrix = bankwise::test::host_matrix<T, index_t, false>;
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
matrix<T> turned(const matrix<T>& a) {
  return op(a, adjoint);
}
template <class T>
matrix<T> columns_of(const matrix<T>& a, index_t count) {
  return {a.rows, count, {a.values.begin(), a.values.begin() + a.rows * count}};
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

// The functions for one type. Each name contains a letter for the type.
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
  // The size of a work space. No function requires more, not even in NVIDIA's library.
  static constexpr int size = 1 << 20;
  static constexpr std::size_t bytes = size * sizeof(T);
  on_device<T> work{zeros<T>(size)};
  std::vector<char> host = std::vector<char>(1 << 20);
  on_device<int> info{std::vector<int>{-77}};
};
using all_types = testing::Types<float, double, cfloat, cdouble>;

}  // namespace
