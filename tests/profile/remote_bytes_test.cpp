// Tests the bytes that instructions access in the shared memory of other blocks of a cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "check/verdict.hpp"
#include "report/forms/site_table.hpp"
#include "report/json/read_report.hpp"
#include "report/json/write_report.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

// Returns the bytes of one execution by operation, if an instruction accesses other blocks.
std::map<std::string, std::uint64_t> remote_bytes(const launch_report& l) {
  std::map<std::string, std::uint64_t> found;
  for (const site& s : l.sites)
    if (s.remote_bytes != 0) found[s.op.spelling] = std::max(found[s.op.spelling], s.remote_bytes / s.executed);
  return found;
}

report passes_around(std::uint64_t ctas = 0) {
  auto run = test::run_kernel({.cubin = "tests/kernels/clusters.cubin",
                               .kernel = "passes_around",
                               .grid = {64, 1, 1},
                               .arguments = {"out:i32[2048]", "i32=3"},
                               .ctas = ctas});
  EXPECT_TRUE(run) << to_text(run.error());
  return std::move(run->whole);
}

// In each round, each of the 32 threads of 64 blocks loads an int of the next block.
constexpr std::uint64_t all_bytes = 3 * 64 * 32 * 4;

TEST(RemoteBytes, AreTheBytesOfTheLanes) {
  const report r = passes_around();
  EXPECT_EQ(remote_bytes(r.launches[0]), (std::map<std::string, std::uint64_t>{{"ld.cluster", 128}}));
  EXPECT_EQ(r.launches[0].sum.remote_bytes, all_bytes);
}

TEST(RemoteBytes, AreCountedForEachFormOfAccess) {
  const auto in_kernel = [](const std::string& kernel) {
    const auto run =
        test::run_kernel({.cubin = "tests/kernels/asynchronous.cubin", .kernel = kernel, .grid = {2, 1, 1}});
    EXPECT_TRUE(run) << to_text(run.error());
    return remote_bytes(run->launch());
  };
  // A compare-and-swap and the 16 bytes of a vector load are also accesses.
  EXPECT_EQ(in_kernel("other_block"), (std::map<std::string, std::uint64_t>{{"atom.cas.cluster", 128},
                                                                            {"atom.cluster", 128},
                                                                            {"ld.cluster", 512},
                                                                            {"st.async", 128},
                                                                            {"st.cluster", 128}}));
  // The same instructions access the block's own memory.
  EXPECT_TRUE(in_kernel("own_block").empty());
}

TEST(RemoteBytes, OfASampleAreScaled) {
  const report r = passes_around(20);
  ASSERT_TRUE(r.launches[0].scaled);
  EXPECT_EQ(r.launches[0].sum.remote_bytes, all_bytes);
  const interval* const within = row_of(measure::remote_bytes).in(r.launches[0].within);
  ASSERT_NE(within, nullptr);
  EXPECT_TRUE(within->low <= all_bytes && all_bytes <= within->high);
}

TEST(RemoteBytes, AreInReportsAndBudgets) {
  const report r = passes_around();
  const std::string text = to_json(r);
  EXPECT_NE(text.find("\"remote_bytes\": " + std::to_string(all_bytes)), std::string::npos);
  const auto back = read_report(text, "report.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(back->launches[0].sum.remote_bytes, all_bytes);
  EXPECT_NE(to_csv(r).find(",remote_bytes,"), std::string::npos);
  const auto message = [&](std::uint64_t most) {
    auto c = check::read_config("[[budget]]\nkernel = \"*\"\nremote_bytes = " + std::to_string(most), "bankwise.toml");
    EXPECT_TRUE(c) << to_text(c.error());
    const check::verdict v = check::judge({{r}, {}, std::move(*c), check::fail_on::budget, {}, {}});
    for (const check::finding& f : v.findings)
      if (f.what->id == check::over_budget) return f.message + " at " + f.operation;
    return std::string();
  };
  EXPECT_EQ(message(all_bytes), "");
  EXPECT_EQ(message(1000),
            "passes_around: 24,576 bytes of other blocks, 1,000 allowed (bankwise.toml:1) at ld.cluster");
}

}  // namespace
}  // namespace bankwise
