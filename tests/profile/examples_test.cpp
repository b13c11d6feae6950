// Tests the kernels of examples/. The results equal the CPU's results. The costs equal the counts of an H200 for the
// same launches (data/sm_90/examples.csv).
#include <gtest/gtest.h>

#include "support/examples.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/measured.hpp"

namespace bankwise {
namespace {

using test::all_examples;
using test::example;

TEST(Examples, ComputeWhatTheCpuComputes) {
  for (const example& e : all_examples()) {
    SCOPED_TRACE(e.launch.kernel);
    const auto run = test::run_kernel(e.launch);
    ASSERT_TRUE(run) << to_text(run.error());
    e.check(*run);
  }
}

TEST(Examples, HaveNoHazards) {
  for (example e : all_examples()) {
    SCOPED_TRACE(e.launch.kernel);
    e.launch.wanted = {true, true};
    const auto run = test::run_kernel(e.launch);
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->launch().checked, e.launch.wanted);
    for (const hazard& h : run->launch().hazards) ADD_FAILURE() << h.first.sass << " " << h.second.sass;
  }
}

// The seed determines the order of warps. No cost and no result of the examples depends on this order.
TEST(Examples, CostAndComputeTheSameInEveryOrder) {
  for (example e : all_examples()) {
    SCOPED_TRACE(e.launch.kernel);
    const auto plain = test::run_kernel(e.launch);
    ASSERT_TRUE(plain) << to_text(plain.error());
    for (const std::uint64_t seed : {1, 2, 77}) {
      e.launch.seed = seed;
      const auto other = test::run_kernel(e.launch);
      ASSERT_TRUE(other) << to_text(other.error());
      EXPECT_EQ(test::rows_of(plain->launch()), test::rows_of(other->launch()));
      e.check(*other);
    }
  }
}

TEST(Examples, CostWhatTheH200Counted) {
  std::map<std::string, std::vector<std::string>> measured;
  for (const auto& l : test::read_measured(test::source_path("data/sm_90/examples.csv"))) measured[l.kernel] = l.rows;
  for (const example& e : all_examples()) {
    SCOPED_TRACE(e.launch.kernel);
    const auto run = test::run_kernel(e.launch);
    ASSERT_TRUE(run) << to_text(run.error());
    ASSERT_TRUE(measured.contains(e.launch.kernel));
    EXPECT_EQ(test::rows_of(run->launch()), measured.at(e.launch.kernel));
    measured.erase(e.launch.kernel);
  }
  EXPECT_TRUE(measured.empty());
}

// The number of CPU threads does not change the report.
TEST(Examples, DoNotDependOnThreads) {
  for (example e : all_examples()) {
    SCOPED_TRACE(e.launch.kernel);
    e.launch.threads = 1;
    const auto one = test::run_kernel(e.launch);
    e.launch.threads = 7;
    const auto seven = test::run_kernel(e.launch);
    ASSERT_TRUE(one && seven);
    ASSERT_EQ(test::rows_of(one->launch()), test::rows_of(seven->launch()));
    for (std::size_t i = 0; i < one->launch().sites.size(); ++i) {
      const site &a = one->launch().sites[i], &b = seven->launch().sites[i];
      EXPECT_EQ(a.cycles, b.cycles);
      EXPECT_TRUE(std::equal(a.worst.address, a.worst.address + 32, b.worst.address)) << a.sass;
    }
    EXPECT_EQ(one->buffers, seven->buffers);
  }
}

}  // namespace
}  // namespace bankwise
