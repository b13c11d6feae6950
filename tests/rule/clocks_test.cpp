// Tests the clocks of the shared pipe on machines that take two clocks or one clock for a wavefront.
#include "rule/clocks.hpp"

#include <gtest/gtest.h>

#include "bankwise/bankwise.hpp"
#include "expr/names/machine_names.hpp"
#include "profile/collect.hpp"

namespace bankwise {
namespace {

// Returns the counts of a load that is executed ten times. All lanes load, `stride` bytes apart.
counts of_load(const char* machine_name, u32 stride) {
  const result<machine> on = parse_machine(machine_name);
  EXPECT_TRUE(on) << machine_name;
  collector::tally t;
  const access a = make_access(ld(4), [=](u32 lane) { return lane * stride; });
  t.add(a, nullptr, 10, 0, *on);
  return t;
}

TEST(Clocks, OfAWavefrontAreTwoOnTuring) {
  EXPECT_EQ(clocks_of(16u, maxwell_model(2)), 32u);
  for (const auto& [name, clocks] :
       {std::pair{"sm_75", 2u}, {"sm_70", 1u}, {"sm_86", 1u}, {"sm_90", 1u}, {"sm_120", 1u}}) {
    SCOPED_TRACE(name);
    const counts good = of_load(name, 4), bad = of_load(name, 128);
    EXPECT_EQ(good.wavefronts, 10u);
    EXPECT_EQ(good.cycles, 10u * clocks);
    EXPECT_EQ(good.best_cycles, good.cycles);  // no layout can save clocks
    EXPECT_EQ(bad.wavefronts, 320u);
    EXPECT_EQ(bad.cycles, 320u * clocks);
    EXPECT_EQ(bad.best_cycles, 10u * clocks);
  }
}

}  // namespace
}  // namespace bankwise
