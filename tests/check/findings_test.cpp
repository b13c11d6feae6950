// Tests findings and their output formats: fingerprints that do not change, SARIF that GitHub accepts, valid XML.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/format.hpp"
#include "check/baseline.hpp"
#include "check/diff.hpp"
#include "check/findings.hpp"
#include "check/verdict.hpp"
#include "model/merge_reports.hpp"
#include "model/sectors/sector_lines.hpp"
#include "report/forms/annotations.hpp"
#include "report/forms/kind_page.hpp"
#include "report/forms/sarif.hpp"
#include "report/forms/site_table.hpp"
#include "report/text/diff_report.hpp"
#include "support/examples.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using check::finding;
using check::findings_of;
using nlohmann::json;
using test::transposed;

report counted() {
  auto run = test::run_kernel({.cubin = "examples/histogram.cubin",
                               .kernel = "histogram_weighted",
                               .grid = {4, 1, 1},
                               .block = {256, 1, 1},
                               .arguments = {"out:u32[256]", "u8[4096]=random:1", "i32=4096"}});
  EXPECT_TRUE(run) << to_text(run.error());
  return std::move(run->whole);
}

void each_site(report& r, const std::function<void(site&)>& change) {
  for (launch_report& l : r.launches)
    for (site& s : l.sites) change(s);
}

TEST(Findings, OneForEachLineAndRule) {
  const auto plain = findings_of(transposed());
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].what->id, "BW101");
  EXPECT_EQ(plain[0].line, 18u);
  EXPECT_EQ(plain[0].amount, 4u * 8 * 4 * 31);
  const auto atomics = findings_of(counted());
  ASSERT_EQ(atomics.size(), 2u);
  EXPECT_EQ(atomics[0].what->id, "BW101");
  EXPECT_EQ(atomics[1].what->id, "BW102");
  EXPECT_NE(atomics[0].fingerprint, atomics[1].fingerprint);
  EXPECT_TRUE(findings_of(transposed("transpose_padded")).empty());
}

// A hazard is a finding if the user asked for the check. Otherwise it is a race that was seen by chance.
TEST(Findings, HazardsAreFindingsOfTheirKind) {
  report r = transposed("transpose_padded");
  launch_report& l = r.launches[0];
  std::uint32_t line = 10;
  for (const hazard_kind k :
       {hazard_kind::outside_heap_block, hazard_kind::uninitialised, hazard_kind::read_after_write,
        hazard_kind::divergent_barrier, hazard_kind::mask_of_ended}) {
    hazard& h = l.hazards.emplace_back();
    h.kind = k;
    h.count = 1;
    h.first.file = h.second.file = "t.cu";
    h.first.line = h.second.line = line++;
  }
  l.hazards.push_back(l.hazards[2]);  // a race that is only a warning
  l.hazards.back().cause = hazard_cause::in_step;
  l.hazards.back().second.line = line;
  EXPECT_TRUE(findings_of(r).empty());
  l.checked = {true, true, true, true};
  std::map<std::uint32_t, std::string> ids;
  for (const finding& f : findings_of(r)) ids[f.line] = f.what->id;
  EXPECT_EQ(ids, (std::map<std::uint32_t, std::string>{
                     {10, "BW401"}, {11, "BW402"}, {12, "BW403"}, {13, "BW404"}, {14, "BW405"}, {15, "BW405"}}));
}

// Races between blocks, other results and calls of the program are also findings.
TEST(Findings, ChecksOfBlocksAndCallsAreFindings) {
  report r = transposed("transpose_padded");
  launch_report& l = r.launches[0];
  block_race& b = l.block_races.emplace_back();
  b.kind = hazard_kind::write_after_write;
  b.cause = race_cause::no_fence;
  b.count = 3;
  b.first.file = b.second.file = "t.cu";
  b.first.line = 5;
  b.second.line = 7;
  b.second_block = {2, 0, 0};
  EXPECT_TRUE(findings_of(r).empty());  // bankwise has seen this race, but the user did not ask for races
  l.checked.races = true;
  l.other_results.push_back({.seed = 3, .bytes = 8, .memory = "argument 1"});
  r.program_faults.push_back(
      {program_fault_kind::leak, "", "cudaMalloc memory", 64, 1, {"allocated in main, at a+0x8c01"}});
  r.program_faults.push_back(
      {program_fault_kind::leak, "", "cudaMalloc memory", 64, 1, {"allocated in main, at a+0x8d01"}});
  const std::vector<finding> found = findings_of(r);
  ASSERT_EQ(found.size(), 4u);
  const auto of = [&](std::string_view id) {
    return *std::find_if(found.begin(), found.end(), [&](const finding& f) { return f.what->id == id; });
  };
  EXPECT_EQ(place_of(of("BW403")), "t.cu:7");
  EXPECT_EQ(of("BW403").amount, 3u);
  EXPECT_NE(of("BW403").message.find("two blocks write different values to one word, in block (2,0,0), thread (0,0,0), "
                                     "and block (0,0,0), thread (0,0,0) at t.cu:5; the block published"),
            std::string::npos)
      << of("BW403").message;
  EXPECT_EQ(place_of(of("BW406")), "the launch");
  EXPECT_EQ(place_of(of("BW408")), "the program");
  // A fingerprint does not contain an address of the program, which other lines change.
  const auto leaks = [](const report& from) {
    std::set<std::string> all;
    for (const finding& f : findings_of(from))
      if (f.what->id == "BW408") all.insert(f.fingerprint);
    return all;
  };
  const std::set<std::string> before = leaks(r);
  EXPECT_EQ(before.size(), 2u);
  for (program_fault& p : r.program_faults) p.trail[0].replace(p.trail[0].size() - 4, 4, "9999");
  EXPECT_EQ(leaks(r), before);
}

TEST(Findings, FingerprintsSurviveWhatDoesNotMatter) {
  report r = transposed();
  const std::string before = findings_of(r)[0].fingerprint;
  const auto after = [&](const std::function<void(site&)>& change) {
    report other = r;
    each_site(other, change);
    return findings_of(other)[0].fingerprint;
  };
  EXPECT_EQ(after([](site& s) { s.line += 7; }), before);
  EXPECT_EQ(after([](site& s) { s.pc += 0x100; }), before);
  EXPECT_EQ(after([](site& s) { s.file = "/elsewhere/" + s.file; }), before);
  EXPECT_EQ(after([](site& s) { s.text = "  line \t 18;  "; }), before);
  EXPECT_EQ(after([](site& s) { s.text = "line 18;  // bankwise: ignore BW101 -- once"; }), before);
  EXPECT_EQ(after([](site& s) { s.wavefronts += 1; }), before);
  EXPECT_NE(after([](site& s) { s.text = "line 18 is another;"; }), before);
  EXPECT_NE(after([](site& s) { s.op.spelling = "ld.b64"; }), before);
  r.launches[0].kernel = "another";
  EXPECT_NE(findings_of(r)[0].fingerprint, before);
}

// Two lines with the same text are two findings. Both findings keep their fingerprints.
TEST(Findings, EqualLinesAreCounted) {
  report r = transposed();
  std::uint32_t line = 40;
  each_site(r, [&](site& s) {
    s.text = "same;";
    if (s.wavefronts != s.reachable) s.line = line += 2;
  });
  std::set<std::string> before, after;
  for (const finding& i : findings_of(r)) before.insert(i.fingerprint);
  each_site(r, [](site& s) { s.line += 5; });
  for (const finding& i : findings_of(r)) after.insert(i.fingerprint);
  EXPECT_EQ(before.size(), 4u);
  EXPECT_EQ(before, after);
}

// A saved report may contain numbers so large that their sum overflows.
TEST(Findings, TooMuchStaysTooMuch) {
  report r = transposed();
  r.launches[0].count = std::uint64_t{1} << 48;
  each_site(r, [](site& s) {
    s.wavefronts = std::uint64_t{1} << 48;
    s.ideal = s.reachable = 0;
    s.layout_floor = s.wavefronts + 1;
  });
  const auto findings = findings_of(r);
  ASSERT_FALSE(findings.empty());
  for (const finding& i : findings) EXPECT_EQ(i.amount, ~std::uint64_t{0});
  EXPECT_EQ(check::diff_of(r, transposed()).a[measure::wavefronts].is, ~std::uint64_t{0});
}

// --- SARIF

json sarif_of(std::vector<finding> findings, const std::string& path) {
  for (finding& i : findings) i.path = path;
  return json::parse(to_sarif(findings, "input.cubin"));
}

// Checks the fields of SARIF 2.1.0 that docs.github.com requires, and the standard's requirements for these fields.
void expect_sarif(const json& j) {
  EXPECT_EQ(j["version"], "2.1.0");
  EXPECT_NE(j["$schema"].get<std::string>().find("sarif-2.1.0"), std::string::npos);
  ASSERT_EQ(j["runs"].size(), 1u);
  const json& driver = j["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "bankwise");
  std::set<std::string> ids;
  for (const json& r : driver["rules"]) {
    EXPECT_TRUE(ids.insert(r["id"]).second);
    for (const char* text : {"shortDescription", "fullDescription", "help"})
      EXPECT_FALSE(r[text]["text"].get<std::string>().empty()) << r["id"];
    EXPECT_TRUE(r["help"].contains("markdown"));
    EXPECT_TRUE((std::set<std::string>{"none", "note", "warning", "error"}.contains(
        r["defaultConfiguration"]["level"].get<std::string>())));
  }
  ASSERT_TRUE(j["runs"][0]["results"].is_array());
  for (const json& r : j["runs"][0]["results"]) {
    const std::size_t index = r["ruleIndex"];
    ASSERT_LT(index, driver["rules"].size());
    EXPECT_EQ(driver["rules"][index]["id"], r["ruleId"]);
    EXPECT_EQ(driver["rules"][index]["defaultConfiguration"]["level"], r["level"]);
    EXPECT_FALSE(r["message"]["text"].get<std::string>().empty());
    ASSERT_EQ(r["locations"].size(), 1u);
    const json& place = r["locations"][0]["physicalLocation"];
    EXPECT_FALSE(place["artifactLocation"]["uri"].get<std::string>().empty());
    EXPECT_GE(place["region"]["startLine"].get<int>(), 1);
    ASSERT_EQ(r["partialFingerprints"].size(), 1u);
    EXPECT_EQ(r["partialFingerprints"]["bankwise/v1"].get<std::string>().size(), 16u);
  }
}

TEST(Sarif, HoldsWhatReadersNeed) {
  for (const report& r : {transposed(), counted(), transposed("transpose_padded")})
    expect_sarif(sarif_of(findings_of(r), "src/a.cu"));
}

TEST(Sarif, PathsAreUris) {
  const auto place = [](const std::string& path) {
    return sarif_of(findings_of(transposed()),
                    path)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(place("src/a b.cu"), json({{"uri", "src/a%20b.cu"}, {"uriBaseId", "%SRCROOT%"}}));
  // If a checked file is outside of the folder, its complete path is shown.
  std::vector<finding> unplaced = findings_of(transposed());
  for (finding& i : unplaced) i.line = 0;
  EXPECT_EQ(
      json::parse(to_sarif(
          unplaced, "/home/a.cubin"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"],
      json({{"uri", "file:///home/a.cubin"}}));
  EXPECT_EQ(uri_of("C:\\x\\a.cu"), "file:///C:/x/a.cu");
  EXPECT_EQ(uri_of("100%:\xc3\xa4.cu"), "100%25%3a%c3%a4.cu");
}

// A cubin may name any file, but no URI may lead out of the root.
TEST(Sarif, PathsStayBelowTheRoot) {
  for (const char* file : {"../../.ssh/id.cu", "/etc/passwd", "a/../../b.cu", "..", "C:/b.cu", "..\\b.cu"}) {
    std::vector<finding> findings = findings_of(transposed());
    for (finding& i : findings) i.path = file;
    const json log = json::parse(to_sarif(findings, "../k/t.cubin"));
    for (const json& found : log["runs"][0]["results"]) {
      const json& place = found["locations"][0]["physicalLocation"];
      EXPECT_EQ(place["artifactLocation"], json({{"uri", "t.cubin"}, {"uriBaseId", "%SRCROOT%"}}));
      EXPECT_EQ(place["region"]["startLine"], 1);
      EXPECT_NE(found["message"]["text"].get<std::string>().find(file), std::string::npos);
    }
  }
}

TEST(Junit, HoldsWhatXmlCannotHoldSpelledOut) {
  report r = transposed();
  for (launch_report& l : r.launches) l.kernel = "a\xef\xbf\xbe\xef\xbf\xbf\x1b\xff\xed\xa0\x80<&\"";
  const std::string text = to_junit(findings_of(r), {});
  EXPECT_NE(text.find("a\\ufffe\\uffff\\x1b\\xff\\xed\\xa0\\x80&lt;&amp;&quot;"), std::string::npos) << text;
  for (const char* bad : {"\xef\xbf\xbe", "\xef\xbf\xbf", "\x1b", "\xff"}) EXPECT_EQ(text.find(bad), std::string::npos);
}

TEST(Sarif, WithoutALineTableItIsTheInput) {
  report r = transposed();
  each_site(r, [](site& s) {
    s.file.clear();
    s.line = 0;
    s.text.clear();
  });
  const json j = sarif_of(findings_of(r), "");
  expect_sarif(j);
  EXPECT_EQ(j["runs"][0]["results"].size(), 4u);  // each finding has one instruction
  EXPECT_EQ(j["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "input.cubin");
}

TEST(Sarif, SaysWhatIsKnownAndWhatIsSuppressed) {
  std::vector<finding> findings = findings_of(transposed());
  findings[0].compared = check::novelty::known;
  findings[0].suppressed = "once";
  const json j = json::parse(to_sarif(findings, ""));
  EXPECT_EQ(j["runs"][0]["results"][0]["baselineState"], "unchanged");
  EXPECT_EQ(j["runs"][0]["results"][0]["suppressions"],
            json::array({{{"kind", "inSource"}, {"justification", "once"}}}));
}

// --- the other formats

TEST(Annotations, NothingInThemIsACommand) {
  std::vector<finding> findings = findings_of(transposed());
  findings[0].path = "a,b:c\n::error::x.cu";
  findings[0].message = "100%\r\n::set-output name=x::y";
  const std::string text = to_annotations(findings);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_NE(text.find("file=a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax.cu,line=18,"), std::string::npos) << text;
  EXPECT_NE(text.find("100%25%0D%0A::set-output"), std::string::npos) << text;
}

TEST(Junit, IsXmlWhateverTheNames) {
  std::vector<finding> findings = findings_of(transposed());
  findings[0].kernel = "k<float, (a && b)>(\"\x01\xff\")";
  findings[0].fails = true;
  const std::string text = to_junit(findings, {{"other<1>", "no findings"}});
  EXPECT_NE(text.find("name=\"k&lt;float, (a &amp;&amp; b)&gt;(&quot;\\x01\\xff&quot;)\""), std::string::npos) << text;
  EXPECT_NE(text.find("<testsuites name=\"bankwise\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">"),
            std::string::npos);
}

TEST(SiteTable, HasTheColumnsOfTheTruthTables) {
  const std::string text = to_csv(transposed());
  EXPECT_TRUE(
      text.starts_with("kernel,pc,sass,source,executed,lanes,wavefronts,ideal,excess,reachable,removable,cycles"));
  EXPECT_NE(
      text.find(
          ",0x270,\"LDS R19, [R17]\",transpose.cu:18,32,1024,1024,32,992,32,992,1024,0,2x2x1,32x8x1,1,0,0,0,,,1024,32,exact,,,,,1568,50176,shared,"),
      std::string::npos)
      << text;
}

TEST(FindingKinds, AreNumberedAndWhole) {
  std::string last;
  for (const check::finding_kind& r : check::finding_kinds()) {
    EXPECT_LT(last, std::string(r.id));
    last = r.id;
    for (const std::string_view part : {r.name, r.title, r.what, r.why, r.fix, r.ignore}) EXPECT_FALSE(part.empty());
    EXPECT_EQ(check::find_kind(r.id), &r);
    EXPECT_EQ(kind_text(r, {}).find("  \n"), std::string::npos);
    EXPECT_NE(kinds_document().find("## " + last + ": "), std::string::npos);
  }
  EXPECT_EQ(check::find_kind("BW1"), nullptr);
  EXPECT_NE(kind_text(*check::find_kind("bw101"), {}).find("32 wavefronts"), std::string::npos);
}

// --- two reports

TEST(FindingKinds, NotesOnSectorsAreTheMinorProblems) {
  const std::pair<std::string_view, sector_problem> kinds[] = {
      {check::uncoalesced, sector_problem::column},    {check::uncoalesced, sector_problem::scattered},
      {check::misaligned, sector_problem::misaligned}, {check::local_memory, sector_problem::local},
      {check::strided, sector_problem::stride},        {check::used_in_parts, sector_problem::parts},
      {check::loaded_again, sector_problem::again},    {check::local_in_loop, sector_problem::local_in_loop}};
  for (const auto& [id, problem] : kinds)
    EXPECT_EQ(check::find_kind(id)->level == check::severity::note, is_minor(problem)) << id;
}

TEST(Diff, MatchesLinesByTextThenByNumber) {
  const report a = transposed();
  report b = a;
  each_site(b, [](site& s) { s.line += 3; });
  const auto moved = check::diff_of(a, b);
  ASSERT_EQ(moved.kernels.size(), 1u);
  for (const check::diff_row& r : moved.kernels[0].rows) {
    EXPECT_EQ(r.line_b, r.line_a + 3);
    EXPECT_EQ(r.a, r.b);
  }
  b = a;
  each_site(b, [](site& s) { s.text += " // changed"; });
  const check::report_diff commented = check::diff_of(a, b);
  for (const check::diff_row& r : commented.kernels[0].rows) EXPECT_TRUE(r.in_a && r.in_b && r.a == r.b);
  b = a;
  each_site(b, [](site& s) {
    s.text += "!";
    s.line += 100;
  });
  EXPECT_EQ(check::diff_of(a, b).kernels[0].rows.size(), 4u);
}

TEST(Diff, SaysThatLinesChangedWhereSumsDoNot) {
  const report a = transposed();
  report b = a;
  EXPECT_EQ(verdict_of(check::diff_of(a, b)), "nothing changed");
  each_site(b, [](site& s) {
    s.text += "!";
    s.line += 100;
  });
  EXPECT_EQ(verdict_of(check::diff_of(a, b)), "the totals are the same; 2 lines are new, 2 lines are gone");
  b = a;
  b.launches[0].name = b.launches[0].kernel = "another";
  EXPECT_EQ(verdict_of(check::diff_of(a, b)), "the totals are the same; 2 lines are new, 2 lines are gone");
  // A fix may save time in one line and cost time in another line.
  b = a;
  std::swap(b.launches[0].sites.front().wavefronts, b.launches[0].sites.back().wavefronts);
  EXPECT_EQ(verdict_of(check::diff_of(a, b)), "the totals are the same; 2 lines changed");
}

// A report with three lines of one cause.
report with_cause() {
  report r = transposed();
  site s = r.launches[0].sites.back();
  for (const std::uint32_t line : {18U, 30U, 31U}) {
    s.line = s.outer_line = line;
    s.text = formatted("line {}", line);
    s.pc += 16;
    s.cause = 1;
    if (line == 18) each_site(r, [](site& one) { one.cause = one.line == 18 ? 1 : 0; });
    if (line != 18) r.launches[0].sites.push_back(s);
  }
  return r;
}

TEST(Findings, OneCauseIsOneFindingWithAllFingerprints) {
  const std::vector<finding> single = findings_of(with_cause()), one = check::joined(single);
  ASSERT_EQ(single.size(), 3u);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].fingerprint, single[0].fingerprint);
  EXPECT_EQ(one[0].amount, single[0].amount + single[1].amount + single[2].amount);
  ASSERT_EQ(one[0].also.size(), 2u);
  EXPECT_EQ(one[0].also[1].fingerprint, single[2].fingerprint);
  EXPECT_NE(one[0].message.find("; also transpose.cu:30, transpose.cu:31"), std::string::npos) << one[0].message;
  const json result = json::parse(to_sarif(one, "a"))["runs"][0]["results"][0];
  ASSERT_EQ(result["relatedLocations"].size(), 2u);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 30);
}

TEST(Findings, ABaselineWithoutCausesStillMatches) {
  report before = with_cause();
  each_site(before, [](site& s) { s.cause = 0; });
  check::verdict_question q;
  q.baseline = check::baseline_of(findings_of(before));
  ASSERT_EQ(q.baseline->size(), 3u);
  q.reports.push_back(with_cause());
  EXPECT_FALSE(check::judge(q).failed);
  // A line that the baseline does not have fails alone.
  q.baseline->pop_back();
  const check::verdict v = check::judge(q);
  EXPECT_TRUE(v.failed);
  const std::vector<finding> shown = check::joined(v.findings);
  ASSERT_EQ(shown.size(), 2u) << "known and new lines are not joined";
  EXPECT_NE(shown[0].fails, shown[1].fails);
}

TEST(Diff, MatchesKernelsByTheirBareName) {
  const report a = transposed();
  report b = transposed("transpose_padded");
  EXPECT_EQ(check::diff_of(a, b).kernels.size(), 2u);
  b.launches[0].name = "transpose_plain";  // a kernel with the same name but different parameters
  const auto d = check::diff_of(a, b);
  ASSERT_EQ(d.kernels.size(), 1u);
  EXPECT_TRUE(d.kernels[0].in_a && d.kernels[0].in_b);
  EXPECT_LT(d.b[measure::removable].is, d.a[measure::removable].is);
  EXPECT_EQ(to_text(check::diff_of(a, a), {}, false).find("+"), std::string::npos);
  EXPECT_FALSE(check::diff_of(a, a).estimated_a);
}

TEST(Merge, FoldsWhatIsEqual) {
  const report a = transposed(), b = transposed("transpose_padded");
  const auto all = merge_reports({{"a", a}, {"b", b}, {"c", a}});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->launches.size(), 2u);
  EXPECT_EQ(all->launches[0].count, 2u);
  EXPECT_EQ(all->launches[1].count, 1u);
  report other = a;
  other.arch = "sm_80";
  EXPECT_FALSE(merge_reports({{"a", a}, {"b", other}}));
  other = a;
  other.launches[0].count = std::uint64_t{1} << 48;
  EXPECT_FALSE(merge_reports({{"a", a}, {"b", other}}));
}

}  // namespace
}  // namespace bankwise
