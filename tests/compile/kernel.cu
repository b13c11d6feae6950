// Uses the public headers in device code: a static_assert in a kernel, and the rule executed by a thread.
#include <bankwise/bankwise.hpp>

using namespace bankwise;

struct column {
  u32 pitch;
  BANKWISE_HD constexpr u32 operator()(u32 lane) const { return lane * pitch; }
};

__global__ void kernel(const u32* addresses, u32* out) {
  BANKWISE_ASSERT_WAVEFRONTS(make_access(ld(4), column{132}), 1);
  constexpr access by_lambda = make_access(ld(4), [](u32 t) { return t * 33 * 4; });
  BANKWISE_ASSERT_CONFLICT_FREE(by_lambda);
  static_assert(find_arch("sm_90")->shared_kib_per_sm == 228, "");
  static_assert(wavefronts(make_access(ld(16), column{16})) == 4, "");
  access a = {ld(4), full_mask, {}};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) a.address[lane] = addresses[lane];
  out[0] = analyze(a).wavefronts;
  out[1] = explain(a).phases;
}

BANKWISE_HD constexpr u32 sum_of_256() {
  u32 sum = 0;
  for (u32 i = 0; i < 256; ++i) {
    const operation op = i % 4 == 0 ? ld(16) : i % 4 == 1 ? ld(8) : i % 4 == 2 ? st(16) : ld(4);
    sum += wavefronts(make_access(op, column{op.width_bytes * (i / 4 + 1)}));
  }
  return sum;
}
static_assert(sum_of_256() > 256, "256 analyses fit one constant expression at default limits");
