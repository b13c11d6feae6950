// Compares cuFFT's transforms with explicit sums: lengths of every kind, several dimensions, real numbers, strides, and
// transforms in place.
#include <cmath>

#include "math/common/device_memory.hpp"

using bankwise::math::cdouble;
using bankwise::math::cfloat;
template <class T>
using on_device = bankwise::test::on_device<T>;
using bankwise::test::small_numbers;

extern "C" {
int cufftPlan1d(int*, int, int, int);
int cufftPlan3d(int*, int, int, int, int);
int cufftPlan2d(int*, int, int, int);
int cufftPlanMany(int*, int, int*, int*, int, int, int*, int, int, int, int);
int cufftDestroy(int);
int cufftExecC2C(int, const void*, void*, int);
int cufftExecZ2Z(int, const void*, void*, int);
int cufftExecD2Z(int, const void*, void*);
int cufftExecZ2D(int, const void*, void*);
int cufftExecR2C(int, const void*, void*);
int cufftXtSetCallback();
}

namespace {

enum type : int { c2c = 0x29, r2c = 0x2a, z2z = 0x69, d2z = 0x6a, z2d = 0x6c };

// Returns the transform over all three dimensions.
std::vector<cdouble> transformed(const std::vector<cdouble>& x, int nx, int ny, int nz, int sign) {
  std::vector<cdouble> y(x.size());
  for (int a = 0; a < nx; ++a)
    for (int b = 0; b < ny; ++b)
      for (int c = 0; c < nz; ++c) {
        cdouble sum = 0;
        for (int i = 0; i < nx; ++i)
          for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k) {
              const double turn = static_cast<double>(a * i % nx) / nx + static_cast<double>(b * j % ny) / ny +
                                  static_cast<double>(static_cast<long>(c) * k % nz) / nz;
              sum += x[static_cast<std::size_t>((i * ny + j) * nz + k)] * std::polar(1.0, sign * 2 * M_PI * turn);
            }
        y[static_cast<std::size_t>((a * ny + b) * nz + c)] = sum;
      }
  return y;
}
template <class T>
void expect_near(const std::vector<T>& got, const std::vector<cdouble>& expected, double most) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(std::abs(cdouble(got[i]) - expected[i]), 0, most) << i;
}

TEST(Cufft, TransformsEveryLength) {
  for (const int n : {1, 2, 3, 4, 5, 8, 12, 31, 37, 64, 74, 100, 127, 360, 1009}) {
    const auto x = small_numbers<cdouble>(static_cast<std::size_t>(n));
    for (const int sign : {-1, 1}) {
      int plan = 0;
      ASSERT_EQ(cufftPlan1d(&plan, n, z2z, 1), 0);
      const on_device<cdouble> from(x), to(std::vector<cdouble>(x.size()));
      ASSERT_EQ(cufftExecZ2Z(plan, from, to, sign), 0);
      expect_near(to.read(), transformed(x, 1, 1, n, sign), 1e-9);
      ASSERT_EQ(cufftExecZ2Z(plan, from, from, sign), 0);
      EXPECT_EQ(from.read(), to.read());
      EXPECT_EQ(cufftDestroy(plan), 0);
    }
  }
}

TEST(Cufft, TransformsDimensionsAndBatches) {
  constexpr int nx = 3, ny = 4, nz = 10;
  const auto x = small_numbers<cfloat>(nx * ny * nz);
  int plan = 0;
  ASSERT_EQ(cufftPlan3d(&plan, nx, ny, nz, c2c), 0);
  const on_device<cfloat> from(x), to(std::vector<cfloat>(x.size()));
  ASSERT_EQ(cufftExecC2C(plan, from, to, -1), 0);
  expect_near(to.read(), transformed({x.begin(), x.end()}, nx, ny, nz, -1), 1e-4);
  // Transforms the columns of a matrix by setting the stride and the distance.
  int size = nz, embed = nz;
  ASSERT_EQ(cufftPlanMany(&plan, 1, &size, &embed, nx * ny, 1, &embed, 1, nz, c2c, nx * ny), 0);
  ASSERT_EQ(cufftExecC2C(plan, from, to, 1), 0);
  const auto got = to.read();
  for (int b = 0; b < nx * ny; ++b) {
    std::vector<cdouble> line;
    for (int i = 0; i < nz; ++i) line.push_back(x[static_cast<std::size_t>(i * nx * ny + b)]);
    expect_near(std::vector<cfloat>(got.begin() + b * nz, got.begin() + (b + 1) * nz), transformed(line, 1, 1, nz, 1),
                1e-4);
  }
}

TEST(Cufft, TransformsRealNumbersThereAndBack) {
  for (const int nz : {9, 10}) {
    constexpr int nx = 4, ny = 6;
    const std::size_t count = nx * ny * static_cast<std::size_t>(nz), half = nz / 2 + 1;
    const auto x = small_numbers<double>(count);
    int plan = 0, back = 0;
    ASSERT_EQ(cufftPlan3d(&plan, nx, ny, nz, d2z), 0);
    ASSERT_EQ(cufftPlan3d(&back, nx, ny, nz, z2d), 0);
    const on_device<double> from(x), again(std::vector<double>(x.size()));
    const on_device<cdouble> to(std::vector<cdouble>(nx * ny * half));
    ASSERT_EQ(cufftExecD2Z(plan, from, to), 0);
    const auto whole = transformed({x.begin(), x.end()}, nx, ny, nz, -1);
    std::vector<cdouble> expected;
    for (std::size_t i = 0; i < count; ++i)
      if (i % static_cast<std::size_t>(nz) < half) expected.push_back(whole[i]);
    expect_near(to.read(), expected, 1e-9);
    ASSERT_EQ(cufftExecZ2D(back, to, again), 0);
    const auto got = again.read();
    for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(got[i], x[i] * static_cast<double>(count), 1e-8);
    // For a transform in place, a row of the input is as long as its result.
    std::vector<double> padded(nx * ny * half * 2);
    for (std::size_t i = 0; i < count; ++i)
      padded[i / static_cast<std::size_t>(nz) * half * 2 + i % static_cast<std::size_t>(nz)] = x[i];
    const on_device<double> here(padded);
    ASSERT_EQ(cufftExecD2Z(plan, here, here), 0);
    const auto in_place = here.read();
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(std::abs(cdouble(in_place[2 * i], in_place[2 * i + 1]) - expected[i]), 0, 1e-9);
  }
}

TEST(Cufft, RefusesWhatCannotBe) {
  int plan = 0;
  EXPECT_EQ(cufftPlan1d(&plan, 0, c2c, 1), 8);
  EXPECT_EQ(cufftPlan1d(&plan, 8, 7, 1), 3);
  EXPECT_EQ(cufftPlan1d(&plan, 8, c2c, 0), 4);
  EXPECT_EQ(cufftExecC2C(12345, nullptr, nullptr, 1), 1);
  ASSERT_EQ(cufftPlan2d(&plan, 8, 8, c2c), 0);
  const on_device<cfloat> x(std::vector<cfloat>(60));
  EXPECT_EQ(cufftExecZ2Z(plan, x, x, 1), 3);
  EXPECT_EQ(cufftExecR2C(plan, x, x), 3);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cufftExecC2C(plan, x, x, 1), 6);  // the result would extend past the allocation
  EXPECT_EQ(cufftXtSetCallback(), 16);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cufftXtSetCallback is not in bankwise's cuFFT yet"),
            std::string::npos);
}

}  // namespace
