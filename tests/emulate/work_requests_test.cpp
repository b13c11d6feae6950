// Tests cluster launch control on sm_100a: which block takes over the work of which other block (cluster_places.hpp).
#include <gtest/gtest.h>

#include <algorithm>

#include "emulate/grid/cluster_places.hpp"
#include "emulate/launch/launch_check.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using word = std::uint32_t;
using extent = std::array<std::uint32_t, 3>;
constexpr const char* cubin = "tests/kernels/blackwell/work_requests.cubin";

// Makes a launch with 1,024 threads in a block, so that two blocks fit on a multiprocessor of a B200.
test::kernel_launch launch_of(const std::string& kernel, const extent& grid, unsigned threads = 0) {
  const std::string blocks = std::to_string(grid[0] * grid[1] * grid[2]);
  return {.cubin = cubin,
          .kernel = kernel,
          .grid = grid,
          .block = {1024, 1, 1},
          .arguments = {"u32[" + blocks + "]=zero", "u32[" + blocks + "]=zero"},
          .threads = threads};
}
std::uint64_t places_of(const test::kernel_launch& what) {
  std::uint64_t places = 0;
  EXPECT_TRUE(test::prepare_kernel(what, [&](const emulate::launch& l, auto&, auto&) -> result<done> {
    places = emulate::resident_blocks(l);
    return done{};
  }));
  return places;
}

TEST(ClusterPlaces, GiveEachClusterOnce) {
  emulate::cluster_places places(8, 3);
  EXPECT_EQ(places.next(0), 0u);
  EXPECT_EQ(places.next(0), 3u);
  EXPECT_EQ(places.next(2), 2u);
  EXPECT_EQ(places.next(0), 6u);
  EXPECT_EQ(places.next(0), std::nullopt);
  EXPECT_EQ(places.next(2), 5u);
  EXPECT_EQ(places.next(2), std::nullopt);
  EXPECT_EQ(places.next(1), 1u);
}

TEST(WorkRequests, GiveABlockTheLaterOnesOfItsPlace) {
  for (const extent& grid : {extent{700, 1, 1}, extent{30, 10, 4}, extent{5, 1, 1}})
    for (const unsigned threads : {1u, 3u}) {
      test::kernel_launch what = launch_of("tiles", grid, threads);
      what.arguments.push_back("u32=1");
      const std::uint64_t places = places_of(what);
      ASSERT_GT(places, 100u);
      ASSERT_LT(places, 700u);
      const auto run = test::run_kernel(what);
      ASSERT_TRUE(run) << to_text(run.error());
      const std::vector<word> by = run->buffer<word>(0), times = run->buffer<word>(1);
      for (std::size_t b = 0; b < by.size(); ++b) {
        ASSERT_EQ(by[b], b % places) << b;
        ASSERT_EQ(times[b], 1u) << b;
      }
      EXPECT_EQ(run->launch().ctas_executed, by.size());
      EXPECT_FALSE(run->launch().scaled);
    }
}

// If a cluster does not ask for work, the next cluster starts in the same place after the end of this cluster.
TEST(WorkRequests, LeaveWorkToBlocksThatDoNotAsk) {
  test::kernel_launch what = launch_of("tiles", {700, 1, 1});
  what.arguments.push_back("u32=0");
  const auto run = test::run_kernel(what);
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<word> by = run->buffer<word>(0), times = run->buffer<word>(1);
  for (std::size_t b = 0; b < by.size(); ++b) {
    ASSERT_EQ(by[b], b);
    ASSERT_EQ(times[b], 1u);
  }
}

TEST(WorkRequests, GiveWholeClustersToClusters) {
  const test::kernel_launch what = launch_of("tiles_of_pairs", {400, 2, 1});
  const std::uint64_t clusters = places_of(what) / 2;
  const auto run = test::run_kernel(what);
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<word> by = run->buffer<word>(0), times = run->buffer<word>(1);
  for (std::size_t b = 0; b < by.size(); ++b) {
    ASSERT_EQ(by[b], b / 2 % clusters * 2 + b % 2) << b;
    ASSERT_EQ(times[b], 1u) << b;
  }
}

// Each block takes the next number from a counter, so the blocks run one after another.
TEST(WorkRequests, AreAnsweredToBlocksThatTakeTurns) {
  test::kernel_launch what = launch_of("numbers", {700, 1, 1});
  what.arguments = {"u32[1]=zero", "u32[700]=zero"};
  const auto run = test::run_kernel(what);
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->buffer<word>(0)[0], 700u);
  std::vector<word> number = run->buffer<word>(1);
  const std::uint64_t places = places_of(what);
  // A block takes over all work that belongs to its place on the GPU before the next block starts there.
  EXPECT_EQ(number[places], 1u);
  std::sort(number.begin(), number.end());
  for (word n = 0; n < number.size(); ++n) ASSERT_EQ(number[n], n);
}

// The counts do not depend on the number of worker threads. Blocks of a sample do not take work of other blocks.
TEST(WorkRequests, AreCountedAlike) {
  std::uint64_t counted[2];
  for (const unsigned n : {0u, 1u}) {
    test::kernel_launch what = launch_of("tiles", {700, 1, 1}, n == 0 ? 1 : 4);
    what.arguments.push_back("u32=1");
    const auto run = test::run_kernel(what);
    ASSERT_TRUE(run) << to_text(run.error());
    counted[n] = run->launch().sum.warp_instructions;
  }
  EXPECT_EQ(counted[0], counted[1]);
  test::kernel_launch what = launch_of("tiles", {700, 1, 1});
  what.arguments.push_back("u32=1");
  what.ctas = 8;
  const auto run = test::run_kernel(what);
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->launch().ctas_executed, 8u);
  const std::vector<word> times = run->buffer<word>(1);
  EXPECT_EQ(std::count(times.begin(), times.end(), 1u), 8);
}

}  // namespace
}  // namespace bankwise
