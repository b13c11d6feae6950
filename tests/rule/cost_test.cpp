// Tests each number in the cost of an instruction.
#include "bankwise/cost.hpp"

#include <gtest/gtest.h>

#include "bankwise/asynchronous.hpp"
#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

// The examples in cost.hpp.
constexpr cost wide = analyze(make_access(ld(16), [](u32 t) { return t * 16; }));
static_assert(wide.wavefronts == 4 && wide.ideal == 4 && wide.passes == 4 && wide.cycles == 4 && excess(wide) == 0);
constexpr cost column = analyze(make_access(ld(4), [](u32 t) { return t * 128; }));
static_assert(column.wavefronts == 32 && column.ideal == 1 && column.passes == 1 && column.cycles == 32);
static_assert(excess(column) == 31);
constexpr cost queue = analyze(make_access(atom(4), [](u32) { return 0u; }));
static_assert(queue.wavefronts == 32 && queue.reachable == 1 && queue.cycles == 32);

TEST(Cost, PassesCarryARowOfEveryBank) {
  EXPECT_EQ(bytes_a_pass(maxwell_model()), 128u);
  EXPECT_EQ(bytes_a_pass(kepler_model(4)), 256u);
  EXPECT_EQ(passes_for(0, maxwell_model()), 0u);
  EXPECT_EQ(passes_for(128, maxwell_model()), 1u);
  EXPECT_EQ(passes_for(129, maxwell_model()), 2u);
}

TEST(Cost, RegisterPassesHalveWhereLoadsMerge) {
  EXPECT_EQ(register_passes(ld(16), 128, merge::none), 4u);
  EXPECT_EQ(register_passes(ld(16), 128, merge::partner_2), 2u);
  EXPECT_EQ(register_passes(ld(1), 128, merge::none), 1u);
  EXPECT_EQ(register_passes(ldmatrix(2), 128, merge::none), 2u);
  EXPECT_EQ(register_passes(atom(8), 128, merge::none), 1u);
}

TEST(Cost, OnlyWhatReturnsWaitsForItsResult) {
  EXPECT_EQ(return_cycles(red(4)), 0u);
  EXPECT_EQ(return_cycles(atom(4)), 2u);
  EXPECT_EQ(return_cycles(atom(8)), 3u);
  EXPECT_EQ(return_cycles(cas(8)), 4u);
}

TEST(Cost, ExcessIsWhatIsAboveNsightComputesIdeal) {
  EXPECT_EQ(excess(analyze(make_access(ld(4), [](u32 lane) { return lane * 4; }))), 0u);
  EXPECT_EQ(excess(analyze(make_access(ld(4), [](u32 lane) { return lane * 128; }))), 31u);
}

// The kind of an operation may come from a file, so the kind may be invalid.
TEST(Cost, OperationsThatAreNoneAreNotValid) {
  operation op = ld(4);
  op.kind = static_cast<op_kind>(99);
  EXPECT_FALSE(valid(op));
  EXPECT_FALSE(valid(async_of(async_kind::none)));
}

}  // namespace
}  // namespace bankwise
