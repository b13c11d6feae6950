// Compares the fast computation of the cost, which goes through the columns of banks, with the slow computation, which
// goes through the words.
#include "bankwise/bank_cost.hpp"

#include <gtest/gtest.h>

#include <iterator>

namespace bankwise {
namespace {

// The pictures in bank_cost.hpp.
static_assert(detail::cost_of_banks(make_access(
                                        ld(16), [](u32 t) { return t * 16; }, 0xff),
                                    maxwell_model())
                  .wavefronts == 1);
static_assert(detail::cost_of_banks(make_access(
                                        ld(16), [](u32 t) { return t * 32; }, 0xff),
                                    maxwell_model())
                  .wavefronts == 2);

TEST(BankCost, ColumnsSayWhatWordsSay) {
  u32 seed = 1;
  const auto random = [&] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
  const operation all[] = {ld(1),          ld(2),   ld(4),  ld(8),  ld(16),     st(4),       st(8),       st(16),
                           ld_generic(16), atom(4), red(8), cas(4), popc_inc(), ldmatrix(4), stmatrix(2), cp_async(8)};
  for (int n = 0; n < 20000; ++n) {
    const operation op = all[static_cast<u32>(n) % std::size(all)];
    access a{op, n % 3 == 0 ? full_mask : random() << 16 | (random() & 0xffffu), {}};
    const u32 range = 1u << (random() % 8 + 5);
    for (u32& address : a.address) address = random() % range / op.width_bytes * op.width_bytes;
    const cost fast = detail::cost_of_banks(a, maxwell_model()), slow = detail::explain_banks(a, maxwell_model()).total;
    ASSERT_EQ(fast.wavefronts, slow.wavefronts) << n;
    ASSERT_EQ(fast.ideal, slow.ideal) << n;
    ASSERT_EQ(fast.reachable, slow.reachable) << n;
    ASSERT_EQ(fast.passes, slow.passes) << n;
    ASSERT_EQ(fast.cycles, slow.cycles) << n;
    ASSERT_EQ(fast.merged, slow.merged) << n;
  }
}

}  // namespace
}  // namespace bankwise
