// Tests sectors of global memory in diffs, budgets, suppressing comments, and comparisons with Nsight Compute.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/comparison.hpp"
#include "check/diff.hpp"
#include "check/verdict.hpp"
#include "report/text/diff_report.hpp"
#include "support/files.hpp"

namespace bankwise::check {
namespace {

// Line 7 of a kernel loads `sectors` sectors in 100 requests. The requested bytes would fill 400 sectors.
report with_sectors(std::uint64_t sectors, const std::string& text = "x[2 * t]") {
  report r;
  launch_report& l = r.launches.emplace_back();
  l.kernel = "copy(float*)";
  l.name = "copy";
  l.global_counted = true;
  global_site& s = l.global_sites.emplace_back();
  s.pc = 0x40;
  s.sass = "LDG.E R2, [R2]";
  s.width_bytes = 4;
  s.file = "copy.cu";
  s.line = 7;
  s.text = text;
  s.executed = s.requests = 100;
  s.sectors = sectors;
  s.sectors_ideal = 400;
  s.tag_requests = 200;
  return r;
}

// --- diff

TEST(SectorDiff, HasLinesOfGlobalMemory) {
  const report_diff d = diff_of(with_sectors(800), with_sectors(400));
  ASSERT_EQ(d.kernels.size(), 1u);
  EXPECT_TRUE(d.kernels[0].rows.empty());
  ASSERT_EQ(d.kernels[0].global_rows.size(), 1u);
  const diff_row& r = d.kernels[0].global_rows[0];
  EXPECT_EQ(r.operation, "ld.global.b32");
  EXPECT_EQ(r.a[measure::sectors].is, 800u);
  EXPECT_EQ(r.b[measure::sectors].is, 400u);
  EXPECT_EQ(verdict_of(d), "as many wavefronts as before; -400 sectors of global memory, and -400 excess sectors");
  const auto j = nlohmann::json::parse(bankwise::to_json(d, "a", "b"));
  EXPECT_EQ(j["global_totals"]["change"]["sectors"], -400);
  EXPECT_EQ(j["kernels"][0]["global_lines"][0]["a"]["excess_sectors"], 400);
  EXPECT_EQ(j["kernels"][0]["global_lines"][0]["b"]["line"], 7);
  EXPECT_EQ(verdict_of(diff_of(with_sectors(800), with_sectors(800))), "nothing changed");
}

TEST(SectorDiff, ComparesOnlyWhatBothCounted) {
  report uncounted = with_sectors(0);
  uncounted.launches[0].global_counted = false;
  uncounted.launches[0].global_sites.clear();
  const report_diff d = diff_of(uncounted, with_sectors(400));
  EXPECT_TRUE(d.kernels[0].global_rows.empty());
  EXPECT_EQ(d.uncounted, std::vector<std::string>{"copy"});
  EXPECT_EQ(verdict_of(d), "nothing changed");
  EXPECT_NE(to_text(d, {}, false).find("only one report has sectors of global memory for the kernel"),
            std::string::npos);
}

TEST(SectorDiff, LocalMemoryIsNotAddedToGlobalMemory) {
  report spills = with_sectors(400);
  global_site s = spills.launches[0].global_sites[0];
  s.kind = global_kind::local_store;
  s.pc = 0x80;
  s.sectors = 16;
  spills.launches[0].global_sites.push_back(s);
  const report_diff d = diff_of(with_sectors(400), spills);
  EXPECT_EQ(d.b[measure::sectors].is, 400u);
  EXPECT_EQ(d.b[measure::local_sectors].is, 16u);
  EXPECT_EQ(d.kernels[0].global_rows.size(), 2u);
  EXPECT_EQ(verdict_of(d), "as many wavefronts as before; +16 sectors of local memory");
}

// --- budgets and comments

verdict judged(const std::string& toml, report r, const std::string& source = {}) {
  auto c = read_config(toml, "bankwise.toml");
  EXPECT_TRUE(c) << to_text(c.error());
  std::vector<report> reports;
  reports.push_back(std::move(r));
  return judge({std::move(reports), {}, std::move(*c), fail_on::budget, {}, [&](const std::string&) {
                  return source.empty() ? std::nullopt : std::optional(source);
                }});
}
std::string failure_of(const verdict& v) {
  for (const finding& f : v.findings)
    if (f.fails) return std::string(f.what->id) + " " + f.message;
  return {};
}

TEST(SectorBudget, IsOfALaunchOrALine) {
  const auto say = [](const std::string& limit, std::uint64_t sectors) {
    return failure_of(judged("[[budget]]\nkernel = \"copy\"\n" + limit + "\n", with_sectors(sectors)));
  };
  EXPECT_EQ(say("sectors = 800", 800), "");
  EXPECT_EQ(say("sectors = 799", 800), "BW201 copy: 800 sectors, 799 allowed (bankwise.toml:1)");
  EXPECT_EQ(say("excess_sectors = 100", 800), "BW201 copy: 400 excess sectors, 100 allowed (bankwise.toml:1)");
  EXPECT_EQ(say("sector_ratio = 1.5", 800), "BW201 copy: 2.00 times the ideal sectors, 1.50 allowed (bankwise.toml:1)");
  EXPECT_EQ(say("sector_ratio = 2", 800), "");
  EXPECT_EQ(say("local_sectors = 0", 800), "");
  EXPECT_EQ(say("line = \"copy.cu:7\"\nsectors = 1", 800), "BW201 copy: 800 sectors, 1 allowed (bankwise.toml:1)");
  EXPECT_EQ(say("line = \"copy.cu:8\"\nsectors = 1", 800),
            "BW202 this budget checks nothing, because there is no access to global memory at copy.cu:8 in copy");
}

TEST(SectorBudget, PointsAtTheLineAndCanBeLowered) {
  const verdict over = judged("[[budget]]\nkernel = \"*\"\nsectors = 1\n", with_sectors(800));
  for (const finding& f : over.findings)
    if (f.fails) {
      EXPECT_EQ(f.line, 7u);
    }
  ASSERT_FALSE(over.to_do.empty());
  EXPECT_EQ(over.to_do[0].find("to list the source lines with excess sectors"), 0u) << over.to_do[0];
  const verdict loose = judged("[[budget]]\nkernel = \"*\"\nsectors = 1000\nsector_ratio = 3\n", with_sectors(800));
  ASSERT_EQ(loose.loose.size(), 2u);
  EXPECT_EQ(loose.loose[0].key + " " + loose.loose[0].is, "sectors 800");
  EXPECT_EQ(loose.loose[1].key + " " + loose.loose[1].is, "sector_ratio 2.00");
}

// Neither a sample nor a report without sectors can show whether the budget is met.
TEST(SectorBudget, IsNotDecidedByWhatIsNotKnown) {
  report r = with_sectors(800);
  r.launches[0].scaled = true;
  EXPECT_TRUE(judged("[[budget]]\nkernel = \"*\"\nsectors = 900\n", r).undecided);
  r = with_sectors(800);
  r.launches[0].global_counted = false;
  r.launches[0].global_sites.clear();
  const verdict v = judged("[[budget]]\nkernel = \"*\"\nsectors = 900\n", r);
  EXPECT_TRUE(v.undecided);
  ASSERT_FALSE(v.notes.empty());
  EXPECT_NE(v.notes[0].find("--global on"), std::string::npos) << v.notes[0];
}

TEST(SectorBudget, WantsAKnownKeyAndANumber) {
  const auto wrong = [](const std::string& line) {
    const auto c = read_config("[[budget]]\nkernel = \"*\"\n" + line + "\n", "bankwise.toml");
    return c ? std::string("read") : to_text(c.error());
  };
  EXPECT_NE(wrong("sectors = -1").find("must be a whole number of 0 or more"), std::string::npos);
  EXPECT_NE(wrong("sector_ratio = 0.5").find("a number of 1 or more: the sectors divided by the ideal sectors"),
            std::string::npos);
  EXPECT_NE(wrong("sectrs = 1").find("did you mean sectors?"), std::string::npos) << wrong("sectrs = 1");
}

TEST(SectorFindings, ACommentSuppressesThem) {
  std::string source;
  for (int n = 1; n < 7; ++n) source += "\n";
  source += "x[2 * t]  // bankwise: ignore BW501 -- a gather\n";
  const verdict v = judged("fail-on = \"any\"\n", with_sectors(800), source);
  ASSERT_EQ(v.findings.size(), 1u);
  EXPECT_EQ(v.findings[0].what->id, "BW501");
  EXPECT_EQ(v.findings[0].suppressed, "a gather");
}

// --- comparison with Nsight Compute

result<std::vector<measured_launch>> measured(const std::string& file) {
  return read_measured(test::read_text(test::source_path("tests/ncu/" + file)), file);
}

// Makes a report from the measured launch, with the sectors of the source page.
report predicted(const measured_launch& m) {
  report r;
  launch_report& l = r.launches.emplace_back();
  l.kernel = m.kernel;
  l.name = bare_name(m.kernel);
  l.global_counted = true;
  for (const measured_row& row : m.rows) {
    if (row.sectors == 0) continue;
    global_site& s = l.global_sites.emplace_back();
    s.pc = *row.pc;
    s.sass = row.sass;
    s.kind = row.sass.find("STG") != std::string::npos ? global_kind::store : global_kind::load;
    s.executed = s.requests = *row.executed;
    s.sectors = row.sectors;
    s.sectors_ideal = row.sectors_ideal.value_or(0);
    s.tag_requests = row.tag_requests.value_or(0);
  }
  return r;
}

TEST(SectorComparison, ReadsTheSourcePage) {
  const auto all = measured("h100_sass.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  const measured_launch& m = all->front();
  EXPECT_TRUE(m.counts_sectors);
  report r = predicted(m);
  ASSERT_EQ(r.launches[0].global_sites.size(), 3u);  // matrixMul loads A and B, and stores C
  EXPECT_EQ(r.launches[0].global_sites[0].sectors, 4 * r.launches[0].global_sites[0].executed);
  comparison c = compare(r, *all);
  ASSERT_EQ(c.launches.size(), 1u);
  ASSERT_EQ(c.launches[0].global_rows.size(), 3u);
  for (const compared_row& row : c.launches[0].global_rows) EXPECT_TRUE(row.equal()) << row.because;
  r.launches[0].global_sites[0].tag_requests += 1;
  c = compare(r, *all);
  EXPECT_EQ(c.launches[0].global_rows[0].because,
            "the data are different, or the memory begins at a different offset within a sector or line");
  r.launches[0].global_sites.pop_back();
  c = compare(r, *all);
  EXPECT_EQ(c.launches[0].global_rows.back().because,
            "the prediction did not execute this instruction, because the arguments or the data are different");
}

// If a kernel uses no shared memory, the source page has columns for sectors, but no columns for shared memory.
TEST(SectorComparison, ReadsThePageOfAKernelWithoutSharedMemory) {
  const auto all = measured("h100_no_shared.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  EXPECT_FALSE(all->front().counts_wavefronts);
  const comparison c = compare(predicted(all->front()), *all);
  EXPECT_EQ(c.different, 0u);
  EXPECT_NE(c.equal, 0u);
}

TEST(SectorComparison, CountersAreOfTheirOperation) {
  const std::string page =
      "\"Kernel "
      "Name\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
      "\"memory_l2_theoretical_sectors_global\",\"memory_l1_tag_requests_global\"\n"
      "\"copy(float *)\",\"800\",\"100\",\"801\",\"200\"\n";
  const auto all = read_measured(page, "raw.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  const comparison c = compare(with_sectors(800), *all);
  ASSERT_EQ(c.launches.size(), 1u);
  EXPECT_EQ(c.equal, 3u);
  EXPECT_EQ(c.different, 1u);
  for (const compared_counter& one : c.launches[0].counters)
    if (one.measured == 801) {
      EXPECT_EQ(
          one.because,
          "this counter follows the model of Nsight Compute's source page, which differs from the hardware. Compare "
          "the counts of --page source instead");
    }
}

// The counters of loads include cp.async, but not all sectors of copies that bypass L1.
TEST(SectorComparison, CountersOfLoadsIncludeCopies) {
  report r = with_sectors(800);
  global_site copy = r.launches[0].global_sites[0];
  copy.kind = global_kind::copy;
  copy.pc += 16;
  copy.sass = "LDGSTS.E.BYPASS.128 [R0], desc[UR6][R6.64]";
  r.launches[0].global_sites.push_back(copy);
  const auto all = read_measured(
      "\"Kernel "
      "Name\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
      "\"memory_l1_tag_requests_global\"\n"
      "\"copy(float *)\",\"900\",\"200\",\"400\"\n",
      "raw.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  const comparison c = compare(r, *all);
  ASSERT_EQ(c.launches.size(), 1u);
  EXPECT_EQ(c.equal, 2u) << "requests and lines are equal";
  EXPECT_EQ(c.different, 0u) << "a higher counter has a known reason";
}

TEST(SectorComparison, CountersOfTextures) {
  report r = with_sectors(800);
  global_site read = r.launches[0].global_sites[0];
  read.kind = global_kind::texture_read;
  read.sass = "TEX.SCR.LL RZ, R5, R2, R4, UR4, 0x0, 2D, 0x1";
  read.pc += 16;
  r.launches[0].global_sites.push_back(read);
  const auto all = read_measured(
      "\"Kernel "
      "Name\",\"l1tex__t_sectors_pipe_tex.sum\",\"l1tex__t_requests_pipe_tex.sum\",\"l1tex__t_set_accesses_pipe_tex.sum\","
      "\"memory_l1_tag_requests_global\"\n"
      "\"copy(float *)\",\"800\",\"100\",\"200\",\"200\"\n",
      "raw.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  EXPECT_EQ(compare(r, *all).equal, 4u);
}

}  // namespace
}  // namespace bankwise::check
