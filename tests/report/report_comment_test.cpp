// Tests a report as Markdown: its tables, and names that contain markup.
#include "report/forms/report_comment.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "model/report.hpp"
#include "support/examples.hpp"

namespace bankwise {
namespace {

// Returns the number of cells of each row of a table. An escaped | does not end a cell.
std::vector<std::size_t> cells_of(const std::string& text) {
  std::vector<std::size_t> cells;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("|")) continue;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    cells.push_back(bars - 1);
  }
  return cells;
}

TEST(ReportComment, ListsFindingsAndLaunches) {
  const std::string text = to_markdown(test::small_transpose());
  EXPECT_EQ(text.rfind("**bankwise: ", 0), 0u) << text;
  EXPECT_NE(text.find("| `transpose.cu:18` | `transpose_plain` | 32-way bank conflict"), std::string::npos) << text;
  EXPECT_NE(text.find("| `transpose_plain` | 1 | 2,2,1 | 32,8,1 |"), std::string::npos) << text;
  EXPECT_EQ(cells_of(text), (std::vector<std::size_t>{6, 6, 6, 7, 7, 7})) << text;
}

TEST(ReportComment, EscapesNamesFromOutside) {
  report r = test::small_transpose();
  launch_report& l = r.launches[0];
  l.instance = "a|b`c<script>(int | \\)";
  l.time.gpu = "<img src=x> | @all";
  l.time.cycles = 1000;
  l.time.nanoseconds = 1000;
  const std::string text = to_markdown(r);
  EXPECT_NE(text.find("<code>a&#124;b&#96;c&#60;script&#62;&#40;int &#124; &#92;&#41;</code>"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("<img"), std::string::npos) << text;
  EXPECT_EQ(text.find("@all"), std::string::npos) << text;
  EXPECT_EQ(cells_of(text), (std::vector<std::size_t>{6, 6, 6, 7, 7, 7})) << text;
}

TEST(ReportComment, SaysWhatChecksFound) {
  report r = test::small_transpose();
  EXPECT_EQ(to_markdown(r).find("Checks:"), std::string::npos);
  r.launches[0].checked = {true, true};
  EXPECT_NE(to_markdown(r).find("\nChecks: no races, no uninitialised reads.\n"), std::string::npos);
  hazard h;
  h.kind = hazard_kind::read_after_write;
  r.launches[0].hazards = {h, h};
  EXPECT_NE(to_markdown(r).find("\nChecks: 2 hazards.\n"), std::string::npos);
}

TEST(ReportComment, LimitsLongTables) {
  report r = test::small_transpose();
  const launch_report one = r.launches[0];
  for (std::uint32_t i = 0; i < 40; ++i) {
    r.launches.push_back(one);
    r.launches.back().mangled += std::to_string(i);
    r.launches.back().kernel += std::to_string(i);
  }
  EXPECT_NE(to_markdown(r).find("... and 11 more launches (--all)"), std::string::npos);
  EXPECT_EQ(to_markdown(r, true).find("more launches"), std::string::npos);
  EXPECT_EQ(to_markdown({r.arch, r.origin, r.on, {}, {}, {}}), "**bankwise: No kernel was launched.**\n");
}

}  // namespace
}  // namespace bankwise
