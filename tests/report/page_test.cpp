// Tests the pages: the template has exactly one place for data, and the data can be read back unchanged.
#include "report/page/page.hpp"

#include <gtest/gtest.h>
#include <lz4.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.hpp"
#include "model/source_lines.hpp"
#include "model/time_bound.hpp"
#include "report/json/write_report.hpp"
#include "report/page/launch_view.hpp"
#include "report/text/diff_report.hpp"
#include "report/text/run_report.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using nlohmann::json;

constexpr std::string_view after = "</script>";

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) ++n;
  return n;
}

// Converts columns to rows, as the page does.
json unpacked(const json& packed) {
  json rows = json::array();
  for (std::size_t i = 0; i < packed["rows"]; ++i) rows.push_back(json::object());
  for (const auto& [key, column] : packed["columns"].items()) {
    const json values = column.contains("rows") ? unpacked(column) : column.contains("at") ? column["at"] : column;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!values[i].is_null())
        rows[i][key] = column.contains("words") ? column["words"][values[i].get<std::size_t>()] : values[i];
  }
  return rows;
}

constexpr std::string_view before = R"(<script type="application/json" id="bankwise-data">)";

// Returns the data in a page, as a browser reads it. Apart from the data and the packed texts after it, the page equals
// the template.
json data_in(const std::string& page) {
  EXPECT_EQ(count(page, before), 1u);
  const std::size_t begin = page.find(before) + before.size(), end = page.find(after, begin);
  std::size_t rest = end + after.size();
  constexpr std::string_view ptx = "\n<script type=\"text/plain\" id=\"bankwise-ptx-";
  while (page.compare(rest, ptx.size(), ptx) == 0) rest = page.find(after, rest) + after.size();
  EXPECT_EQ(page.substr(0, begin), page_template().substr(0, begin));
  EXPECT_EQ(page.substr(rest), page_template().substr(begin + std::string_view("null</script>").size()));
  json data = json::parse(page.substr(begin, end - begin));
  if (data.contains("report"))
    for (json& l : data["report"]["launches"]) l["sites"] = unpacked(l["sites"]);
  return data;
}

// Returns the PTX of the first kernel, decompressed by the reference implementation of LZ4.
std::string ptx_in(const std::string& page) {
  const std::size_t at = page.find("id=\"bankwise-ptx-0\"");
  EXPECT_NE(at, std::string::npos);
  const auto number = [&](std::string_view name) {
    const std::size_t value = page.find(name, at) + name.size();
    return std::stoul(page.substr(value, page.find('"', value) - value));
  };
  const std::size_t size = number("data-bytes=\""), of = number("data-of=\""), begin = page.find('>', at) + 1;
  const std::string text = page.substr(begin, page.find('<', begin) - begin);
  EXPECT_EQ(text.size(), (size + 3) / 4 * 5);
  std::string block, made(of, '\0');
  for (std::size_t i = 0; i + 5 <= text.size(); i += 5) {
    std::uint32_t word = 0;
    for (std::size_t k = i; k < i + 5; ++k)
      word = word * 85 + static_cast<std::uint32_t>((text[k] == '}' ? '<' : text[k]) - 40);
    for (int shift = 24; shift >= 0; shift -= 8) block += static_cast<char>(word >> shift);
  }
  EXPECT_EQ(LZ4_decompress_safe(block.data(), made.data(), static_cast<int>(size), static_cast<int>(of)),
            static_cast<int>(of));
  return made;
}

std::vector<std::string> lines_of(const json& text) {
  std::vector<std::string> lines;
  std::istringstream in(text.get<std::string>());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
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
  EXPECT_EQ(count(page_template(), std::string(before) + "null" + std::string(after) + "\n"), 1u);
}

TEST(Page, HoldsTheReport) {
  const report r = reported();
  const std::string page = to_html(r);
  const json data = data_in(page);
  EXPECT_EQ(data["view"], "report");
  EXPECT_EQ(data["report"], json::parse(to_json(r)));
  ASSERT_EQ(data["code"].size(), 1u);
  const json& code = data["code"][0];
  EXPECT_EQ(code["mangled"], data["report"]["launches"][0]["mangled"]);
  EXPECT_EQ(code["functions"], json::array());
  const json& columns = code["instructions"];
  const std::size_t size = r.code[0].instructions.size();
  for (const char* name : {"pc", "file", "line", "ptx_line"}) ASSERT_EQ(columns[name].size(), size) << name;
  const std::vector<std::string> sass = lines_of(columns["sass"]), ptx = lines_of(ptx_in(page));
  ASSERT_EQ(sass.size(), size);
  for (const json& s : data["report"]["launches"][0]["sites"]) {
    EXPECT_TRUE(data["sources"].contains(s["path"]));
    bool found = false;
    for (std::size_t i = 0; i < size; ++i) {
      if (columns["pc"][i] != s["pc"]) continue;
      found = true;
      EXPECT_EQ(sass[i], s["sass"].get<std::string>());
      EXPECT_EQ(code["files"][columns["file"][i].get<std::size_t>()], s["path"]);
      EXPECT_EQ(columns["line"][i], s["line"]);
      EXPECT_EQ(columns["ptx_line"][i], s["ptx_line"]);
      EXPECT_NE(ptx.at(s["ptx_line"].get<std::size_t>() - 1), "");
    }
    EXPECT_TRUE(found) << s["sass"];
  }
  EXPECT_EQ(data["verdict"], data["views"][0]["verdict"]);
}

TEST(Page, AddsUpWhatAllLaunchesSave) {
  report r = reported();
  predicted_time& t = r.launches[0].time;
  t.gpu = "H100 SXM";
  t.cycles = t.cycles_low = t.cycles_high = 10'000;
  t.nanoseconds = 6'000;
  t.bound = "data_stage";
  t.cycles_without_conflicts = 4'000;
  const json alone = data_in(to_html(r));
  EXPECT_EQ(
      alone["verdict"],
      "Removing the bank conflicts saves 60% of this kernel's time: about 2.40 us instead of 6.00 us, 2.5 times as "
      "fast.");
  EXPECT_EQ(alone["views"][0]["time"],
            "about 6.00 us on an H100 SXM (6.00 to 6.00), bound by the pipe of shared memory and L1");
  r.launches.push_back(r.launches[0]);
  r.launches[1].count = 9;
  EXPECT_EQ(data_in(to_html(r))["verdict"],
            "Removing the bank conflicts of all 10 launches saves 60% of the launches' time: about 24.0 us instead of "
            "60.0 us (60.0 to 60.0), 2.5 times as fast. 100% of the saving is in transpose_plain.");
  // Without a prediction, the page shows no time.
  r.launches[1].time = {};
  EXPECT_EQ(data_in(to_html(r))["verdict"].get<std::string>().find("time"), std::string::npos);
}

TEST(Page, NamesOtherInstructionsThatSaveMore) {
  report r = reported();
  launch_report& l = r.launches[0];
  const site& s = l.sites[costly_lines(l)[0].sites[0]];
  known_move m;
  m.file = s.file;
  m.line = s.line;
  m.swaps = "1 ld.b128 in place of 4 ld.b32";
  m.verdict = m.swaps + ": 4 wavefronts instead of 16";
  m.needs = "addresses that are multiples of 16";
  m.wavefronts_before = 16;
  m.wavefronts_after = 4;
  m.sites = {{s.function, s.pc}};
  m.json = R"({"line": 18, "verdict": "v"})";
  l.moves = {m};
  known_fix f{"tile", "rows of 132 bytes", "", {{s.function, s.pc}}};
  f.json =
      R"({"array": "tile", "accesses": [{"sites": [)" + std::to_string(s.pc) + R"(]}], "answers": [], "notes": []})";
  f.wavefronts_before = 12, f.wavefronts_after = 1;
  l.fixes = {f};
  json data = data_in(to_html(r));
  EXPECT_EQ(data["views"][0]["fix"], "Fix: 1 ld.b128 in place of 4 ld.b32");
  const json& launch = data["report"]["launches"][0];
  EXPECT_EQ(launch["other_instructions"].size(), 1u);
  ASSERT_EQ(launch["fixes"][0]["notes"].size(), 1u);
  EXPECT_NE(launch["fixes"][0]["notes"][0].get<std::string>().find(m.verdict + ". This change needs " + m.needs),
            std::string::npos);
  // The fix and the layout save the same number of wavefronts, so the page omits one of the two numbers.
  l.fixes[0].code = "__shared__ float tile[32][33];";
  l.fixes[0].verdict = "rows of 132 bytes: 4 wavefronts instead of 16";
  l.fixes[0].wavefronts_before = 13;
  data = data_in(to_html(r));
  EXPECT_EQ(data["views"][0]["fix"], "Fix: __shared__ float tile[32][33];");
}

TEST(Page, SetsTwoReportsSideBySide) {
  const report a = reported();
  report b = a;
  b.launches[0].sites.pop_back();
  const check::report_diff d = check::diff_of(a, b);
  const json data = data_in(to_html(d, "a.json", "b.json"));
  EXPECT_EQ(data["view"], "diff");
  EXPECT_EQ(data["diff"], json::parse(to_json(d, "a.json", "b.json")));
  EXPECT_NE(to_text(d, {}, false).find(data["verdict"].get<std::string>()), std::string::npos);
}

// Returns the text with a single space instead of each line break.
std::string one_line(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  for (std::string word; in >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::vector<std::string> parts_of(std::string sentence) {
  std::vector<std::string> parts;
  for (std::size_t end; (end = sentence.find("; ")) != std::string::npos; sentence.erase(0, end + 2))
    parts.push_back(sentence.substr(0, end));
  parts.push_back(sentence);
  return parts;
}

// The page's notes about a launch equal the notes of the text output. In the page, a list may replace a sentence.
void holds_the_words(const report& r, const std::string& title) {
  const std::string text = one_line(to_text(r, {}, {}));
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
    for (const std::string& part : parts_of(one_line(words.get<std::string>())))
      if (!part.empty()) {
        EXPECT_EQ(count(text, part), 1u) << part;
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
  holds_the_words(outside->whole, "1 instruction accessed global memory out of bounds");
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
  const std::string hostile = "</script><script>alert(1)</script><!-- \\u003c";
  r.sources = {{"a</script>.cu", hostile}};
  r.launches[0].kernel = hostile;
  r.code[0].ptx = {hostile};
  const std::string page = to_html(r);
  EXPECT_EQ(count(page, "</script"), count(page_template(), "</script") + 1);
  EXPECT_EQ(count(page, "<!--"), count(page_template(), "<!--"));
  const json data = data_in(page);
  EXPECT_EQ(data["sources"]["a</script>.cu"], hostile);
  EXPECT_EQ(data["report"]["launches"][0]["kernel"], hostile);
  EXPECT_EQ(ptx_in(page), hostile + "\n");
}

TEST(Page, TakesTextThatIsNoUtf8) {
  report r = reported();
  r.sources = {{"\xff.cu", "// caf\xe9\n"}};
  EXPECT_EQ(data_in(to_html(r))["sources"]["\\xff.cu"], "// caf\\xe9\n");
}

TEST(Page, SpellsOutWhatTurnsOrHidesText) {
  report r = reported();
  const std::string turned = "/* \xe2\x80\xae } \xe2\x81\xa6 if (admin)\t*/\r\n\x1b[2J::error::\n";
  const std::string spelled = "/* \\u202e } \\u2066 if (admin)\t*/\r\n\\x1b[2J::error::\n";
  r.sources = {{"a\xe2\x80\xae.cu", "\xef\xbb\xbf" + turned}};
  r.launches[0].kernel = r.launches[0].sites[0].text = turned;
  r.code[0].ptx = {turned};
  r.code[0].instructions[0].sass = "MOV \xe2\x80\xae";
  const std::string page = to_html(r);
  const json data = data_in(page);
  EXPECT_EQ(data["sources"]["a\\u202e.cu"], spelled);  // the name with its mark (U+202E) replaced
  EXPECT_EQ(data["report"]["launches"][0]["kernel"], spelled);
  EXPECT_EQ(data["report"]["launches"][0]["sites"][0]["text"], spelled);
  EXPECT_TRUE(data["code"][0]["instructions"]["sass"].get<std::string>().starts_with("MOV \\u202e\n"));
  EXPECT_EQ(ptx_in(page), spelled + "\n");
  // Letters of all languages are kept.
  r.sources = {{"\xd7\xa9.cu", "// \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d caf\xc3\xa9 \xf0\x9f\x98\x80\n"}};
  EXPECT_EQ(data_in(to_html(r))["sources"], json(r.sources));
}

TEST(Page, SaysTheWorstLineAndItsFix) {
  report r = reported();
  const json bare = data_in(to_html(r))["views"][0];
  EXPECT_EQ(
      bare["worst"],
      "transpose.cu:18: 32-way bank conflict on bank 7, costs 63,488 removable wavefronts (93.9% of the shared-memory pipe).");
  EXPECT_EQ(bare["fix"], "");
  const auto with = [&](const std::string& code) {
    report fixed = r;
    known_fix f{"float tile[32][32]", "no layout helps", code, {}};
    f.change = code.empty() ? "" : "rows of 132 bytes";
    f.wavefronts_before = 2, f.wavefronts_after = 1;
    for (const site& s : fixed.launches[0].sites) f.sites.emplace_back(s.function, s.pc);
    fixed.launches[0].fixes = {f};
    return view_of(fixed, fixed.launches[0]).fix;
  };
  EXPECT_EQ(with("__shared__ float tile[32][32 + 1];  // nothing else changes\n"),
            "Fix: __shared__ float tile[32][32 + 1];");
  EXPECT_EQ(with("__shared__ float tile[32][32];\n// tile[row][column] becomes tile[row][column ^ row]\n"),
            "Fix: __shared__ float tile[32][32]; tile[row][column] becomes tile[row][column ^ row]");
  EXPECT_EQ(with("__device__ int at(int i) {\n  return i;\n}\n"), "Fix: rows of 132 bytes, 1 wavefront instead of 2");
  EXPECT_EQ(with(""), "No layout helps");
}

TEST(Page, HoldsAQuestion) {
  EXPECT_EQ(explorer_page({}), page_template());
  EXPECT_EQ(data_in(explorer_page({{"expr", "t < 4 ? 0 : t * 33"}, {"let", "N=4"}, {"let", "M=8"}})),
            json::parse(R"({"view": "explain",
                            "question": [["expr", "t < 4 ? 0 : t * 33"], ["let", "N=4"], ["let", "M=8"]]})"));
}

}  // namespace
}  // namespace bankwise
