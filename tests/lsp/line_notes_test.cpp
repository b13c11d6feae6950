// Tests how lines of a report are found in a text that has changed since the report was made.
#include "lsp/line_notes.hpp"

#include <gtest/gtest.h>

#include "lsp/answers.hpp"

namespace bankwise::lsp {
namespace {

site access_at(std::uint32_t line, const std::string& text) {
  site s;
  s.file = s.outer_file = "a.cu";
  s.line = s.outer_line = line;
  s.text = text;
  return s;
}

struct case_of_lines {
  folder_reports known;

  explicit case_of_lines(std::vector<site> sites, const std::string& made_of = {}) {
    launch_report l;
    l.name = l.kernel = "copy";
    l.sites = std::move(sites);
    known_report r{"r.json", {}, {}};
    r.what.launches.push_back(std::move(l));
    if (!made_of.empty()) r.made_of["/here/a.cu"] = fingerprint_of_text(made_of);
    known.reports.push_back(std::move(r));
    known.paths["a.cu"] = "/here/a.cu";
  }

  // Returns pairs like "2>3 5>6": a line in the report, and the same line in the present text.
  std::string lines(const std::string& text) const {
    const document d(text);
    std::string all;
    for (const line_note& n : notes_of(known, "/here/a.cu", d).lines)
      all += (all.empty() ? "" : " ") + std::to_string(n.line_before) + ">" + std::to_string(n.line + 1);
    return all;
  }
};

// A code lens is a line above the declaration of an array. It adds up the lines from this declaration to the next
// declaration with the same name. Each site has a different number of wavefronts, so that wrong sums are noticed.
TEST(CodeLenses, ArrayByArray) {
  const std::string text =
      "__shared__ float a[4], b[4];\n"
      "a[0] = b[1] + ab[2];\n"
      "b[1] = 1; // a\n"
      "__shared__ float a[8];\n"
      "a[0] = a[1];\n"
      "__shared__ float c[8];\n";
  std::vector<site> sites;
  for (const std::uint32_t line : {2u, 3u, 5u}) {
    sites.push_back(access_at(line, ""));
    sites.back().wavefronts = sites.back().reachable = 1;
    sites.back().wavefronts += std::uint64_t{1} << line;
  }
  const case_of_lines c(std::move(sites));
  const document d(text);
  const noted_source s{"file:///here/a.cu", "/here/a.cu", &d, &c.known, notes_of(c.known, "/here/a.cu", d)};
  std::vector<std::string> titles;
  for (const json& lens : code_lenses(s)) titles.push_back(lens["command"]["title"].get<std::string>());
  EXPECT_EQ(titles, (std::vector<std::string>{"explain a: 4 removable wavefronts", "explain b: 12 removable wavefronts",
                                              "explain a: 32 removable wavefronts", "explain c"}));
}

TEST(LineNotes, AreWhereTheirTextIs) {
  const case_of_lines c({access_at(2, "a = s[0];"), access_at(4, "b = s[1];")});
  EXPECT_EQ(c.lines("x\n  a = s[0];\nx\n  b = s[1];"), "2>2 4>4");
  EXPECT_EQ(c.lines("new\nnew\nx\n\ta  =  s[0];\nx\n  b = s[1];"), "2>4 4>6");  // differences in blanks are ignored
  EXPECT_EQ(c.lines("x\na = s[0];  // bankwise: ignore BW101 -- why\nb = s[2];"), "2>2");
  EXPECT_EQ(c.lines(""), "");
  EXPECT_EQ(notes_of(c.known, "/here/a.cu", document("a = s[0];")).gone, 1u);
  EXPECT_TRUE(notes_of(c.known, "/there/a.cu", document("a = s[0];")).lines.empty());
}

TEST(LineNotes, OfEqualLinesTheOrderStays) {
  const case_of_lines c({access_at(2, "s[t] = 0;"), access_at(4, "s[t] = 0;")});
  EXPECT_EQ(c.lines("x\ns[t] = 0;\nx\ns[t] = 0;"), "2>2 4>4");
  EXPECT_EQ(c.lines("x\nx\nx\nx\nx\ns[t] = 0;\nx\ns[t] = 0;"), "2>6 4>8");
  EXPECT_EQ(c.lines("s[t] = 0;"), "2>1");  // a statement that was split into two lines does not match
}

TEST(LineNotes, AreInTheirOwnKernel) {
  const case_of_lines c({access_at(2, "s[t] = 0;")});
  EXPECT_EQ(c.lines("__global__ void copy() {\nx;\n}\n__global__ void other() {\ns[t] = 0;\n}"), "");
  EXPECT_EQ(c.lines("__global__ void other() {\ns[t] = 0;\n}\n__global__ void\ncopy() {\ns[t] = 0;\n}"), "2>6");
}

TEST(LineNotes, WithoutATextTheNumberCounts) {
  const case_of_lines c({access_at(2, "")});
  EXPECT_EQ(c.lines("x\ny\nz"), "2>2");
  EXPECT_EQ(c.lines("x"), "");
}

TEST(LineNotes, AreStaleWhereTheTextIsAnother) {
  const std::string text = "x\na = s[0];\n";
  const case_of_lines c({access_at(2, "a = s[0];")}, text);
  const auto stale = [&](const std::string& now) { return notes_of(c.known, "/here/a.cu", document(now)).stale; };
  EXPECT_TRUE(stale(text).empty());
  EXPECT_TRUE(stale("\xef\xbb\xbf" + text).empty());
  EXPECT_EQ(stale("y\na = s[0];\n"), std::vector<std::string>{"r.json"});
  // The source of this report is unknown.
  const case_of_lines unknown({access_at(2, "a = s[0];")});
  EXPECT_EQ(notes_of(unknown.known, "/here/a.cu", document(text)).stale.size(), 1u);
}

}  // namespace
}  // namespace bankwise::lsp
