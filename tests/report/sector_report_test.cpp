// Tests the answer of explain about global memory: its words, pictures and C++ code.
#include "report/sectors/sector_report.hpp"

#include <gtest/gtest.h>

#include "report/sectors/sector_picture.hpp"

namespace bankwise {
namespace {

sector_report asked(const flag_values& flags, const std::string& text) {
  auto q = read_global_question(flags, text);
  EXPECT_TRUE(q) << text << "\n" << to_text(q.error());
  return q ? report_sectors(flags, text, "", std::move(*q)) : sector_report{};
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(SectorReport, SaysWhatIsMovedForNothing) {
  EXPECT_EQ(verdict(asked({}, "x[t]")), "4 sectors: every moved byte is requested");
  EXPECT_EQ(verdict(asked({}, "x[t * 2]")),
            "8 sectors: 128 of the 256 moved bytes are requested. 4 sectors "
            "would be enough");
  EXPECT_EQ(verdict(asked({}, "x[0]")), "1 sector: 4 of the 32 moved bytes are requested");
  EXPECT_EQ(verdict(asked({{{"mask", {"0"}}}}, "x[t]")), "no lane is active, so no bytes are moved");
}

TEST(SectorReport, GivesReasons) {
  const auto first = [](const sector_report& r) { return reasons_of(r).empty() ? "" : reasons_of(r).front(); };
  EXPECT_EQ(first(asked({}, "x[t]")), "The lanes request whole sectors.");
  EXPECT_NE(first(asked({}, "x[t * 2]")).find("there are unused bytes between"), std::string::npos);
  EXPECT_NE(first(asked({}, "x[t + 1]")).find("begins 4 bytes after"), std::string::npos);
  EXPECT_NE(first(asked({{{"array", {"float a[64][64]"}}}}, "a[t][0]")).find("request only a part"), std::string::npos);
  const flag_values copy{{{"op", {"cp.async.cg"}}, {"type", {"float4"}}, {"to", {"t * 2"}}}};
  EXPECT_NE(first(asked(copy, "t")).find("moved twice"), std::string::npos);
}

TEST(SectorReport, DrawsALineARow) {
  const sector_picture p = draw_sectors(asked({}, "x[t * 2]"));
  ASSERT_EQ(p.lines.size(), 2u);
  EXPECT_EQ(p.lines[1].byte, 128u);
  EXPECT_EQ(p.lines[1].lanes[2], 1u << 17);
  EXPECT_EQ(p.lines[1].lanes[3], 0u);
  EXPECT_TRUE(p.lines[1].partial[3]);
  EXPECT_EQ(draw_sectors(asked({{{"array", {"float a[64][64]"}}}}, "a[t][0]")).lines[1].skipped, 1u);
}

TEST(SectorReport, PicturesHaveACellForEveryWord) {
  for (const svg_form form : {svg_form::wide, svg_form::narrow, svg_form::file}) {
    const sector_report r = asked({{{"type", {"float4"}}}}, "x[t]");
    const std::string svg = to_svg(draw_sectors(r), r, form);
    EXPECT_EQ(times(svg, "class=\"bw-cell\""), 128u);
    EXPECT_EQ(times(svg, "<g"), times(svg, "</g>"));
    EXPECT_EQ(svg.find("<style>") != std::string::npos, form == svg_form::file);
  }
}

TEST(SectorReport, TextFitsATerminal) {
  const std::string text = to_text(asked({{{"array", {"float a[64][64]"}}}}, "a[t][0]"), style{}, true);
  EXPECT_EQ(times(text, "\n  byte "), 32u);
  EXPECT_NE(to_text(asked({{{"array", {"float a[64][64]"}}}}, "a[t][0]"), style{}, false).find("... and 24 more lines"),
            std::string::npos);
}

TEST(SectorReport, GivesCode) {
  EXPECT_NE(to_cpp(asked({}, "x[t * 2]")).find("BANKWISE_ASSERT_SECTORS(global, 8);"), std::string::npos);
}

}  // namespace
}  // namespace bankwise
