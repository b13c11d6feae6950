// Tests the table of formats. Every row is found by its name and writes the report. No two rows have the same file
// ending.
#include "report/forms/report_formats.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "report/json/read_report.hpp"
#include "support/examples.hpp"

namespace bankwise {
namespace {

std::string written(const char* name, const presentation& how = {}) {
  return find_report_format(name)->write(test::small_transpose(), {}, how);
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
  EXPECT_EQ(written("text").rfind("transpose_plain\n", 0), 0u);
  EXPECT_EQ(nlohmann::json::parse(written("json"))["schema"], "bankwise.report/1");
  EXPECT_EQ(written("html").rfind("<!doctype html>", 0), 0u);
  EXPECT_EQ(written("csv").rfind("kernel,pc,sass,", 0), 0u);
  EXPECT_EQ(nlohmann::json::parse(written("sarif"))["version"], "2.1.0");
  EXPECT_EQ(written("junit").rfind("<?xml", 0), 0u);
  EXPECT_EQ(written("github").rfind("::warning", 0), 0u);
  EXPECT_EQ(written("markdown").rfind("**bankwise: ", 0), 0u);
  EXPECT_TRUE(nlohmann::json::parse(written("perfetto"))["traceEvents"].is_array());
  EXPECT_EQ(nlohmann::json::parse(written("speedscope"))["profiles"].size(), 3u);
}

TEST(ReportFormats, NamePathsAsTheyAreAsked) {
  for (const report_format& f : report_formats()) {
    if (!f.names_paths) continue;
    const presentation how{.path_of = [](const std::string&) { return std::string("from/the/root.cu"); }};
    EXPECT_NE(f.write(test::small_transpose(), {}, how).find("from/the/root.cu"), std::string::npos) << f.name;
  }
}

// The source line in the report takes precedence over the present file.
TEST(ReportFormats, ShowTheSourceOfTheReport) {
  report r = test::small_transpose();
  const presentation how{.source_line = [](const std::string&, std::uint32_t) { return std::string("as it is now"); }};
  const report_format& text = *find_report_format("text");
  EXPECT_NE(text.write(r, {}, how).find("as it is now"), std::string::npos);
  for (site& s : r.launches[0].sites) s.text = "as it was";
  EXPECT_EQ(text.write(r, {}, how).find("as it is now"), std::string::npos);
  EXPECT_NE(text.write(r, {}, how).find("as it was"), std::string::npos);
}

// A signal stops the writing after the second of three launches. The report is then a report of these two.
TEST(ReportFormats, AreWholeIfTheWritingStops) {
  report r = test::small_transpose();
  for (const std::uint32_t y : {3u, 4u}) r.launches.emplace_back(r.launches[0]).grid[1] = y;
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const presentation how{.all = true, .watch = [&](std::size_t done, std::size_t all) {
                           asked.emplace_back(done, all);
                           return done < 2 ? early_end() : early_end{early_end::reason::interrupted, "SIGTERM"};
                         }};
  const auto cut = read_report(find_report_format("json")->write(r, {}, how), "cut.json");
  ASSERT_TRUE(cut) << to_text(cut.error());
  EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 3}, {1, 3}, {2, 3}}));
  EXPECT_EQ(cut->partial, (early_end{early_end::reason::interrupted, "SIGTERM"}));
  ASSERT_EQ(cut->launches.size(), 2u);
  EXPECT_EQ(cut->launches[1].grid[1], 3u);
  const std::string text = find_report_format("text")->write(r, {}, how);
  EXPECT_EQ(text.rfind("partial: stopped by SIGTERM. The report shows 2 of 3 launches\n", 0), 0u) << text;
  EXPECT_NE(text.find("grid 2,3,1"), std::string::npos) << text;
  EXPECT_EQ(text.find("grid 2,4,1"), std::string::npos) << text;
  const std::string page = find_report_format("html")->write(r, {}, how), begin = "id=\"bankwise-data\">";
  const std::size_t at = page.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
  EXPECT_EQ(data["report"]["launches"].size(), 2u);
  EXPECT_EQ(data["views"].size(), 2u);
  EXPECT_EQ(data["report"]["signal"], "SIGTERM");
}

}  // namespace
}  // namespace bankwise
