// Tests where the host's BLAS or LAPACK is found, and how its functions are called.
#include "math/common/host_library.hpp"

#include <gtest/gtest.h>

using namespace bankwise::math;

namespace {

TEST(HostLibrary, IsFoundAmongWhatIsLoaded) {
  EXPECT_EQ(find_host_library("libnothing.so.1", {"dtriangular"}).library, nullptr);
  void* const wheel = ::dlopen(WHEEL_LIBRARY, RTLD_NOW);
  ASSERT_NE(wheel, nullptr) << ::dlerror();
  EXPECT_EQ(find_host_library("libnothing.so.1", {"dtriangular", "zheevd"}).library, nullptr);
  const host_library found = find_host_library("libnothing.so.1", {"dtriangular"});
  ASSERT_NE(found.library, nullptr);
  EXPECT_TRUE(found.has_long_integers);
  EXPECT_EQ(found.before + "d" + found.after, "scipy_d_64_");
  const double factor = 0.5;
  double sum = 0;
  constexpr std::int64_t count = std::int64_t{1} << 31;
  call_fortran(found.find("dtriangular"), 'S', count, &factor, &sum);
  EXPECT_EQ(sum, 0.5 * static_cast<double>(count / 2 * (count + 1)));
  {
    const library_alone alone(found);
    EXPECT_EQ(found.threads(), 1);
  }
  EXPECT_EQ(found.threads(), 5);
}

TEST(HostLibrary, IsTheNamedOneIfThatHasAllFunctions) {
  const host_library found = find_host_library(WHEEL_LIBRARY, {"scipy_dtriangular_64"});
  ASSERT_NE(found.library, nullptr);
  EXPECT_EQ(found.name, WHEEL_LIBRARY);
  EXPECT_FALSE(found.has_long_integers);
}

}  // namespace
