// Tests the facts about the resources for which a launch may wait.
#include "timing/launch/resource.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace bankwise::timing {
namespace {

resource at(std::size_t i) { return static_cast<resource>(i); }

TEST(Resource, EachReplayHasOneResourceLess) {
  const free_resources f = without(resource::launch);
  EXPECT_TRUE(f.launch && f.fetch);
  EXPECT_FALSE(f.issue || f.data_stage || f.pipes || f.l2 || f.dram || f.latency || f.barriers || f.conflicts);
  EXPECT_TRUE(without(resource::data_stage).data_stage);
  EXPECT_FALSE(without(resource::data_stage).launch);
  const free_resources none = without(resource::count);
  EXPECT_FALSE(none.issue || none.launch || none.barriers);
}

TEST(Resource, BusyClocksAreThoseOfTheRun) {
  multiprocessor_run r;
  r.issue = 10;
  r.l2 = 20;
  r.stores = 5;
  r.pipes[2] = 30;
  EXPECT_EQ(busy_clocks(resource::issue, r), 10);
  EXPECT_EQ(busy_clocks(resource::l2, r), 25) << "L2 also receives the stores";
  EXPECT_EQ(busy_clocks(resource::pipes, r), 30);
  EXPECT_EQ(busy_clocks(resource::barriers, r), 0) << "no warp arrived at a barrier";
  r.waits_at_barriers = true;
  EXPECT_TRUE(std::isinf(busy_clocks(resource::barriers, r)));
  EXPECT_TRUE(std::isinf(busy_clocks(resource::latency, r)));
}

TEST(Resource, TheUseOfL1IsThatOfTheDataStage) {
  const resource_use u{.issue = 0.1, .pipes = 0.2, .l1 = 0.3, .l2 = 0.4, .dram = 0.5};
  std::string uses;
  for (std::size_t i = 0; i < resource_count; ++i)
    uses += std::string(name_of(at(i))) + " " + std::to_string(std::lround(100 * use_of(at(i), u))) + " ";
  EXPECT_EQ(uses, "issue 10 data_stage 30 pipes 20 l2 40 dram 50 latency 0 launch 0 barriers 0 ");
}

}  // namespace
}  // namespace bankwise::timing
