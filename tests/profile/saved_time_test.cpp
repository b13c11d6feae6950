// The time that a remedy saves, compared with the time of a kernel that has the remedy.
#include <gtest/gtest.h>

#include "expr/names/machine_names.hpp"
#include "profile/profile_launch.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr double tolerance = 0.01;  // of the time with the remedy

launch_report predicted(const std::string& kernel, std::vector<std::string> more = {}) {
  test::kernel_launch what{.cubin = "tests/kernels/sectors.cubin",
                           .kernel = kernel,
                           .grid = {2048, 1, 1},
                           .block = {128, 1, 1},
                           .arguments = {"out:f32[256K]", "f32[4M]=iota"}};
  what.arguments.insert(what.arguments.end(), more.begin(), more.end());
  launch_report found;
  const auto ran = test::prepare_kernel(
      what, [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) -> result<done> {
        emulate::launch one = l;
        one.predicts_time = one.memory_is_private = one.counts_global = true;
        auto r = profile_launch(one, memory, *parse_machine("sm_90"), {}, {});
        if (!r) return r.error();
        found = std::move(*r);
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  EXPECT_TRUE(found.time) << kernel;
  return found;
}

double cycles_with_remedies(const launch_report& l) {
  std::uint64_t saved = 0;
  for (const global_site& s : l.global_sites) saved += s.saved_cycles;
  return static_cast<double>(l.time.cycles - std::min(saved, l.time.cycles));
}

// The remedy of each of these kernels makes it load the elements next to each other, as `aligned` does.
TEST(SavedTime, AStructOfArraysTakesTheTimeOfAlignedLoads) {
  const auto best = static_cast<double>(predicted("aligned").time.cycles);
  for (const char* kernel : {"one_member", "every_second", "misaligned"})
    EXPECT_NEAR(cycles_with_remedies(predicted(kernel)) / best, 1, tolerance) << kernel;
  const launch_report aligned = predicted("aligned");
  EXPECT_EQ(cycles_with_remedies(aligned), aligned.time.cycles) << "nothing to save";
}

TEST(SavedTime, AColumnReadAsARowTakesTheTimeOfTheRow) {
  const auto row = static_cast<double>(predicted("column", {"i32=1"}).time.cycles);
  for (const char* distance : {"i32=2", "i32=4", "i32=8", "i32=16"}) {
    const launch_report column = predicted("column", {distance});
    EXPECT_NEAR(cycles_with_remedies(column) / row, 1, tolerance) << distance;
  }
  EXPECT_GT(static_cast<double>(predicted("column", {"i32=16"}).time.cycles), 1.5 * row);
}

}  // namespace
}  // namespace bankwise
