// Tests flame graphs: the total equals the counts of the report, and the stacks only name existing frames.
#include "report/forms/speedscope.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "support/examples.hpp"

namespace bankwise {
namespace {

using nlohmann::json;

std::uint64_t sum_of(const json& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const json& w) { return sum + w.get<std::uint64_t>(); });
}

TEST(Speedscope, AddsUpToWhatTheReportCounts) {
  const report r = test::small_transpose();
  const json file = json::parse(to_speedscope(r, {}));
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  const std::uint64_t expected[] = {r.launches[0].sum.cycles, r.launches[0].sum.wavefronts,
                                    r.launches[0].sum.removable};
  ASSERT_EQ(file["profiles"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& p = file["profiles"][i];
    EXPECT_EQ(p["type"], "sampled");
    EXPECT_EQ(p["samples"].size(), p["weights"].size());
    EXPECT_EQ(sum_of(p["weights"]), expected[i]) << p["name"];
    EXPECT_EQ(p["endValue"], expected[i]);
    for (const json& stack : p["samples"])
      for (const json& frame : stack) EXPECT_LT(frame.get<std::size_t>(), file["shared"]["frames"].size());
  }
}

TEST(Speedscope, StacksAreKernelLineInstruction) {
  const json file =
      json::parse(to_speedscope(test::small_transpose(), [](const std::string&) { return "src/transpose.cu"; }));
  const json& frames = file["shared"]["frames"];
  const json& stack = file["profiles"][0]["samples"][0];
  ASSERT_EQ(stack.size(), 3u);
  EXPECT_EQ(frames[stack[0].get<std::size_t>()]["name"], "transpose_plain");
  const json& line = frames[stack[1].get<std::size_t>()];
  EXPECT_EQ(line["name"].get<std::string>().rfind("transpose.cu:", 0), 0u) << line;
  EXPECT_EQ(line["file"], "src/transpose.cu");
  EXPECT_GT(line["line"], 0);
  EXPECT_EQ(frames[stack[2].get<std::size_t>()]["name"].get<std::string>().rfind("0x", 0), 0u);
}

// If a kernel was launched ten times, its frame is as wide as ten launches. Its instructions occur once.
TEST(Speedscope, AddsUpTheLaunchesOfAKernel) {
  report r = test::small_transpose();
  const json one = json::parse(to_speedscope(r, {}));
  r.launches.push_back(r.launches[0]);
  r.launches[1].count = 9;
  const json ten = json::parse(to_speedscope(r, {}));
  EXPECT_EQ(ten["shared"], one["shared"]);
  EXPECT_EQ(ten["profiles"][0]["samples"], one["profiles"][0]["samples"]);
  EXPECT_EQ(sum_of(ten["profiles"][0]["weights"]), 10 * sum_of(one["profiles"][0]["weights"]));
}

TEST(Speedscope, OfNoLaunchesIsEmpty) {
  const json file = json::parse(to_speedscope({}, {}));
  EXPECT_EQ(file["shared"]["frames"], json::array());
  for (const json& p : file["profiles"]) EXPECT_EQ(p["endValue"], 0);
}

}  // namespace
}  // namespace bankwise
