// Compares redux.sync of floats on sm_100a with the PTX manual's description of min and max.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/float_bits.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using word = std::uint32_t;
constexpr const char* cubin = "tests/kernels/blackwell/float_reductions.cubin";
constexpr word canonical_nan = 0x7fffffff;

struct form {
  const char* kernel;
  bool minimum, magnitudes, keeps_nan;
};
constexpr form forms[] = {
    {"least", true, false, false},
    {"greatest", false, false, false},
    {"least_magnitude", true, true, false},
    {"greatest_magnitude", false, true, false},
    {"least_or_nan", true, false, true},
    {"greatest_or_nan", false, false, true},
    {"least_magnitude_or_nan", true, true, true},
    {"greatest_magnitude_or_nan", false, true, true},
};

// Combines the operands one after another, as min.f32 or max.f32 does: a number is preferred to a NaN, and -0 is less
// than +0.
word combined(const form& f, word x, word y) {
  const float a = float_of_bits(x), b = float_of_bits(y);
  if (std::isnan(a) || std::isnan(b)) {
    if (f.keeps_nan || (std::isnan(a) && std::isnan(b))) return canonical_nan;
    return std::isnan(a) ? y : x;
  }
  const bool a_is_less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return a_is_less == f.minimum ? x : y;
}
word expected(const form& f, const std::vector<word>& in, word members, unsigned first) {
  std::optional<word> all;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((members >> lane & 1) == 0) continue;
    const word x = f.magnitudes ? in[first + lane] & 0x7fffffff : in[first + lane];
    all = combined(f, all.value_or(x), x);
  }
  return all.value_or(0);
}

void expect_reduced(const std::vector<word>& in, const std::vector<word>& members) {
  const std::string threads = std::to_string(in.size());
  for (const form& f : forms) {
    const auto done = test::run_kernel(
        {.cubin = cubin,
         .kernel = f.kernel,
         .block = {static_cast<word>(in.size()), 1, 1},
         .arguments = {"u32[" + threads + "]=file:in", "u32[" + std::to_string(members.size()) + "]=file:members",
                       "out:u32[" + threads + "]"},
         .files = {{"in", test::bytes_of(in)}, {"members", test::bytes_of(members)}}});
    ASSERT_TRUE(done) << f.kernel << to_text(done.error());
    const std::vector<word> out = done->buffer<word>(2);
    for (unsigned t = 0; t < in.size(); ++t) {
      const word mask = members[t / 32];
      const word want = (mask >> t % 32 & 1) != 0 ? expected(f, in, mask, t / 32 * 32) : 0;
      ASSERT_EQ(out[t], want) << f.kernel << " thread " << t << " of members " << std::hex << mask;
    }
  }
}

TEST(FloatReductions, FindTheExtremesOfTheMembers) {
  std::mt19937 random(1);
  std::vector<word> in, members;
  for (unsigned warp = 0; warp < 16; ++warp) {
    members.push_back(warp == 0 ? ~0u : warp == 1 ? 1u << 31 : static_cast<word>(random()) | 1u << warp);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const word any = static_cast<word>(random());
      const bool is_nan = (any & 0x7fffffff) > 0x7f800000;
      in.push_back(is_nan ? any & 0xbfffffff : any);
    }
  }
  expect_reduced(in, members);
}

TEST(FloatReductions, OrderZerosInfinitiesAndNaNs) {
  std::mt19937 random(2);
  constexpr word specials[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
                               0x7f800001, 1,          0x80000001, 0x3f800000, 0xbf800000, 0x007fffff};
  std::vector<word> in, members;
  for (unsigned warp = 0; warp < 32; ++warp) {
    // With few member lanes, some warps have only NaNs or only zeros.
    members.push_back(1u << random() % 32 | 1u << random() % 32 | (warp % 4 == 0 ? static_cast<word>(random()) : 0));
    const bool zeros = warp % 8 == 1, nans = warp % 8 == 2;
    for (unsigned lane = 0; lane < 32; ++lane)
      in.push_back(zeros  ? specials[random() % 2]
                   : nans ? specials[4 + random() % 3]
                          : specials[random() % std::size(specials)]);
  }
  expect_reduced(in, members);
}

}  // namespace
}  // namespace bankwise
