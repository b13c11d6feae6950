// Compares rare forms of access with the counts of an H200 for the same launches (tests/kernels/forms.cu,
// data/sm_90/forms.csv).
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/measured.hpp"

namespace bankwise {
namespace {

// Returns the launches of main() in forms.cu, in order.
std::vector<test::kernel_launch> launches() {
  std::vector<test::kernel_launch> all;
  const auto add = [&](const std::string& kernel, std::vector<std::string> arguments) {
    all.push_back({.cubin = "tests/kernels/forms.cubin", .kernel = kernel, .arguments = std::move(arguments)});
  };
  const auto number = [](int n) { return "i32=" + std::to_string(n); };
  for (const int pitch : {16, 32, 128, 144}) add("matrices", {"out:u32[1024]", number(pitch)});
  for (const int sharers : {32, 20, 1})
    for (const int stride : {1, 2, 32})
      add("generic", {"out:u32[1024]", "u32[16384]=zero", number(sharers), number(stride)});
  for (const int readers : {32, 17, 0})
    for (const int stride : {1, 2, 32}) add("guarded", {"out:u32[1024]", number(readers), number(stride)});
  for (const int stride : {0, 1, 2, 4}) add("widths", {"out:u32[1024]", number(stride)});
  const int steps[] = {1, 2, 4, 32, 33, 1, 0, 5, 16, 31, 96, 3};
  const int sizes[] = {32, 64, 128, 1024, 1056, 4, 1, 7, 64, 97, 128, 48};
  for (const char* kernel : {"spinning_floats", "spinning_doubles"})
    for (int i = 0; i < 12; ++i) add(kernel, {"out:u32[1024]", number(steps[i]), number(sizes[i])});
  return all;
}

TEST(Forms, CostWhatTheH200Counted) {
  std::size_t unlike_the_hardware = 0;  // LDS.64 of a few scattered lanes: the source page shows a different number
  const auto measured = test::read_measured(test::source_path("data/sm_90/forms.csv"));
  const auto ours = launches();
  ASSERT_EQ(measured.size(), ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto run = test::run_kernel(ours[i]);
    ASSERT_TRUE(run) << to_text(run.error());
    ASSERT_EQ(measured[i].kernel, ours[i].kernel);
    const std::vector<std::string> rows = test::rows_of(run->launch());
    for (const site& s : run->launch().sites) unlike_the_hardware += s.ncu_wavefronts != s.wavefronts;
    EXPECT_EQ(rows, measured[i].rows) << ours[i].kernel << " " << ours[i].arguments.back();
  }
  EXPECT_EQ(unlike_the_hardware, 2u);
}

using counts = std::pair<std::uint64_t, std::uint64_t>;  // wavefronts and ideal wavefronts

// The counts of the atomics of tests/kernels/global_more.cu through generic pointers that accessed shared memory on an
// H100, by pc. Other lanes of the same instructions accessed global memory: the table has no other instructions.
std::map<std::uint64_t, counts> read_counts() {
  std::map<std::uint64_t, counts> all;
  const std::string text = test::read_zstd(test::source_path("data/sm_90/line_checks.csv.zst"));
  csv_reader rows(text, "line_checks.csv");
  EXPECT_TRUE(rows.next());
  while (const auto row = *rows.next()) {
    const auto& f = *row;
    if (f.at(0).text != "global_more" || f.at(3).text != "generic_atomics" || f.at(12).text == "0") continue;
    const auto number = [&](std::size_t column) { return parse_u64(f.at(column).text).value(); };
    all[std::stoull(std::string(f.at(6).text), nullptr, 16)] = {number(12), number(13)};
  }
  return all;
}

// Two of these instructions have a result predicate. They do not change shared memory, but take its wavefronts.
TEST(Forms, GenericAtomicsTakeTheWavefrontsOfTheLanesInSharedMemory) {
  const auto measured = read_counts();
  ASSERT_EQ(measured.size(), 3u);
  const auto run = test::run_kernel({.cubin = "tests/kernels/global_more.cubin",
                                     .kernel = "generic_atomics",
                                     .grid = {3, 1, 1},
                                     .block = {96, 1, 1},
                                     .arguments = {"u8[256K]=zero", "out:u8[256K]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  std::map<std::uint64_t, counts> ours;
  for (const site& s : run->launch().sites)
    if (measured.contains(s.pc)) ours[s.pc] = {s.ncu_wavefronts, s.ncu_ideal};
  EXPECT_EQ(ours, measured);
}

}  // namespace
}  // namespace bankwise
