// The pages: the template takes data in exactly one place, and what is put in comes out as it was.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/run_report.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using nlohmann::json;

constexpr std::string_view before = R"(<script type="application/json" id="bankwise-data">)", behind = "</script>";

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) ++n;
  return n;
}

// The data in a page, as a browser reads it.
json data_in(const std::string& page) {
  EXPECT_EQ(count(page, before), 1u);
  const std::size_t begin = page.find(before) + before.size();
  const std::string text = page.substr(begin, page.find(behind, begin) - begin);
  EXPECT_EQ(page.substr(0, begin), page_template().substr(0, begin));
  EXPECT_EQ(page.substr(begin + text.size()), page_template().substr(begin + std::string_view("null").size()));
  return json::parse(text);
}

report reported() {
  const auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                                     .kernel = "transpose_plain",
                                     .grid = {8, 8, 1},
                                     .block = {32, 8, 1},
                                     .arguments = {"out:f32[256*256]", "f32[256*256]=iota", "i32=256"}});
  EXPECT_TRUE(run) << to_text(run.error());
  report r = run->whole;
  r.sources[r.code.at(0).files.at(0)] = test::read_text(test::source_path("examples/transpose.cu"));
  return r;
}

TEST(Page, IsTheFileThatWasBuilt) {
  EXPECT_EQ(page_template(), test::read_text(test::source_path("web/dist/page.html")));
}

TEST(Page, TakesDataInOnePlace) {
  EXPECT_EQ(count(page_template(), before), 1u);
  EXPECT_EQ(count(page_template(), std::string(before) + "null" + std::string(behind)), 1u);
}

TEST(Page, HoldsTheReport) {
  const report r = reported();
  const json data = data_in(to_html(r));
  EXPECT_EQ(data["view"], "report");
  EXPECT_EQ(data["report"], json::parse(to_json(r)));
  ASSERT_EQ(data["code"].size(), 1u);
  const json& code = data["code"][0];
  EXPECT_EQ(code["mangled"], data["report"]["launches"][0]["mangled"]);
  EXPECT_EQ(code["functions"], json::array());
  ASSERT_EQ(code["instructions"].size(), r.code[0].instructions.size());
  for (const json& s : data["report"]["launches"][0]["sites"]) {
    EXPECT_TRUE(data["sources"].contains(s["path"]));
    bool found = false;
    for (const json& i : code["instructions"]) {
      ASSERT_EQ(i.size(), 5u);
      if (i[0] != s["pc"]) continue;
      found = true;
      EXPECT_EQ(code["files"][i[2].get<std::size_t>()], s["path"]);
      EXPECT_EQ(i[3], s["line"]);
      EXPECT_EQ(i[4], s["ptx_line"]);
      EXPECT_NE(code["ptx"][i[4].get<std::size_t>() - 1], "");
    }
    EXPECT_TRUE(found) << s["sass"];
  }
}

// What a page says of a launch beside its costs is what the text says.
void holds_the_words(const report& r, const std::string& title) {
  const std::string text = to_text(r, {}, {});
  const json views = data_in(to_html(r))["views"];
  ASSERT_EQ(views.size(), r.launches.size());
  ASSERT_EQ(views[0]["notes"].size(), 1u);
  const json& note = views[0]["notes"][0];
  EXPECT_EQ(note["title"], title);
  ASSERT_EQ(note["items"].size(), 1u);
  const json& item = note["items"][0];
  EXPECT_NE(item["what"], "");
  ASSERT_EQ(item["places"].size(), 1u);
  const json& place = item["places"][0];
  for (const json& words : {note["title"], note["says"], note["hint"], item["what"], item["where"], item["hint"],
                            place["sass"], place["detail"]})
    if (!words.get<std::string>().empty()) {
      EXPECT_EQ(count(text, words.get<std::string>()), 1u) << words;
    }
  EXPECT_EQ(count(text, "no findings"), 0u);
}

TEST(Page, HoldsTheNotesOfALaunch) {
  const auto outside = test::run_kernel({.cubin = "tests/kernels/faults.cubin",
                                         .kernel = "past_the_end",
                                         .grid = {1, 1, 1},
                                         .block = {32, 1, 1},
                                         .arguments = {"out:f32[31]", "i32=32"}});
  ASSERT_TRUE(outside) << to_text(outside.error());
  holds_the_words(outside->whole, "1 instruction out of bounds of global memory");
  const auto spinning = test::run_kernel({.cubin = "tests/kernels/forms.cubin",
                                          .kernel = "spinning_floats",
                                          .grid = {1, 1, 1},
                                          .block = {32, 1, 1},
                                          .arguments = {"out:u32[1024]", "i32=0", "i32=1"}});
  ASSERT_TRUE(spinning) << to_text(spinning.error());
  holds_the_words(spinning->whole, "loops around a compare-and-swap");
  EXPECT_EQ(data_in(to_html(reported()))["views"][0]["notes"], json::array());
}

TEST(Page, HoldsNoMarkupFromOutside) {
  report r = reported();
  const std::string hostile = "</script><script>alert(1)</script><!-- \xe2\x80\xa8 \\u003c";
  r.sources = {{"a</script>.cu", hostile}};
  r.launches[0].kernel = hostile;
  r.code[0].ptx = {hostile};
  const std::string page = to_html(r);
  EXPECT_EQ(count(page, "</script"), count(page_template(), "</script"));
  EXPECT_EQ(count(page, "<!--"), count(page_template(), "<!--"));
  const json data = data_in(page);
  EXPECT_EQ(data["sources"]["a</script>.cu"], hostile);
  EXPECT_EQ(data["report"]["launches"][0]["kernel"], hostile);
  EXPECT_EQ(data["code"][0]["ptx"][0], hostile);
}

TEST(Page, TakesTextThatIsNoUtf8) {
  report r = reported();
  r.sources = {{"\xff.cu", "// caf\xe9\n"}};
  EXPECT_EQ(data_in(to_html(r))["sources"]["\xef\xbf\xbd.cu"], "// caf\xef\xbf\xbd\n");
}

TEST(Page, HoldsAQuestion) {
  EXPECT_EQ(explorer_page({}), page_template());
  EXPECT_EQ(data_in(explorer_page({{"expr", "t < 4 ? 0 : t * 33"}, {"let", "N=4"}, {"let", "M=8"}})),
            json::parse(R"({"view": "explain",
                            "question": [["expr", "t < 4 ? 0 : t * 33"], ["let", "N=4"], ["let", "M=8"]]})"));
}

}  // namespace
}  // namespace bankwise
