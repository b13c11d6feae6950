// Tests USEL.64 of sm_120. The instruction selects the address that a block writes to.
#include <gtest/gtest.h>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

TEST(WideSelects, ChooseBothWords) {
  // An element has 8 bytes, so the upper three bits of an index do not affect the address.
  constexpr std::uint64_t unused = std::uint64_t{1} << 61, a = unused + 64, b = 5 * unused + 500;
  for (unsigned n = 0; n < 4; ++n) {
    std::vector<std::uint64_t> expected(1024);
    for (unsigned y = 0; y < 4; ++y)
      for (unsigned x = 0; x < 3; ++x)
        for (unsigned t = 0; t < 32; ++t) expected[(n + 1 != y ? 0x123 : n == x ? 64 * x : 501) + t] = 1;
    const auto done = test::run_kernel({.cubin = "tests/kernels/rtx/wide_selects.cubin",
                                        .kernel = "selects",
                                        .grid = {3, 4, 1},
                                        .block = {32, 1, 1},
                                        .arguments = {"u64=" + std::to_string(a), "u64=" + std::to_string(b),
                                                      "u32=" + std::to_string(n), "u64[1024]=zero"}});
    ASSERT_TRUE(done) << to_text(done.error());
    EXPECT_EQ(done->buffer<std::uint64_t>(3), expected) << n;
  }
}

}  // namespace
}  // namespace bankwise
