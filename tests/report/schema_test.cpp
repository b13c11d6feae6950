// Tests that the output of --format json follows its published schema (docs/reference/*.schema.json).
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "advise/tile_question.hpp"
#include "report/forms/predictions.hpp"
#include "report/forms/sarif.hpp"
#include "report/json/brief.hpp"
#include "report/json/write_report.hpp"
#include "report/picture/access_report.hpp"
#include "report/sectors/sector_report.hpp"
#include "report/text/advice_report.hpp"
#include "report/text/check_report.hpp"
#include "report/text/comparison_report.hpp"
#include "report/text/diff_report.hpp"
#include "report/text/run_report.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "tune/tuned_json.hpp"

namespace bankwise {
namespace {

using nlohmann::json;

// Returns the first violation of the schema, or an empty text if there is none.
std::string complaints_of(const std::string& schema_path, const json& document) {
  const json text = json::parse(test::read_text(schema_path));
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::ValidationResults results;
  valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results);
  std::string all;
  for (valijson::ValidationResults::Error e; results.popError(e);) {
    for (const std::string& step : e.context) all += step;
    all += ": " + e.description + "\n";
  }
  return all;
}

std::string complaints(const std::string& schema_file, const json& document) {
  return complaints_of(test::source_path("docs/reference/" + schema_file), document);
}

json explained(const char* operation, const char* machine_name, access what) {
  const auto op = parse_operation(operation);
  const auto on = parse_machine(machine_name);
  what.op = op->op;
  return json::parse(to_json(report_access({"t", *op, *on, what, {}})));
}

TEST(Schema, OfExplain) {
  for (const char* op : {"ld.b32", "ld.b64", "ld.b128", "st.b128", "ldmatrix.x4", "stmatrix.x1", "atom.add.b32",
                         "atom.cas.b64", "popc.inc.b32", "cp.async.ca.16"})
    for (const u32 mask : {0xffffffffu, 1u, 0u})
      EXPECT_EQ(complaints("explain.schema.json", explained(op, "sm_90",
                                                            make_access(
                                                                ld(16), [](u32 t) { return t * 64; }, mask))),
                "")
          << op;
  for (const char* machine_name : {"sm_10", "sm_20", "sm_35.8", "10x4"})
    EXPECT_EQ(complaints("explain.schema.json",
                         explained("ld.b32", machine_name, make_access(ld(4), [](u32 t) { return t * 40; }))),
              "")
        << machine_name;
}

TEST(Schema, OfExplainGlobal) {
  const struct {
    flag_values flags;
    const char* text;
  } asked[] = {
      {{}, "x[t * 2]"},
      {{{{"type", {"float3"}}, {"base", {"8"}}}}, "p[t]"},
      {{{{"mask", {"0"}}}}, "x[t]"},
      {{{{"block", {"32,4"}}, {"let", {"n=1001"}}}}, "y[threadIdx.x] = x[threadIdx.y * n + threadIdx.x]"},
      {{{{"width", {"32"}}}}, "t * 32"},
      {{}, "0,128,-,256"},
  };
  for (const auto& one : asked) {
    auto q = read_global_question(one.flags, one.text);
    ASSERT_TRUE(q) << one.text;
    const json document = json::parse(to_json(report_sectors(one.flags, one.text, "", std::move(*q))));
    EXPECT_EQ(complaints("explain-global.schema.json", document), "") << one.text;
  }
}

TEST(Schema, OfTune) {
  tune::tuned t{"gemm", {"TILE"}, {"H100 SXM"}, "key", "buffers", 4, {1, 2}, {}};
  t.rows.push_back({0, {{"16"}}, tune::outcome::ranked, "", 32, 1024, 100, 200, 1, {}});
  t.rows[0].times.push_back({10, 9, 11, "DRAM", 50, "BW101: a bank conflict", 1.5});
  t.rows.push_back({2, {{"32"}}, tune::outcome::not_compiled, "error", 0, 0, 0, 0, 0, {}});
  EXPECT_EQ(complaints("tune.schema.json", json::parse(to_json(t))), "");
  EXPECT_NE(complaints("tune.schema.json", json::parse(R"({"schema": "bankwise.tune/1"})")), "");
}

TEST(Schema, OfPredict) {
  const std::vector<prediction> rows{{"ld.b32", 0xff,
                                      analyze(make_access(
                                          ld(4), [](u32 t) { return t * 128; }, 0xff)),
                                      "measured"},
                                     {"cp.async.cg.16", full_mask, {}, "open"}};
  EXPECT_EQ(complaints("predict.schema.json", json::parse(to_json(rows, "sm_90"))), "");
  EXPECT_EQ(complaints("predict.schema.json", json::parse(to_json(std::span<const prediction>(), "sm_90"))), "");
  EXPECT_NE(complaints("predict.schema.json", json::parse(R"({"schema": "bankwise.predict/1"})")), "");
}

// The standard's own schema must not be copied into this project. If SARIF_SCHEMA=sarif-schema-2.1.0.json is set, the
// test also uses this schema.
TEST(Schema, OfSarif) {
  auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                               .kernel = "transpose_plain",
                               .grid = {2, 2, 1},
                               .block = {32, 8, 1},
                               .arguments = {"out:f32[4096]", "f32[4096]=iota", "i32=64"}});
  ASSERT_TRUE(run) << to_text(run.error());
  launch_report& l = run->whole.launches[0];
  l.fixes.push_back({"tile", "rows of 132 bytes: 256 wavefronts", "__shared__ float tile[32][33];", {}, {}});
  for (const site& s : l.sites) l.fixes[0].sites.emplace_back(s.function, s.pc);
  std::vector<check::finding> findings = check::findings_of(run->whole);
  ASSERT_FALSE(findings.empty());
  findings[0].suppressed = "once";
  findings[0].compared = check::novelty::worse;
  const char* const standard = std::getenv("SARIF_SCHEMA");
  for (const auto& list : {findings, std::vector<check::finding>()}) {
    const json j = json::parse(to_sarif(list, "examples/transpose.cubin"));
    EXPECT_EQ(complaints_of(test::source_path("tests/report/sarif.schema.json"), j), "");
    if (standard != nullptr) {
      EXPECT_EQ(complaints_of(standard, j), "");
    }
  }
  json wrong = json::parse(to_sarif(findings, ""));
  EXPECT_NE(wrong.dump().find("rows of 132 bytes"), std::string::npos);
  wrong["runs"][0]["results"][0]["fingerprint"] = "not a key of SARIF";
  EXPECT_NE(complaints_of(test::source_path("tests/report/sarif.schema.json"), wrong), "");
}

TEST(Schema, OfCompare) {
  for (const char* file : {"tests/ncu/sass.csv", "tests/ncu/cuda.csv", "tests/ncu/raw.csv", "tests/ncu/h100_raw.csv"}) {
    const auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                                       .kernel = "transpose_plain",
                                       .grid = {8, 8, 1},
                                       .block = {32, 8, 1},
                                       .arguments = {"out:f32[64K]", "f32[64K]=iota", "i32=256"}});
    ASSERT_TRUE(run) << to_text(run.error());
    const auto measured = check::read_measured(test::read_text(test::source_path(file)), file);
    ASSERT_TRUE(measured) << to_text(measured.error());
    EXPECT_EQ(complaints("compare.schema.json", json::parse(to_json(check::compare(run->whole, *measured)))), "")
        << file;
  }
  EXPECT_NE(complaints("compare.schema.json", json::parse(R"({"schema": "bankwise.compare/1", "launches": []})")), "");
}

json reported(std::size_t keep_accesses = 0) {
  const auto run = test::run_kernel({.cubin = "examples/mma_tile.cubin",
                                     .kernel = "mma_plain",
                                     .block = {128, 1, 1},
                                     .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"},
                                     .keep_accesses = keep_accesses});
  EXPECT_TRUE(run) << to_text(run.error());
  return json::parse(to_json(run->whole));
}

TEST(Schema, OfRun) {
  EXPECT_EQ(complaints("report.schema.json", reported()), "");
  EXPECT_FALSE(reported()["launches"][0].contains("arrays"));
  json recorded = reported();
  json& site = recorded["launches"][0]["sites"][0];
  site["executed_at_least"] = true;
  EXPECT_EQ(complaints("report.schema.json", recorded), "");
  site["ncu_wavefronts"] = 4096;
  site["ncu_ideal"] = 512;
  EXPECT_EQ(complaints("report.schema.json", recorded), "");
  site["executed_at_least"] = 1;
  EXPECT_NE(complaints("report.schema.json", recorded), "");
}

TEST(Schema, OfRunInShort) {
  const auto run = test::run_kernel({.cubin = "examples/mma_tile.cubin",
                                     .kernel = "mma_plain",
                                     .block = {128, 1, 1},
                                     .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"}});
  ASSERT_TRUE(run) << to_text(run.error());
  report r = run->whole;
  EXPECT_EQ(complaints("brief.schema.json", json::parse(to_brief(r))), "");
  r.launches[0].time.gpu = "H100 SXM";
  r.launches[0].time.cycles = r.launches[0].time.nanoseconds = 1000;
  r.partial.why = early_end::reason::time;
  json brief = json::parse(to_brief(r));
  EXPECT_EQ(complaints("brief.schema.json", brief), "");
  EXPECT_TRUE(brief.contains("troubles"));
  brief["findings"][0].erase("fingerprint");
  EXPECT_NE(complaints("brief.schema.json", brief), "");
}

// These reports contain operations without lanes.
TEST(Schema, OfRunWithWgmmaAndCopies) {
  for (const test::kernel_launch& what : {test::kernel_launch{.cubin = "examples/hopper/wgmma_tile.cubin",
                                         .kernel = "wgmma_plain",
                                         .block = {128, 1, 1},
                                         .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"}},
                                          test::kernel_launch{.cubin = "tests/kernels/waiting.cubin",
                                          .kernel = "copies_bulk",
                                          .block = {256, 1, 1},
                                          .arguments = {"i32[256]=iota", "out:i32[256]", "i32=1024"}}}) {
    const auto run = test::run_kernel(what);
    ASSERT_TRUE(run) << to_text(run.error());
    json r = json::parse(to_json(run->whole));
    EXPECT_EQ(complaints("report.schema.json", r), "");
    for (json& s : r["launches"][0]["sites"])
      if (s.contains("bytes")) s["bytes"] = "many";
    EXPECT_NE(complaints("report.schema.json", r), "");
  }
}

// These reports contain accesses out of bounds, loops around a compare-and-swap, and generic accesses.
TEST(Schema, OfRunWithWhatOnlySomeLaunchesHave) {
  const auto reported_of = [](const char* cubin, const char* kernel, std::vector<std::string> arguments) {
    const auto run = test::run_kernel({.cubin = cubin, .kernel = kernel, .arguments = std::move(arguments)});
    EXPECT_TRUE(run) << (run ? "" : to_text(run.error()));
    return run ? json::parse(to_json(run->whole)) : json();
  };
  json outside = reported_of("tests/kernels/faults.cubin", "calls", {"out:f32[32]", "i32=32"});
  EXPECT_EQ(complaints("report.schema.json", outside), "");
  ASSERT_EQ(outside["launches"][0]["out_of_bounds"].size(), 1u);
  outside["launches"][0]["out_of_bounds"][0]["access"] = "look";
  EXPECT_NE(complaints("report.schema.json", outside), "");
  for (json r :
       {reported_of("tests/kernels/forms.cubin", "spinning_floats", {"out:u32[1024]", "i32=0", "i32=1"}),
        reported_of("tests/kernels/forms.cubin", "generic", {"out:u32[1024]", "u32[16384]=zero", "i32=5", "i32=1"})}) {
    EXPECT_EQ(complaints("report.schema.json", r), "");
    bool changed = false;
    for (json& s : r["launches"][0]["sites"])
      for (const char* key : {"retries", "shared_executed"})
        if (s.contains(key)) s[key] = "many", changed = true;
    EXPECT_TRUE(changed);
    EXPECT_NE(complaints("report.schema.json", r), "");
  }
}

// This report was made with --accesses. If a site is in a called function, the site contains the name of this function.
TEST(Schema, OfRunWithAccesses) {
  const json r = reported(1000);
  EXPECT_EQ(complaints("report.schema.json", r), "");
  const json& l = r["launches"][0];
  EXPECT_EQ(l["arrays"][1]["name"], "b_tile");
  EXPECT_EQ(l["arrays"][1]["begin"], 8192);
  EXPECT_FALSE(l["sites"].back()["accesses"].empty());

  const auto run = test::run_kernel({.cubin = "fuzz/corpus/cubin/linked.cubin",
                                     .kernel = "kernel",
                                     .arguments = {"f32[64]=iota"},
                                     .keep_accesses = 1000});
  ASSERT_TRUE(run) << to_text(run.error());
  const json linked = json::parse(to_json(run->whole));
  EXPECT_EQ(complaints("report.schema.json", linked), "");
  EXPECT_EQ(linked["launches"][0]["arrays"][0]["sites"].back()["function"], "twice(float const*, int)");
}

// This report comes from a run that was stopped.
TEST(Schema, OfRunInPart) {
  auto run = test::run_kernel(
      {.cubin = "tests/kernels/faults.cubin", .kernel = "spins", .arguments = {"i32[1]=0"}, .budget = 1000});
  ASSERT_TRUE(run) << to_text(run.error());
  run->whole.partial = {early_end::reason::interrupted, "SIGTERM"};
  json r = json::parse(to_json(run->whole));
  EXPECT_EQ(r["launches"][0]["partial_reason"], "budget");
  EXPECT_EQ(r["signal"], "SIGTERM");
  EXPECT_EQ(complaints("report.schema.json", r), "");
  const json compared = json::parse(to_json(check::diff_of(run->whole, report{}), "a", "b"));
  EXPECT_EQ(compared["partial"], json({{"a", true}, {"b", false}}));
  EXPECT_EQ(complaints("diff.schema.json", compared), "");
  r["partial_reason"] = "bored";
  EXPECT_NE(complaints("report.schema.json", r), "");
}

TEST(Schema, OfFix) {
  for (const std::vector<std::string>& accesses :
       std::vector<std::vector<std::string>>{{"st A[tid / 64][tid % 64]", "ld A[t][tid / 32]"},
                                             {"cp.async.16 A[tid / 8][t % 8 * 8]", "ldmatrix.x4 A[t % 16][t / 16 * 8]"},
                                             {"st.b128 A[tid / 8][t % 8 * 8]", "ld A[t][0]"},
                                             {"ld A[0][t]"}}) {
    flag_values flags;
    flags.values["array"] = {"half A[64][64]"};
    flags.values["block"] = {"256"};
    const auto tiles = advise::read_tiles(flags, accesses);
    ASSERT_TRUE(tiles) << to_text(tiles.error());
    const advise::tile& t = tiles->front();
    const advise::other_instructions wider{.kernel = "k",
                                           .file = "a/k.cu",
                                           .line = 7,
                                           .before = *parse_operation("ld.b32"),
                                           .after = *parse_operation("ld.b128"),
                                           .instructions_before = 4,
                                           .instructions_after = 1,
                                           .sites = {{"", 16}, {"device_function", 32}}};
    advice_report r{"half A[64][64]", t.array, t.what, advise::advise(t.what), {"a note"}};
    advise::problem by_data = t.what;
    for (advise::weighted_access& w : by_data.accesses) w.what.op = ld(4);
    by_data.of_data = by_data.accesses;
    r.by_data = advise::find_data_remedies(by_data);
    r.of_rounds = {"a.cu:3 takes 12 rounds; if each warp has its own copy of the words: 4 rounds"};
    r.tried = {{"zeros.json", 64, std::vector<std::uint64_t>(r.found.answers.size(), 2)}};
    r.edit = layout_edit{"a/k.cu", "A[64][64 + 8]", 64, {{10, 12, "64 + 8"}, {40, 40, "\n\t// a line"}}};
    r.structs = "a struct of arrays, x[64] and y[64], takes 64 wavefronts instead of 128";
    r.turned = advise::turned_array{.rows = 64,
                                    .columns = 8,
                                    .what = t.what,
                                    .before = *parse_operation("ld.b32"),
                                    .after = *parse_operation("ld.b128")};
    r.through = {.stored_words = 64, .loaded_words = 64, .least_wavefronts = 4, .shuffles = 2};
    const std::string text = to_json({r}, {wider});
    EXPECT_EQ(complaints("fix.schema.json", json::parse(text)), "") << text;
  }
}

TEST(Schema, OfDiffAndCheck) {
  const auto run = test::run_kernel({.cubin = "examples/mma_tile.cubin",
                                     .kernel = "mma_plain",
                                     .block = {128, 1, 1},
                                     .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"}});
  ASSERT_TRUE(run) << to_text(run.error());
  const std::string text = to_json(check::diff_of(run->whole, report{}), "a.json", "b.json");
  EXPECT_EQ(complaints("diff.schema.json", json::parse(text)), "") << text;
  check::verdict_question q;
  q.reports.push_back(run->whole);
  q.baseline.emplace();
  const std::string verdict = to_json(check::judge(q));
  EXPECT_EQ(complaints("check.schema.json", json::parse(verdict)), "") << verdict;
}

TEST(Schema, OfSamples) {
  const auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                                     .kernel = "transpose_plain",
                                     .grid = {8, 8, 1},
                                     .block = {32, 8, 1},
                                     .arguments = {"out:f32[65536]", "f32[65536]=iota", "i32=256"},
                                     .ctas = 5});
  ASSERT_TRUE(run) << to_text(run.error());
  report r = run->whole;
  r.failed.push_back({"later()", {1, 1, 1}, {32, 1, 1}, 2, "it found other memory"});
  const json written = json::parse(to_json(r));
  EXPECT_EQ(complaints("report.schema.json", written), "");
  EXPECT_EQ(written["exactness"], "partial");
  EXPECT_EQ(written["launches"][0]["exactness"], "estimated");
  const std::string text = to_json(check::diff_of(r, r), "a.json", "b.json");
  EXPECT_EQ(complaints("diff.schema.json", json::parse(text)), "") << text;
  check::verdict_question q;
  q.reports.push_back(r);
  const std::string verdict = to_json(check::judge(q));
  EXPECT_EQ(complaints("check.schema.json", json::parse(verdict)), "") << verdict;
}

TEST(Schema, OfProbe) {
  const json evidence = json::parse(test::read_text(test::source_path("data/sm_90/evidence.json")));
  EXPECT_EQ(complaints("evidence.schema.json", evidence), "");
  json other = evidence;
  other["random"][0]["by"] = "guess";
  EXPECT_NE(complaints("evidence.schema.json", other), "");
}

TEST(Schema, RefusesWhatIsWrong) {
  const json good = reported(1000);
  const auto broken = [&](auto change) {
    json j = good;
    change(j);
    return complaints("report.schema.json", j);
  };
  EXPECT_NE(broken([](json& j) { j["schema"] = "bankwise.report/2"; }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0].erase("grid"); }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0]["sites"][0]["wavefronts"] = 1.5; }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0]["sites"][0]["worst"]["addresses"].erase(0); }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0]["sites"][0]["evidence"] = "guessed"; }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0]["sites"].back()["accesses"][0]["count"] = 0; }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0]["sites"].back()["accesses"][0]["mask"] = "ff"; }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0]["arrays"][0]["sites"][0] = "0x10"; }), "");
  EXPECT_NE(broken([](json& j) { j["launches"][0]["not_executed"] = 0; }), "");
}

}  // namespace
}  // namespace bankwise
