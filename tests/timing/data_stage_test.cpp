// Tests the queues of the quarters, and the data stage that they share.
#include "timing/multiprocessor/data_stage.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(DataStage, TheDataStagePassesAWavefrontAClock) {
  for (const unsigned wavefronts : {1u, 4u, 16u}) {
    small_launch l;
    l.add(lds(no_barrier, 0));
    l.accesses = {{.code = 0, .wavefronts = static_cast<std::uint16_t>(wavefronts)}};
    EXPECT_NEAR(l.run(32, 50), 32.0 * 50 * wavefronts, 60 + 22 * wavefronts) << "the last accesses wait in queues";
  }
}

TEST(DataStage, AQuarterSendsAMemoryInstructionInFourClocks) {
  small_launch l;
  l.add(lds(no_barrier, 0));
  l.accesses = {{.code = 0, .wavefronts = 1}};
  EXPECT_NEAR(l.run(1, 500) / 500, 4, 0.2);
}

TEST(DataStage, TheAddressUnitOrTheStageLimits) {
  data_stage stage(false);
  memory_queue one{.leaves = {0, 0}}, other{.leaves = {0, 0}};
  EXPECT_EQ(stage.enter(one, 0, 4, 1), 0);
  EXPECT_EQ(stage.enter(one, 0, 4, 10), 4) << "the address unit of a quarter sends an instruction every four clocks";
  EXPECT_EQ(stage.enter(other, 0, 4, 1), 14) << "the stage passes ten wavefronts of the first quarter";
  EXPECT_EQ(stage.busy(), 12);
  EXPECT_EQ(one.entered(), 8) << "the address unit is busy longest";
  EXPECT_EQ(other.entered(), 14);
}

TEST(DataStage, AFullQueueWaitsForItsOldestInstruction) {
  memory_queue q{.leaves = {0, 0}};
  q.leave(50);
  EXPECT_EQ(q.taken_until(), 0) << "the second place is free";
  q.leave(70);
  EXPECT_EQ(q.taken_until(), 50);
}

TEST(DataStage, AFreeStagePassesEverythingAtOnce) {
  data_stage stage(true);
  EXPECT_EQ(stage.pass(5, 32), 5);
  stage.fill(10);
  EXPECT_EQ(stage.pass(5, 32), 5);
  EXPECT_EQ(stage.busy(), 0);
}

}  // namespace
}  // namespace bankwise::timing
