// Tests the estimated times of library calls: products of matrices take as long as cuBLAS was measured to take by others,
// and small ones as long as their tiles allow.
#include "runtime/clock/library_time.hpp"

#include <gtest/gtest.h>

namespace bankwise::cuda {
namespace {

math_rates h100() {
  math_rates r;
  set_product_rates(r, 90);
  return r;
}
double tflops(arithmetic in, double n, const math_rates& r = h100()) {
  return 2 * n * n * n / library_time_of(library_work::of_products(in, 1, n, n, n), r).nanoseconds / 1e3;
}

TEST(LibraryTime, LargeProductsReachThePublishedRates) {
  EXPECT_NEAR(tflops(arithmetic::single, 8192), 50, 5);
  EXPECT_NEAR(tflops(arithmetic::half, 8192), 750, 100);
  EXPECT_NEAR(tflops(arithmetic::tf32, 8192), 375, 60);
  EXPECT_NEAR(tflops(arithmetic::twice, 8192), 49, 6);
  math_rates a100{.clock = 1.41, .multiprocessors = 108, .lanes = 64, .doubles = 32};
  set_product_rates(a100, 80);
  EXPECT_NEAR(tflops(arithmetic::single, 8192, a100), 18, 1);
  EXPECT_NEAR(tflops(arithmetic::half, 8192, a100), 230, 30);
}

TEST(LibraryTime, SmallProductsCannotUseTheWholeDevice) {
  EXPECT_LT(tflops(arithmetic::half, 1024), 450);
  EXPECT_LT(tflops(arithmetic::half, 256), 40);
  EXPECT_GT(library_time_of(library_work::of_products(arithmetic::single, 1, 1, 1, 1), h100()).nanoseconds, 500);
}

TEST(LibraryTime, ADeepProductIsDividedAlongItsDepth) {
  const auto time = [](double depth) {
    return library_time_of(library_work::of_products(arithmetic::half, 1, 128, 128, depth), h100()).nanoseconds;
  };
  EXPECT_LT(time(16'384), 4 * time(1024));
}

TEST(LibraryTime, MoreWorkNeverTakesLess) {
  for (const auto in : {arithmetic::single, arithmetic::tf32, arithmetic::half, arithmetic::byte, arithmetic::twice}) {
    double before = 0;
    for (double n = 16; n <= 16'384; n *= 2) {
      const double time = library_time_of(library_work::of_products(in, 1, n, n, n), h100()).nanoseconds;
      EXPECT_GE(time, before) << n;
      before = time;
    }
  }
}

TEST(LibraryTime, ATriangleTakesHalfOfTheProduct) {
  library_work w = library_work::of_products(arithmetic::single, 1, 8192, 8192, 8192);
  const double whole = library_time_of(w, h100()).nanoseconds;
  w.operations /= 2;
  EXPECT_NEAR(library_time_of(w, h100()).nanoseconds, whole / 2, whole / 50);
}

TEST(LibraryTime, OtherWorkTakesTheRateOfTheLanes) {
  library_work w;
  w.operations = 132 * 128 * 1.98e6 * 0.75;
  EXPECT_NEAR(library_time_of(w, h100()).nanoseconds, 1e6, 1e4);
}

}  // namespace
}  // namespace bankwise::cuda
