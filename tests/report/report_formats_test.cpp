// Tests the table of formats. Every row is found by its name and writes the report. No two rows have the same file
// ending.
#include "report/forms/report_formats.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

report transposed() {
  const auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                                     .kernel = "transpose_plain",
                                     .grid = {2, 2, 1},
                                     .block = {32, 8, 1},
                                     .arguments = {"out:f32[4096]", "f32[4096]=iota", "i32=64"}});
  EXPECT_TRUE(run) << to_text(run.error());
  return run->whole;
}

std::string written(const char* name, const presentation& how = {}) {
  return find_report_format(name)->write(transposed(), {}, how);
}

TEST(ReportFormats, AreFoundByTheirNames) {
  std::set<std::string_view> names, endings;
  for (const report_format& f : report_formats()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_EQ(find_report_format(f.name), &f);
    for (const std::string_view ending : split(f.endings, ' '))
      if (!ending.empty()) {
        EXPECT_TRUE(endings.insert(ending).second) << ending;
      }
  }
  EXPECT_EQ(find_report_format("svg"), nullptr);
}

TEST(ReportFormats, WriteTheReport) {
  EXPECT_EQ(written("text").rfind("transpose_plain(", 0), 0u);
  EXPECT_EQ(nlohmann::json::parse(written("json"))["schema"], "bankwise.report/1");
  EXPECT_EQ(written("html").rfind("<!doctype html>", 0), 0u);
  EXPECT_EQ(written("csv").rfind("kernel,pc,sass,", 0), 0u);
  EXPECT_EQ(nlohmann::json::parse(written("sarif"))["version"], "2.1.0");
  EXPECT_EQ(written("junit").rfind("<?xml", 0), 0u);
  EXPECT_EQ(written("github").rfind("::warning", 0), 0u);
  EXPECT_EQ(nlohmann::json::parse(written("speedscope"))["profiles"].size(), 3u);
}

TEST(ReportFormats, NamePathsAsTheyAreAsked) {
  for (const report_format& f : report_formats()) {
    if (!f.names_paths) continue;
    const presentation how{.path_of = [](const std::string&) { return std::string("from/the/root.cu"); }};
    EXPECT_NE(f.write(transposed(), {}, how).find("from/the/root.cu"), std::string::npos) << f.name;
  }
}

// The source line in the report takes precedence over the present file.
TEST(ReportFormats, ShowTheSourceOfTheReport) {
  report r = transposed();
  const presentation how{.source_line = [](const std::string&, std::uint32_t) { return std::string("as it is now"); }};
  const report_format& text = *find_report_format("text");
  EXPECT_NE(text.write(r, {}, how).find("as it is now"), std::string::npos);
  for (site& s : r.launches[0].sites) s.text = "as it was";
  EXPECT_EQ(text.write(r, {}, how).find("as it is now"), std::string::npos);
  EXPECT_NE(text.write(r, {}, how).find("as it was"), std::string::npos);
}

}  // namespace
}  // namespace bankwise
