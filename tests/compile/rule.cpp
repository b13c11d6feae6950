// Uses the public headers with a user's host compiler: C++17, all warnings, static and run-time assertions.
#include <bankwise/bankwise.hpp>

namespace {

using namespace bankwise;

struct column {
  tile_layout tile;
  BANKWISE_HD constexpr u32 operator()(u32 lane) const { return tile(lane, 0); }
};

BANKWISE_ASSERT_WAVEFRONTS(make_access(ld(4), column{{4, 33 * 4}}), 1);
BANKWISE_ASSERT_WAVEFRONTS(make_access(ld(4), column{{4, 32 * 4}}), 32);
BANKWISE_ASSERT_WAVEFRONTS(make_access(ld(4), column{{4, 64 * 4}}), 32, kepler_model(4));
BANKWISE_ASSERT_CONFLICT_FREE(make_access(ld(4), column{{4, 33 * 4}}));
// TMA's 128-byte swizzle removes the conflicts of a column of 16-byte chunks.
BANKWISE_ASSERT_CONFLICT_FREE(make_access(ldmatrix(1), column{{16, 128, {3, 4, 3}}}));
static_assert(is_bijective(swizzle{3, 4, 3}) && !is_bijective(swizzle{3, 4, 2}), "");
static_assert(swizzle{3, 4, 3}(swizzle{3, 4, 3}(0x3f0)) == 0x3f0, "");

constexpr u32 sum_of_256() {
  u32 sum = 0;
  for (u32 i = 0; i < 256; ++i) {
    const operation op = i % 4 == 0 ? ld(16) : i % 4 == 1 ? ld(8) : i % 4 == 2 ? st(16) : ld(4);
    sum += wavefronts(make_access(op, column{{16, op.width_bytes * (i / 4 + 1)}}));
  }
  return sum;
}
static_assert(sum_of_256() > 256, "256 analyses fit one constant expression at default limits");

}  // namespace

u32 used_at_run_time(const access& a) { return analyze(a).cycles + explain(a).phases; }
