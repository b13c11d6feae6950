// Tests the search for races of blocks on global memory: kernels that order their blocks are silent.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr const char* cubin = "tests/kernels/published_data.cubin";

struct expectation {
  const char* kernel;
  std::vector<std::string> arguments;
  std::optional<race_cause> cause = {};  // none if the kernel has no race
  bool cooperative = false;
};
const std::vector<std::string> sums{"out:i32[1]", "out:i32[64]", "u32[1]=zero"},
    data{"out:i32[2048]", "out:i32[64]", "i32[1]=zero"}, passed{"out:i32[12]", "out:i32[12]", "i32[12]=zero"};
const expectation table[] = {
    {"adds_parts", sums},
    {"adds_unfenced", sums, race_cause::no_fence},
    {"adds_fenced_in_block", sums, race_cause::narrow_scope},
    {"adds_with_own_ticket", sums, race_cause::narrow_scope},
    {"adds_unacquired", sums, race_cause::no_acquire_unread},
    {"passes_on", passed},
    {"passes_on_unacquired", passed, race_cause::no_acquire},
    {"passes_on_past_l1", passed},
    {"hands_over", data},
    {"hands_over_unfenced", data, race_cause::no_fence},
    {"shifts", {"i32[768]=iota"}, {}, true},
    {"shifts_early", {"i32[768]=iota"}, race_cause::no_order, true},
    {"writes_the_same", {"out:i32[64]"}},
    {"sets_a_flag", {"out:i32[64]"}},
    {"looks_before_atomic", {"out:i32[64]"}},
    {"writes_bytes", {"out:u8[64]"}},
    {"writes_its_number", {"out:i32[64]"}, race_cause::no_order},
    {"appends", {"out:i32[64]", "i32[1]=zero"}},
};

test::kernel_launch launch_of(const expectation& e) {
  return {.cubin = cubin,
          .kernel = e.kernel,
          .grid = {12, 1, 1},
          .block = {64, 1, 1},
          .arguments = e.arguments,
          .cooperative = e.cooperative,
          .wanted = {false, true}};
}

TEST(GlobalRaces, AreFoundWhereNothingOrdersTheBlocks) {
  for (const expectation& e : table)
    for (const std::uint64_t seed : {0, 1, 2}) {
      SCOPED_TRACE(std::string(e.kernel) + ", seed " + std::to_string(seed));
      test::kernel_launch l = launch_of(e);
      l.seed = seed;
      const auto run = test::run_kernel(l);
      ASSERT_TRUE(run) << to_text(run.error());
      const std::vector<block_race>& races = run->launch().block_races;
      EXPECT_EQ(!races.empty(), e.cause.has_value());
      for (const block_race& r : races) {
        EXPECT_TRUE(r.is_checked);
        EXPECT_NE(r.first_block, r.second_block);
        EXPECT_NE(r.first.line, 0u);
        EXPECT_FALSE(r.memory.empty());
      }
      EXPECT_TRUE(!e.cause ||
                  std::any_of(races.begin(), races.end(), [&](const auto& r) { return r.cause == *e.cause; }));
    }
}

TEST(GlobalRaces, AreTheSameWhateverTheNumberOfWorkers) {
  for (const expectation& e : table) {
    test::kernel_launch l = launch_of(e);
    l.threads = 1;
    const auto one = test::run_kernel(l);
    l.threads = 4;
    const auto four = test::run_kernel(l);
    ASSERT_TRUE(one && four);
    EXPECT_EQ(one->launch().block_races, four->launch().block_races) << e.kernel;
  }
}

TEST(GlobalRaces, AreOnlyLookedForOnRequest) {
  test::kernel_launch l = launch_of({"writes_its_number", {"out:i32[64]"}});
  l.wanted = {};
  const auto run = test::run_kernel(l);
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_TRUE(run->launch().block_races.empty());
}

}  // namespace
}  // namespace bankwise
