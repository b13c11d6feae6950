// Tests the picture for sharing: its headline, and a cell for every word of the access.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "expr/question.hpp"
#include "report/picture/card.hpp"

namespace bankwise {
namespace {

access_report asked(const std::string& text, std::map<std::string, std::vector<std::string>, std::less<>> flags = {}) {
  if (!flags.contains("op")) flags["type"] = {"float"};
  auto q = read_question({std::move(flags)}, text);
  EXPECT_TRUE(q) << to_text(q.error());
  return report_access(std::move(*q));
}

std::size_t count(const std::string& in, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++n;
  return n;
}

card padded(const std::string& before, const std::string& after, const std::string& change = "rows of 33 words") {
  return {asked(after), asked(before), change, "bankwise explain"};
}

TEST(Card, TheHeadlineSaysWhatIsWon) {
  EXPECT_EQ(headline_of(padded("t * 32", "t * 33")), "32 times fewer wavefronts: rows of 33 words");
  EXPECT_EQ(headline_of(padded("t * 3", "t * 2")), "2 times as many wavefronts: rows of 33 words");
  EXPECT_EQ(headline_of(padded("t", "t * 3")), "as many wavefronts: rows of 33 words");
  EXPECT_EQ(headline_of(padded("t / 16 + t % 16 * 32 + t / 24 * 32 * 16", "t * 16")),
            "as many wavefronts: rows of 33 words");
  EXPECT_EQ(headline_of({asked("t * 2"), {}, {}, {}}), verdict(asked("t * 2")));
}

// The picture shows a column of 32 words next to a row of 32 words. 31 words of the column wait.
TEST(Card, BeforeStandsBesideAfter) {
  const std::string svg = to_svg(padded("t * 32", "t * 33"), card_form::still);
  EXPECT_EQ(count(svg, "class=\"cell more\""), 31u);
  EXPECT_EQ(count(svg, "class=\"cell\""), 33u);
  EXPECT_NE(svg.find("viewBox=\"0 0 1200 675\""), std::string::npos);
  EXPECT_NE(svg.find(">before</text>"), std::string::npos);
  EXPECT_NE(svg.find("sm_90 (Hopper), measured: H200"), std::string::npos)
      << "the picture names the evidence for the rule";
  EXPECT_EQ(svg.find("animation"), std::string::npos);
}

TEST(Card, ALoopMovesEveryLanesWord) {
  const std::string svg = to_svg(padded("t * 32", "t * 33"), card_form::loop);
  EXPECT_EQ(count(svg, "moves\" style="), 32u);
  EXPECT_EQ(count(svg, "--was:var(--excess)"), 31u);
  EXPECT_EQ(count(svg, "--now:var(--cell)"), 32u) << "after the animation, no cell has the colour of a conflict";
  EXPECT_NE(svg.find("prefers-reduced-motion"), std::string::npos);
  // If no layout is applied, there is no animation.
  EXPECT_EQ(to_svg({asked("t"), {}, {}, {}}, card_form::loop), to_svg({asked("t"), {}, {}, {}}, card_form::still));
}

TEST(Card, WideAccessesAndMatricesMoveWordByWord) {
  const card c{asked("t * 16", {{"op", {"ldmatrix.x4"}}}), asked("t * 16", {{"op", {"ldmatrix.x4"}}}), "nothing", ""};
  EXPECT_EQ(count(to_svg(c, card_form::loop), "moves\" style="), 128u);
}

TEST(Card, NothingThatIsAskedIsMarkup) {
  card c = padded("t * 32", "t * 33", "<b>&\"");
  c.command = "bankwise explain '<script>'";
  for (const card_form form : {card_form::still, card_form::loop}) {
    const std::string svg = to_svg(c, form);
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_EQ(svg.find("<script>"), std::string::npos);
  }
}

}  // namespace
}  // namespace bankwise
