// Tests the JSON for scripts and language models: the findings of a report, and the report in short.
#include "report/json/brief.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json/write_report.hpp"
#include "support/examples.hpp"

namespace bankwise {
namespace {

using json = nlohmann::json;

// A report with many kernels, whose names and sources are long. Later kernels take more time.
report large_report(std::size_t kernels) {
  report r = test::small_transpose();
  const launch_report one = r.launches[0];
  r.launches.clear();
  for (std::size_t i = 0; i < kernels; ++i) {
    launch_report& l = r.launches.emplace_back(one);
    l.mangled += std::to_string(i);
    l.kernel = l.name = "kernel" + std::to_string(i) + "<" + std::string(500, 't') + "\xff>";
    for (site& s : l.sites) s.text = std::string(1000, 'x');
    l.time.gpu = "H100 SXM";
    l.time.bound = "data_stage";
    l.time.cycles = 1600 * (i + 1);
    l.time.nanoseconds = 1000 * (i + 1);
    for (site& s : l.sites) s.saved_cycles = 160;
  }
  return r;
}

TEST(Findings, AreInTheJson) {
  const json found = json::parse(to_json(test::small_transpose(), {}))["findings"];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["id"], "BW101");
  EXPECT_EQ(found[0]["line"], 18);
  EXPECT_EQ(found[0]["unit"], "wavefronts");
  EXPECT_EQ(found[0]["evidence"], "counted");
  EXPECT_FALSE(found[0].contains("saved_microseconds"));
  EXPECT_EQ(found[0]["fingerprint"].get<std::string>().size(), 16u);
}

// A layout may need an index that costs more than the wavefronts that it saves.
TEST(Findings, HaveNoCodeThatMakesTheLaunchSlower) {
  report r = test::small_transpose();
  launch_report& l = r.launches[0];
  known_fix fix{.array = "tile", .verdict = "tile: swizzled", .code = "tile[i ^ 1]", .json = "{}"};
  for (const site& s : l.sites) fix.sites.emplace_back(s.function, s.pc);
  fix.wavefronts_before = 2112;
  fix.cycles_before = fix.cycles_after = 1000;
  l.fixes = {fix};
  EXPECT_EQ(json::parse(to_json(r, {}))["findings"][0]["remedy_code"], "tile[i ^ 1]");
  l.fixes[0].cycles_after = 1100;
  const json found = json::parse(to_json(r, {}))["findings"][0];
  EXPECT_FALSE(found.contains("remedy_code"));
  EXPECT_NE(found["remedy"].get<std::string>().find("predicted to be slower"), std::string::npos);
}

// The order is that of the whole program, not of each kernel.
TEST(Findings, AreSortedByTheTimeThatTheySave) {
  report r = large_report(3);
  for (site& s : r.launches[1].sites) s.saved_cycles = 800;
  const json found = json::parse(to_json(r, {}))["findings"];
  EXPECT_EQ(found[0]["kernel"].get<std::string>().rfind("kernel1", 0), 0u);
  EXPECT_EQ(found[0]["evidence"], "replayed");
  EXPECT_GT(found[0]["saved_microseconds"], found[1]["saved_microseconds"]);
}

TEST(Brief, HasTheKernelsAndTheFindings) {
  const json brief = json::parse(to_brief(test::small_transpose()));
  EXPECT_EQ(brief["schema"], "bankwise.brief/1");
  ASSERT_EQ(brief["kernels"].size(), 1u);
  EXPECT_GT(brief["kernels"][0]["removable"], 0);
  ASSERT_EQ(brief["findings"].size(), 1u);
  EXPECT_EQ(brief["findings"][0]["place"], "transpose.cu:18");
  EXPECT_EQ(brief["left_out"], (json{{"kernels", 0}, {"findings", 0}}));
}

TEST(Brief, StaysShort) {
  for (const std::size_t kernels : {0, 1, 5, 300}) {
    const report r = large_report(kernels);
    const std::string text = to_brief(r);
    EXPECT_LE(text.size(), most_brief_bytes);
    const json brief = json::parse(text);
    EXPECT_EQ(brief["kernels"].size() + brief["left_out"]["kernels"].get<std::size_t>(), kernels);
    EXPECT_GE(brief["kernels"].size(), std::min<std::size_t>(kernels, 3));
    EXPECT_GE(brief["findings"].size(), std::min<std::size_t>(kernels, 3));
  }
}

TEST(Brief, BeginsWithTheKernelThatTakesTheMostTime) {
  const json brief = json::parse(to_brief(large_report(3)));
  EXPECT_EQ(brief["kernels"][0]["kernel"].get<std::string>().rfind("kernel2", 0), 0u);
  EXPECT_EQ(brief["microseconds"], 6);
}

}  // namespace
}  // namespace bankwise
