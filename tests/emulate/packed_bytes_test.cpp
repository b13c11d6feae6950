// Tests conversions of floats to packed bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

// ptxas merges the maximum with zero into the conversion. The instruction is F2IP.S8.F32.NTZ.RELU.
TEST(PackedBytes, HaveNoNegativeNumbersWithRelu) {
  std::vector<float> from(128);
  for (std::size_t n = 0; n < from.size(); ++n) from[n] = -90.0f + 2.5f * static_cast<float>(n);
  const auto done =
      test::run_kernel({.cubin = "tests/kernels/blackwell/packed_bytes.cubin",
                        .kernel = "packs_positive",
                        .arguments = {"u8[512]=file:from", "out:u32[32]"},
                        .files = {{"from", std::string(reinterpret_cast<const char*>(from.data()), 512)}}});
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<std::uint8_t> out = done->buffer<std::uint8_t>(1);
  for (std::size_t n = 0; n < from.size(); ++n) {
    // Halves are rounded to the even neighbour.
    const float expected = std::min(std::max(std::nearbyint(from[n]), 0.0f), 127.0f);
    EXPECT_EQ(out.at(n), static_cast<std::uint8_t>(expected)) << from[n];
  }
}

}  // namespace
}  // namespace bankwise
