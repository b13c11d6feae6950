// Tests what graphs would save: the times of launches in a stream and in a graph agree with those of an H200
// (data/sm_90/event_times.csv).
#include "runtime/clock/program_clock.hpp"
#include "runtime/clock/clock_costs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "base/text.hpp"

namespace bankwise::cuda {
namespace {

constexpr unsigned long long stream = 1;

void launch(program_clock& c, double nanoseconds, const char* kernel, bool is_predicted = true) {
  c.call_launch("launch", costs.call_launch);
  c.enter(stream, stream_kind::non_blocking, c.host());
  c.run_kernel({.on = device_part::multiprocessors, .nanoseconds = nanoseconds, .what = {.name = kernel}},
               is_predicted);
}

program_clock compared() {
  program_clock c;
  c.compare();
  return c;
}

program_clock with_launches(int count, double nanoseconds) {
  program_clock c = compared();
  for (int i = 0; i < count; ++i) launch(c, nanoseconds, "nothing");
  c.await(c.end_of(stream));
  return c;
}

// The measured microseconds between two events around a sequence.
std::map<std::string, double> measured() {
  std::map<std::string, double> times;
  std::ifstream table(BANKWISE_SOURCE_DIR "/data/sm_90/event_times.csv");
  for (std::string line; std::getline(table, line);)
    if (const auto cells = split(line, ','); cells.size() > 1 && cells[1] != "measured")
      times[std::string(cells[0])] = std::stod(std::string(cells[1]));
  return times;
}

TEST(ProgramClock, AGraphTakesTheTimeThatWasMeasured) {
  const std::map<std::string, double> times = measured();
  const auto found = with_launches(50, costs.empty_launch).what_graphs_save();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launches, 50U);
  // Without the call and the wait that also surround a single launch.
  const double alone = costs.call_launch + costs.wait_end;
  const auto part = [&](std::uint64_t nanoseconds) { return (static_cast<double>(nanoseconds) - alone) / 1e3; };
  EXPECT_NEAR(part(found->nanoseconds), times.at("launch nothing x50"), 0.25 * times.at("launch nothing x50"));
  EXPECT_NEAR(part(found->as_graphs), times.at("graph of nothing x50"), 0.25 * times.at("graph of nothing x50"));
}

TEST(ProgramClock, TheOtherClocksOnlyRunIfTheyAreAsked) {
  program_clock c;
  for (int i = 0; i < 200; ++i) launch(c, 2'000, "nothing");
  c.await(c.end_of(stream));
  EXPECT_EQ(c.host().as_is, with_launches(200, 2'000).host().as_is);
  EXPECT_EQ(c.host().as_graphs, 0);
  EXPECT_FALSE(c.what_graphs_save());
}

TEST(ProgramClock, LongKernelsSaveNothing) { EXPECT_FALSE(with_launches(200, 30'000).what_graphs_save()); }

TEST(ProgramClock, FewLaunchesAreNotWorthAGraph) { EXPECT_FALSE(with_launches(20, 2'000).what_graphs_save()); }

TEST(ProgramClock, WaitsBetweenLaunchesCostTime) {
  program_clock c = compared();
  for (int i = 0; i < 100; ++i) {
    launch(c, 2'000, "nothing");
    c.await(c.end_of(stream));
  }
  EXPECT_EQ(c.host().as_is, c.host().as_graphs) << "graphs of one launch save nothing";
  const auto found = c.what_graphs_save();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_about_waits());
  EXPECT_EQ(found->waits, 99U) << "the last one is necessary";
  // Without the waits, the program takes as long as one that does not wait.
  const auto without = with_launches(100, 2'000).what_graphs_save();
  ASSERT_TRUE(without);
  EXPECT_EQ(found->with_one_wait, without->nanoseconds);
}

TEST(ProgramClock, AWaitBeforeACopyIsNecessary) {
  program_clock c = compared();
  for (int i = 0; i < 100; ++i) {
    launch(c, 2'000, "nothing");
    c.await(c.end_of(stream));
    c.call(1'000, "copy");
    c.enter(stream, stream_kind::non_blocking, c.host());
    c.run({.on = device_part::copies_to_host, .nanoseconds = 1'500, .what = {.name = "copy"}});
    c.await(c.end_of(stream));
  }
  EXPECT_FALSE(c.what_graphs_save());
}

TEST(ProgramClock, NodesOfGraphsAreNotCounted) {
  program_clock c = compared();
  for (int i = 0; i < 100; ++i) {
    c.call(costs.call_graph, "launch a graph");
    c.enter(stream, stream_kind::non_blocking, c.host());
    moment at = c.begin_graph();
    c.begin_node(at);
    c.run_kernel({.on = device_part::multiprocessors, .nanoseconds = 2'000, .what = {.name = "nothing"}}, true);
    at = c.end_of_node();
    c.end_graph(at);
  }
  EXPECT_FALSE(c.what_graphs_save());
}

TEST(ProgramClock, KernelsWithoutAPredictionAreNotCounted) {
  program_clock c = compared();
  for (int i = 0; i < 100; ++i) launch(c, 2'000, "nothing", false);
  EXPECT_FALSE(c.what_graphs_save());
}

TEST(ProgramClock, TheKernelWithMostLaunchesIsFirst) {
  program_clock c = compared();
  for (int i = 0; i < 100; ++i) launch(c, 2'000, i % 3 == 0 ? "a" : "b");
  const auto found = c.what_graphs_save();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels, (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace bankwise::cuda
