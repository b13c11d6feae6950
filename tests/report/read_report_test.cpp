// Tests that a report is unchanged after it was written as JSON and read again. For invalid input, the error names the
// place.
#include "report/json/read_report.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/json/write_report.hpp"
#include "report/text/run_report.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using json = nlohmann::ordered_json;

report ran(const test::kernel_launch& what) {
  const auto run = test::run_kernel(what);
  EXPECT_TRUE(run) << to_text(run.error());
  return run ? run->whole : report{};
}

test::kernel_launch mma() {
  return {.cubin = "examples/mma_tile.cubin",
          .kernel = "mma_plain",
          .block = {128, 1, 1},
          .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"},
          .keep_accesses = 1000};
}
// A launch with a wgmma, and a launch with bulk copies and mbarriers.
test::kernel_launch wgmma_tile() {
  return {.cubin = "examples/hopper/wgmma_tile.cubin",
          .kernel = "wgmma_plain",
          .block = {128, 1, 1},
          .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"},
          .keep_accesses = 1000};
}
test::kernel_launch copies() {
  return {.cubin = "tests/kernels/waiting.cubin",
          .kernel = "copies_bulk",
          .block = {256, 1, 1},
          .arguments = {"i32[256]=iota", "out:i32[256]", "i32=1024"},
          .keep_accesses = 1000};
}
test::kernel_launch declared() {
  return {
      .cubin = "tests/kernels/arrays.cubin", .kernel = "declared", .arguments = {"out:f32[32]"}, .keep_accesses = 1000};
}

// Launches with an access out of bounds, an atomic that is a loop, and accesses through generic pointers. Some lanes of
// these pointers access other memory.
test::kernel_launch past_the_end() {
  return {.cubin = "tests/kernels/faults.cubin", .kernel = "calls", .arguments = {"out:f32[32]", "i32=32"}};
}
test::kernel_launch spinning() {
  return {.cubin = "tests/kernels/forms.cubin",
          .kernel = "spinning_floats",
          .arguments = {"out:u32[1024]", "i32=0", "i32=1"}};
}
test::kernel_launch generic() {
  return {.cubin = "tests/kernels/forms.cubin",
          .kernel = "generic",
          .arguments = {"out:u32[1024]", "u32[16384]=zero", "i32=5", "i32=1"}};
}

TEST(ReadReport, GivesBackWhatWasWritten) {
  for (test::kernel_launch what :
       {mma(),
        wgmma_tile(),
        copies(),
        declared(),
        past_the_end(),
        spinning(),
        generic(),
        {.cubin = "tests/kernels/arrays.cubin",
        .kernel = "idle",
        .arguments = {"out:f32[32]", "i32=0"},
        .keep_accesses = 1000},
        {.cubin = "examples/histogram.cubin",
        .kernel = "histogram_weighted",
        .grid = {4, 1, 1},
        .block = {256, 1, 1},
        .arguments = {"out:u32[256]", "u8[4096]=random:1", "i32=4096"},
        .keep_accesses = 20},
        {.cubin = "fuzz/corpus/cubin/linked.cubin", .kernel = "kernel", .arguments = {"f32[64]=iota"}}})
    for (const bool accesses : {true, false}) {
      SCOPED_TRACE(what.kernel);
      if (!accesses) what.keep_accesses = 0;
      const report r = ran(what);
      const std::string text = to_json(r);
      const auto back = read_report(text, "report.json");
      ASSERT_TRUE(back) << to_text(back.error());
      EXPECT_EQ(to_json(*back), text);
      EXPECT_EQ(to_text(*back, {}, {}), to_text(r, {}, {}));
    }
}

// The report also contains the data that a search for layouts needs.
TEST(ReadReport, GivesBackAccessesAndArrays) {
  const report r = ran(declared());
  const auto back = read_report(to_json(r), "report.json");
  ASSERT_TRUE(back) << to_text(back.error());
  const launch_report &a = r.launches[0], &b = back->launches[0];
  EXPECT_EQ(b.accesses_seen, a.accesses_seen);
  ASSERT_EQ(b.sites.size(), a.sites.size());
  for (std::size_t i = 0; i < a.sites.size(); ++i) {
    EXPECT_EQ(b.sites[i].function, a.sites[i].function);
    ASSERT_EQ(b.sites[i].accesses.size(), a.sites[i].accesses.size());
    for (std::size_t n = 0; n < a.sites[i].accesses.size(); ++n) {
      const recorded_access &x = a.sites[i].accesses[n], &y = b.sites[i].accesses[n];
      EXPECT_EQ(y.count, x.count);
      EXPECT_EQ(y.what.op, x.what.op);
      EXPECT_EQ(y.what.mask, x.what.mask);
      EXPECT_TRUE(std::equal(std::begin(x.what.address), std::end(x.what.address), y.what.address));
    }
  }
  ASSERT_EQ(b.arrays.size(), a.arrays.size());
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    EXPECT_EQ(b.arrays[i].name, a.arrays[i].name);
    EXPECT_EQ(b.arrays[i].sites, a.arrays[i].sites);
  }
}

// Two files have the same name and line, and some sites have no line. No cubin here contains these files.
TEST(ReadReport, GivesBackEveryPlace) {
  report r = ran(mma());
  site& s = r.launches[0].sites[0];
  s.file = "x.cu";
  s.outer_file = "/somewhere/x.cu";
  s.outer_line = s.line;
  site& none = r.launches[0].sites[1];
  none.file = none.outer_file = "";
  none.line = none.outer_line = 0;
  const auto back = read_report(to_json(r), "report.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(back->launches[0].sites[0].outer_file, "/somewhere/x.cu");
  EXPECT_EQ(to_json(*back), to_json(r));
}

// --- errors

std::string error_of(const std::string& text) {
  const auto r = read_report(text, "r.json");
  return r ? "no error" : to_text(r.error());
}

report sampled() {
  report r = ran({.cubin = "examples/transpose.cubin",
                  .kernel = "transpose_plain",
                  .grid = {8, 8, 1},
                  .block = {32, 8, 1},
                  .arguments = {"out:f32[65536]", "f32[65536]=iota", "i32=256"},
                  .ctas = 5});
  r.failed.push_back({"later()", {1, 1, 1}, {32, 1, 1}, 2, "it found other memory"});
  return r;
}

TEST(ReadReport, GivesBackEstimates) {
  const report r = sampled();
  const auto back = read_report(to_json(r), "r.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(to_json(*back), to_json(r));
  EXPECT_EQ(back->launches[0].within, r.launches[0].within);
  EXPECT_EQ(back->launches[0].sites[0].within, r.launches[0].sites[0].within);
  EXPECT_EQ(exactness_of(*back), exactness::partial);
  EXPECT_EQ(exactness_of(back->launches[0]), exactness::estimated);
}

TEST(ReadReport, GivesBackPredictedTimes) {
  report r = ran(mma());
  r.launches[0].time = {.gpu = "H100 SXM",
                        .cycles = 5000,
                        .cycles_low = 4000,
                        .cycles_high = 6000,
                        .nanoseconds = 3125,
                        .bound = "dram",
                        .shares = {{"dram", 40}, {"launch", 12}},
                        .use = {{"sm", 20}, {"memory", 90}, {"dram", 90}},
                        .needed = {.cycles = 3000, .read_bytes = 4096, .is_estimated = true, .is_arithmetic = true},
                        .traced_blocks = 12,
                        .traced_in_part = true};
  delay registers{.is = delay_kind::low_occupancy, .saved_cycles = 900, .now = 2, .then = 4, .limit = "registers"};
  registers.used = 80, registers.allowed = 64, registers.next_allowed = 72, registers.next_blocks = 3;
  delay loads{.is = delay_kind::late_loads, .saved_cycles = 70};
  loads.place = {.pc = 0x120, .sass = "LDG.E R2, desc[UR4][R2.64]", .function = "f", .file = "/src/a.cuh", .line = 7};
  loads.place.outer_file = "/src/a.cu", loads.place.outer_line = 40;
  r.launches[0].time.delays = {registers, loads};
  const auto again = read_report(to_json(r), "report.json");
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->launches[0].time, r.launches[0].time);
  EXPECT_EQ(again->launches[0].time.delays[1].place.outer_line, 40U);
}

TEST(ReadReport, RefusesDelaysThatCannotBe) {
  report r = ran(mma());
  r.launches[0].time = {
      .gpu = "H100 SXM", .cycles = 5000, .cycles_low = 4000, .cycles_high = 6000, .nanoseconds = 3125};
  r.launches[0].time.delays = {{.is = delay_kind::few_lanes, .saved_cycles = 10, .now = 3}};
  const auto error_of = [&](const char* key, const json& value) {
    json j = json::parse(to_json(r));
    j["launches"][0]["time"]["delays"][0][key] = value;
    const auto again = read_report(j.dump(), "report.json");
    return again ? std::string() : to_text(again.error());
  };
  EXPECT_NE(error_of("kind", "bad_luck").find("expected a kind of delay"), std::string::npos);
  EXPECT_NE(error_of("saved_cycles", 5001), "") << "more than the launch takes";
  EXPECT_NE(error_of("now", -1), "");
  EXPECT_EQ(error_of("now", 4), "");
  EXPECT_NE(error_of("next_blocks", 2), "") << "less than now";
}

// If an interval did not contain its estimate, a budget would give the wrong result.
TEST(ReadReport, RefusesIntervalsThatCannotBe) {
  const auto error_of = [](auto change) {
    json j = json::parse(to_json(sampled()));
    change(j["launches"][0]);
    const auto back = read_report(j.dump(), "r.json");
    return back ? std::string() : to_text(back.error());
  };
  EXPECT_EQ(error_of([](json&) {}), "");
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(error_of([](json& l) { l["sites"][0]["interval"]["executed"] = {9, 3}; }), "smaller number first"));
  EXPECT_TRUE(has(error_of([](json& l) { l["sites"][0]["interval"]["executed"] = {1}; }), "two numbers"));
  EXPECT_TRUE(has(error_of([](json& l) {
                    l["sites"][0]["interval"]["wavefronts"] = {1, 2};
                  }),
                  "does not contain the count"));
  EXPECT_TRUE(has(error_of([](json& l) { l["sites"][0]["interval"].erase("cycles"); }), "cycles"));
  EXPECT_TRUE(has(error_of([](json& l) {
                    l["sites"][0]["interval"]["warp_instructions"] = {1, 2};
                  }),
                  "the number of intervals"));
  EXPECT_TRUE(has(error_of([](json& l) {
                    l["estimate"]["totals"]["wavefronts"] = {1, 2};
                  }),
                  "does not contain the count"));
  EXPECT_TRUE(has(error_of([](json& l) { l["scaled"] = false; }), "scaled"));
}

TEST(ReadReport, SaysWhereTheSyntaxIsWrong) {
  EXPECT_EQ(error_of("{\n  \"schema\": nul }"),
            "error: the JSON is invalid at this place\n  --> r.json:2:16\n"
            "help: bankwise run --format json writes a report that bankwise can read");
  EXPECT_NE(error_of("").find("r.json:1:1"), std::string::npos) << error_of("");
  EXPECT_NE(error_of("{} x").find("r.json:1:4"), std::string::npos) << error_of("{} x");
  EXPECT_NE(error_of("\"\xff\"").find("r.json:1:2"), std::string::npos) << error_of("\"\xff\"");
  EXPECT_NE(error_of("{}\n" + std::string(1, '\0')).find("r.json:2:1"), std::string::npos);
  EXPECT_NE(error_of(std::string(1000000, '[')).find("nested more than 64 levels deep"), std::string::npos);
}

// Makes one change in a valid report, and returns the first line of the error.
std::string after(const std::function<void(json& report, json& launch, json& site)>& change) {
  static const std::string good = to_json(ran(mma()));
  json j = json::parse(good);
  change(j, j["launches"][0], j["launches"][0]["sites"][3]);
  const std::string text = error_of(j.dump());
  return text.substr(0, text.find('\n'));
}

TEST(ReadReport, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(after([](json& r, json&, json&) { r = 5; }), "error: the report: expected an object, not 5");
  EXPECT_EQ(after([](json& r, json&, json&) { r["schema"] = "bankwise.report/2"; }),
            "error: the schema of the report is 'bankwise.report/2', but this version of bankwise reads "
            "bankwise.report/1");
  EXPECT_EQ(after([](json& r, json&, json&) { r["arch"] = "sm_9"; }), "error: arch: unknown architecture 'sm_9'");
  EXPECT_EQ(after([](json& r, json&, json&) { r["source"] = "guessed"; }),
            "error: source: expected \"emulated\" or \"recorded\"");
  EXPECT_EQ(after([](json& r, json&, json&) { r["launches"] = json::object(); }),
            "error: launches: expected a list, not an object");
  EXPECT_EQ(after([](json&, json& l, json&) { l.erase("grid"); }), "error: launches[0]: the key \"grid\" is missing");
  EXPECT_EQ(after([](json&, json& l, json&) { l["grid"][1] = 0; }),
            "error: launches[0].grid[1]: expected a whole number from 1 to 4,294,967,295, not 0");
  EXPECT_EQ(after([](json&, json& l, json&) { l["name"] = "\x1b[2J"; }),
            "error: launches[0].name: the text contains control characters, which are not allowed");
  EXPECT_EQ(after([](json&, json& l, json&) { l["shared_bytes"] = 262145; }),
            "error: launches[0].shared_bytes: expected a whole number from 0 to 262,144, not 262145");
  EXPECT_EQ(after([](json&, json&, json& s) { s["pc"] = 8; }),
            "error: launches[0].sites[3].pc: expected a multiple of 16, not 8");
  EXPECT_EQ(after([](json&, json& l, json& s) { s["pc"] = l["sites"][2]["pc"]; }).substr(0, 47),
            "error: launches[0].sites[3]: there is already a");
  EXPECT_EQ(after([](json&, json&, json& s) { s["wavefronts"] = -1; }).substr(0, 57),
            "error: launches[0].sites[3].wavefronts: expected a whole ");
  EXPECT_EQ(after([](json&, json&, json& s) { s["wavefronts"] = 1e300; }).substr(0, 57),
            "error: launches[0].sites[3].wavefronts: expected a whole ");
  EXPECT_EQ(after([](json&, json&, json& s) { s["ideal"] = 1000000; }).substr(0, 75),
            "error: launches[0].sites[3].ideal: the value 1,000,000 is larger than the v");
  EXPECT_EQ(after([](json&, json& l, json&) { l["totals"]["cycles"] = 1; }).substr(0, 42),
            "error: launches[0].totals.cycles: expected");
  EXPECT_EQ(after([](json&, json&, json& s) { s["op"] = "fly"; }),
            "error: launches[0].sites[3].op: unknown operation 'fly'");
  EXPECT_EQ(after([](json&, json&, json& s) { s["width_bytes"] = 3; }).substr(0, 86),
            "error: launches[0].sites[3].op: operation 'cp.async.ca': a width of 3 bytes does not e");
  EXPECT_EQ(after([](json&, json&, json& s) {
              s["op"] = "ldmatrix.x4";
              s["width_bytes"] = 8;
            }),
            "error: launches[0].sites[3].width_bytes: the operation ldmatrix.x4 does not exist with a width of 8 "
            "bytes");
}

TEST(ReadReport, RefusesWhatIsNoAccessWithConflicts) {
  const json good = json::parse(to_json(ran(wgmma_tile())));
  const auto error_of = [&](auto change) {
    json j = good;
    for (json& s : j["launches"][0]["sites"])
      if (s["op"] == "wgmma") {
        change(s);
        break;
      }
    const auto back = read_report(j.dump(), "report.json");
    return back ? std::string() : to_text(back.error());
  };
  EXPECT_EQ(error_of([](json&) {}), "");
  EXPECT_NE(error_of([](json& s) { s["ideal"] = 1; }).find("has no conflicts"), std::string::npos);
  EXPECT_NE(error_of([](json& s) { s.erase("bytes"); }).find("bytes"), std::string::npos);
  EXPECT_NE(error_of([](json& s) { s["bytes"] = -1; }).find("bytes"), std::string::npos);
  EXPECT_NE(error_of([](json& s) { s["op"] = "wgmmb"; }).find("unknown operation"), std::string::npos);
  json other = good;
  other["arch"] = "sm_80";
  const auto back = read_report(other.dump(), "report.json");
  ASSERT_FALSE(back);
  EXPECT_NE(to_text(back.error()).find("no rule for wgmma on sm_80"), std::string::npos) << to_text(back.error());
}

TEST(ReadReport, RefusesAccessesThatDoNotExist) {
  EXPECT_EQ(after([](json&, json&, json& s) { s["worst"]["mask"] = "fffffffg"; }),
            "error: launches[0].sites[3].worst.mask: expected 8 hexadecimal digits, not \"fffffffg\"");
  EXPECT_EQ(after([](json&, json&, json& s) { s["worst"]["mask"] = "7fffffff"; }).substr(0, 60),
            "error: launches[0].sites[3].worst.addresses[31]: expected nu");
  EXPECT_EQ(after([](json&, json&, json& s) { s["worst"]["addresses"][5] = nullptr; }),
            "error: launches[0].sites[3].worst.addresses[5]: expected an address for a lane in the mask, "
            "not null");
  EXPECT_EQ(after([](json&, json&, json& s) { s["worst"]["addresses"][5] = 4; }),
            "error: launches[0].sites[3].worst.addresses[5]: expected a multiple of 16 (the bytes that each lane "
            "accesses), not 4");
  EXPECT_EQ(after([](json&, json&, json& s) { s["worst"]["addresses"][5] = 262144; }),
            "error: launches[0].sites[3].worst.addresses[5]: expected a whole number from 0 to 262,128, not 262144");
  EXPECT_EQ(after([](json&, json&, json& s) { s["worst"]["addresses"].erase(0); }),
            "error: launches[0].sites[3].worst.addresses: expected 32 addresses, one for each lane");
  EXPECT_EQ(after([](json&, json&, json& s) { s["worst"]["addresses"].push_back(0); }),
            "error: launches[0].sites[3].worst.addresses: the list has 33 entries, which is more than the limit of 32");
  EXPECT_EQ(after([](json&, json&, json& s) { s["accesses"][0]["count"] = 0; }).substr(0, 53),
            "error: launches[0].sites[3].accesses[0].count: expect");
  EXPECT_EQ(after([](json&, json&, json& s) { s["accesses"][0]["count"] = 1000; }),
            "error: launches[0].sites[3].accesses[0]: the sum of the counts of all accesses is larger than "
            "the number of executions");
  EXPECT_EQ(after([](json&, json&, json& s) { s["accesses"].erase(0); }).substr(0, 42),
            "error: launches[0].accesses_kept: expected");
  EXPECT_EQ(after([](json&, json& l, json&) { l["arrays"][1]["sites"][0] = 0; }),
            "error: launches[0].arrays[1].sites[0]: no site has this pc");
  EXPECT_EQ(after([](json&, json& l, json&) { l["arrays"][1]["end"] = 0; }),
            "error: launches[0].arrays[1].end: expected a whole number from 8,192 to 262,144, not 0");
  EXPECT_EQ(after([](json&, json& l, json&) { l["arrays"][1]["dynamic"] = 0; }),
            "error: launches[0].arrays[1].dynamic: expected true or false, not 0");
}

TEST(ReadReport, RefusesTextThatTakesManyTimesItsSize) {
  for (const std::string one : {"{}", "1", "\"\""}) {
    std::string text = "{\"launches\": [";
    for (int i = 0; i < 100'000; ++i) text += one + ",";
    text += one + "]}";
    const auto read = read_report(text, "r.json");
    ASSERT_FALSE(read) << one;
    EXPECT_EQ(read.error().message,
              "the file has more values than a report of " + grouped(text.size()) + " bytes can have");
  }
}

// The reading can stop after a launch. The result then has the launches up to there.
TEST(ReadReport, StopsAfterALaunch) {
  report r = ran(mma());
  for (const std::uint32_t y : {2u, 3u}) r.launches.emplace_back(r.launches[0]).grid[1] = y;
  int left = 2;
  const auto read = read_report(to_json(r), "r.json", [&] { return --left != 0; });
  ASSERT_TRUE(read) << to_text(read.error());
  ASSERT_EQ(read->launches.size(), 2u);
  EXPECT_EQ(read->launches[1].grid[1], 2u);
  EXPECT_EQ(read->arch, "sm_90");
  EXPECT_TRUE(read->library_calls.empty());
}

// Launches are read one after another, wherever they are in the file and however the file is formatted.
TEST(ReadReport, FindsItsLaunches) {
  report r = ran(mma());
  r.launches.push_back(r.launches[0]);
  r.launches[1].grid = {1, 2, 1};
  const json whole = json_value(r);
  json other = json::object();
  for (auto it = whole.end(); it != whole.begin();) {  // writes the last key first
    --it;
    other[it.key()] = *it;
  }
  other["tool"]["launches"] = json::array({"[", "]}", "\\\""});
  for (const std::string& text : {whole.dump(), whole.dump(7), other.dump()}) {
    const auto read = read_report(text, "r.json");
    ASSERT_TRUE(read) << to_text(read.error());
    EXPECT_EQ(to_json(*read), to_json(r));
  }
  // A report that is cut off at any byte is not a report.
  const std::string text = whole.dump();
  for (std::size_t n = 0; n < text.size(); n += 997) EXPECT_FALSE(read_report(text.substr(0, n), "r.json")) << n;
  const auto message = [](const std::string& wrong) { return read_report(wrong, "r.json").error().message; };
  const std::string head = R"({"schema":"bankwise.report/1","arch":"sm_90","source":"emulated",)";
  EXPECT_EQ(message(head + R"("launches":[],"launches":[]})"), "the key \"launches\" occurs twice in the report");
  EXPECT_EQ(message(head + R"("\u006caunches":[{}]})"), "launches[0]: the key \"kernel\" is missing");
  for (const char* const broken : {"[{]]", "[{\"kernel\"}", "[{\"a\":1}", "[,]", "[1 2]", "[\"]", "[[}]"})
    EXPECT_FALSE(read_report(head + "\"launches\":" + broken + "}", "r.json")) << broken;
  for (const char* const broken : {"[{]]", "[,]", "[\"]", "[[}]"})
    EXPECT_EQ(message(head + "\"launches\":" + broken + "}"), "the JSON is invalid at this place") << broken;
  EXPECT_TRUE(read_report(head + "\"launches\" : [ \n ] }", "r.json"));
}

}  // namespace
}  // namespace bankwise
