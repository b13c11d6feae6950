// Tests the rows of launch.def and site.def: each fact is compared, added, written, read back and described as its row
// specifies.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "model/fold.hpp"
#include "model/is_set.hpp"
#include "model/same.hpp"
#include "report/json/read_report.hpp"
#include "report/json/report_fields.hpp"
#include "report/json/write_report.hpp"
#include "report/page/report_schema.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using nlohmann::json;

// --- changes of a fact

void change(bool& b) { b = !b; }
void change(std::uint32_t& n) { ++n; }
void change(std::uint64_t& n) { ++n; }
void change(std::string& text) { text += "x"; }
void change(xyz& e) { ++e[1]; }
void change(totals& t) { ++t.warp_instructions; }
void change(early_end& e) { e.why = early_end::reason::budget; }
void change(diagnostic& d) { d.message += "x"; }
void change(checks& c) { change(c.races); }
void change(named_operation& op) { op.spelling += "x"; }
void change(async_operation& a) { ++a.columns; }
void change(sass::dependence& d) { change(d.known); }
void change(access& a) { a.mask ^= 1; }
void change(copy_source& s) { s.reads ^= 1; }
void change(cost& c) { ++c.reachable; }
void change(retries& r) { ++r.rounds; }
void change(code_meaning& m) { ++m.instructions; }
void change(predicted_time& t) { t.gpu += "x"; }
void change(unpredicted& why) { why = unpredicted::not_traced; }
void change(stall_cycles& s) { s.by_reason.emplace_back("wait", 1); }
void change(passed_values& p) { ++p.shuffles; }
void change(global_kind& k) { k = k == global_kind::load ? global_kind::store : global_kind::load; }
void change(global_sample& s) { s.mask ^= 1; }
void change(sector_group& g) { g.pcs.push_back(16); }
void change(rule_source& r) { r.source = "another"; }
template <class T>
void change(std::vector<T>& list) {
  list.emplace_back();
}
void change(std::vector<known_fix>& list) { list.emplace_back().json = "{}"; }
void change(std::vector<known_move>& list) { list.emplace_back().json = "{}"; }

constexpr tells all_tells[] = {tells::saved, tells::accesses, tells::result, tells::shape};

template <class T>
void expect_told(const T& one, const T& other, tells from, const char* name) {
  for (const tells least : all_tells)
    EXPECT_EQ(same(one, other, least), from <= tells::summed || from < least) << name << " " << static_cast<int>(least);
}

TEST(Facts, TellLaunchesApart) {
  const launch_report one;
#define MEMBER(type, name, initial, told, how)   \
  {                                              \
    launch_report other = one;                   \
    change(other.name);                          \
    expect_told(one, other, tells::told, #name); \
  }
#include "model/launch.def"
}

TEST(Facts, TellSitesApart) {
  const site one;
#define MEMBER(type, name, initial, told, how)   \
  {                                              \
    site other = one;                            \
    change(other.name);                          \
    expect_told(one, other, tells::told, #name); \
  }
#include "model/site.def"
  site other = one;
  ++other.executed;
  expect_told(one, other, tells::shape, "counts");
}

TEST(Facts, TellGlobalSitesApart) {
  const global_site one;
#define MEMBER(type, name, initial, told, how)   \
  {                                              \
    global_site other = one;                     \
    change(other.name);                          \
    expect_told(one, other, tells::told, #name); \
  }
#include "model/global_site.def"
}

// Two facts do not matter when launches of a run are merged: which launch kept its accesses, and which allocation an
// access was near.
TEST(Facts, TellEqualLaunchesFromNoOther) {
  launch_report one, other;
  one.sites.resize(1);
  other.sites.resize(1);
  change(other.sites[0].accesses);
  EXPECT_FALSE(same_result(one, other));
  other.has_accesses = true;
  EXPECT_TRUE(same_result(one, other));
  EXPECT_FALSE(same(one, other, tells::saved));
  one = other = launch_report();
  one.out_of_bounds.resize(1);
  other.out_of_bounds.resize(1);
  other.out_of_bounds[0].nearest = "elsewhere";
  EXPECT_TRUE(same_result(one, other));
  EXPECT_FALSE(same(one, other, tells::saved));
  ++other.out_of_bounds[0].lanes;
  EXPECT_FALSE(same_result(one, other));
}

// --- equal launches

template <tells Tells, class T>
void expect_of_equal(const T& one, const T& other, const T& of_one_report, const T& of_two, const char* name) {
  if constexpr (Tells == tells::summed || Tells == tells::of_all) {
    EXPECT_EQ(of_one_report, Tells == tells::summed ? one + other : one) << name;
    EXPECT_EQ(of_two, one + other) << name;
  } else if constexpr (Tells != tells::nothing) {
    EXPECT_TRUE(same_value(of_one_report, one, tells::saved)) << name;
    EXPECT_TRUE(same_value(of_two, one, tells::saved)) << name;
  }
}

TEST(Facts, OfEqualLaunchesAreSummedWhereTheRowSaysSo) {
  launch_report one, other;
#define MEMBER(type, name, initial, told, how) change(other.name);
#include "model/launch.def"
  launch_report of_one_report = one, of_two = one;
  add_equal(of_one_report, other, found_in::one_report);
  add_equal(of_two, other, found_in::two_reports);
#define MEMBER(type, name, initial, told, how) \
  expect_of_equal<tells::told>(one.name, other.name, of_one_report.name, of_two.name, #name);
#include "model/launch.def"
}

// --- launches with different data

template <adds How, class T>
void expect_sum(const T& one, const T& other, const T& sum, std::uint64_t launches, const char* name) {
  if constexpr (How == adds::alone) {
    EXPECT_TRUE(same_value(sum, one, tells::saved)) << name;
  } else if constexpr (How == adds::found) {
    EXPECT_TRUE(same_value(sum, other, tells::saved)) << name;
  } else if constexpr (How == adds::summed) {
    EXPECT_EQ(sum, one + other) << name;
  } else if constexpr (How == adds::per_launch) {
    T expected = one, all = other;
    all *= launches;
    expected += all;
    EXPECT_EQ(sum, expected) << name;
  }
}

TEST(Facts, OfLaunchesAreAddedAsTheirRowsSay) {
  launch_report one, other;
#define MEMBER(type, name, initial, told, how) \
  if (adds::how != adds::first) change(other.name);
#include "model/launch.def"
  other.count = 3;
  other.stopped_at = {};
  other.sites = {};
  other.sum = {};
  for (const whole_row& w : whole_rows) one.sum.*w.member = 5, other.sum.*w.member = 7;
  launch_report sum = one;
  add_launch(sum, other);
#define MEMBER(type, name, initial, told, how) \
  if (adds::how != adds::first) expect_sum<adds::how>(one.name, other.name, sum.name, other.count, #name);
#include "model/launch.def"
  for (const whole_row& w : whole_rows) EXPECT_EQ(sum.sum.*w.member, 5u + 3 * 7) << w.name;
}

// A launch that must not be merged is not added to other launches.
TEST(Facts, ThatStandForThemselvesAreNotAddedUp) {
#define MEMBER(type, name, initial, told, how)                                  \
  {                                                                             \
    std::vector<launch_report> two(2);                                          \
    change(two[1].name);                                                        \
    const bool apart = adds::how == adds::alone || tells::told == tells::shape; \
    EXPECT_EQ(add_up(two).size(), apart ? 2u : 1u) << #name;                    \
  }
#include "model/launch.def"
}

template <adds How, class T>
void expect_site_sum(const T& one, const T& other, const T& sum, const char* name) {
  if constexpr (How == adds::first) {
    EXPECT_TRUE(same_value(sum, one, tells::saved)) << name;
  } else if constexpr (How == adds::of_worst) {
    EXPECT_TRUE(same_value(sum, other, tells::saved)) << name;
  } else if constexpr (How == adds::largest) {
    EXPECT_EQ(sum, std::max(one, other)) << name;
  } else if constexpr (How == adds::any) {
    EXPECT_EQ(sum, one || other) << name;
  }
}

TEST(Facts, OfSitesAreAddedAsTheirRowsSay) {
  site one, other;
#define MEMBER(type, name, initial, told, how) change(other.name);
#include "model/site.def"
  other.worst_cost.wavefronts = 2;
  other.executed = 4;
  site sum = one;
  multiply(other, 3);
  EXPECT_EQ(other.executed, 12u);
  add_site(sum, other);
#define MEMBER(type, name, initial, told, how) expect_site_sum<adds::how>(one.name, other.name, sum.name, #name);
#include "model/site.def"
  EXPECT_EQ(sum.executed, 12u);
  // The first launch keeps its worst access, unless the second launch has a worse access.
  site again = other;
  one.worst_cost.wavefronts = 2;
  add_site(again, one);
  EXPECT_EQ(again.worst_cost.wavefronts, 2u);
  EXPECT_EQ(again.worst.mask, other.worst.mask);
}

// --- the JSON

// Makes a launch with as many facts as the report of an emulated or a recorded launch can have.
report rich(bool recorded) {
  const auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                                     .kernel = "transpose_plain",
                                     .grid = {2, 2, 1},
                                     .block = {32, 8, 1},
                                     .arguments = {"out:f32[4096]", "f32[4096]=iota", "i32=64"},
                                     .keep_accesses = recorded ? 0u : 1u << 12});
  EXPECT_TRUE(run) << to_text(run.error());
  report r = run->whole;
  launch_report& l = r.launches[0];
  l.registers = 17;
  l.time = {.gpu = "H100 SXM",
            .cycles = 5000,
            .cycles_low = 4000,
            .cycles_high = 6000,
            .nanoseconds = 3125,
            .bound = "dram",
            .shares = {{"dram", 40}},
            .use = {{"sm", 20}, {"memory", 90}},
            .traced_blocks = 12,
            .cycles_without_conflicts = 3000,
            .waits = {{{"long_scoreboard", 70}, {"wait", 7}}},
            .lines = {{"a.cu", 18, {{{"wait", 7}}}}}};
  l.global_counted = true;
  global_site& asks = l.global_sites.emplace_back();
  asks.pc = 32, asks.sass = "LDG.E R7, desc[UR6][R8.64]", asks.width_bytes = 4;
  asks.executed = asks.requests = 3, asks.lanes = 96, asks.sectors = 24, asks.sectors_ideal = 12, asks.tag_requests = 6;
  asks.bytes = 384;
  asks.stalls = {{{"long_scoreboard", 60}}};
  asks.saved_cycles = 11;
  l.dynamic_shared_bytes = 64;
  l.count = 5;
  l.fixes.clear();
  if (recorded) {
    r.origin = "recorded";
    l.launches_seen = 11, l.block_period = 2, l.lost_accesses = 3;
    l.sites[0].executed_at_least = true;
    return r;
  }
  l.meaning = {
      .instructions = 9,
      .unmeasured = {{"FADD2", sass::meaning::documented, 2, false}, {"UFADD", sass::meaning::assumed, 1, true}}};
  l.time_missing = unpredicted::total_limit;
  l.time_trace = "QUJD";
  l.sites[0].stalls = {{{"mio_throttle", 5}}};
  l.sites[0].saved_cycles = 9;
  l.counted_alone = l.after_sample = true;
  l.assumed = 2, l.repeats = 1;
  l.partial = {early_end::reason::interrupted, "SIGTERM"};
  l.ctas_begun = l.ctas_executed + 1;
  l.checked = {true, true};
  l.hazards.resize(1);
  l.hazards[0].count = 4;
  l.hazards[0].cause = hazard_cause::in_step;
  l.out_of_bounds.resize(1);
  out_of_bounds_access& a = l.out_of_bounds[0];
  a.count = 2, a.lanes = 3, a.bytes = 4, a.trail = {"in main"};
  l.block_races.resize(1);
  l.block_races[0].count = 5;
  l.block_races[0].is_checked = true;
  l.block_races[0].cause = race_cause::no_fence;
  l.block_races[0].second_block = {1, 0, 0};
  l.orders_tried = 3;
  l.other_results.push_back({.seed = 2, .bytes = 4, .memory = "argument 1", .offset = 8, .usual = 1, .other = 2});
  l.not_executed.resize(1);
  l.not_executed[0].pc = 16;
  site& s = l.sites[0];
  s.text = "tile[y][x] = 1;";
  s.span_bytes = 128;
  s.again.entries = 1, s.again.queued = 2, s.again.rounds = 3;
  s.passed = {7, 6, 5};
  return r;
}

template <tells Told, class T>
bool are_same(const T& a, const T& b) {
  if constexpr (Told == tells::nothing)
    return true;
  else
    return same_value(a, b, tells::saved);
}

TEST(Facts, AreWrittenAndReadBack) {
  // Other tests (estimate_test, read_report_test) read back the facts of samples and searches. The report does not
  // contain the time that a prediction took. Short names follow from the names (instance_names_test).
  std::set<std::string> told = {
      "scaled",        "timed",      "within",     "global_within",          "fixes",
      "instance",      "moves",      "stopped_at", "prediction_nanoseconds", "prediction_instructions",
      "waited_cycles", "seen_cycles"};
  for (const bool recorded : {false, true}) {
    const report r = rich(recorded);
    const std::string text = to_json(r);
    const auto back = read_report(text, "report.json");
    ASSERT_TRUE(back) << to_text(back.error());
    EXPECT_EQ(to_json(*back), text);
    const launch_report &was = r.launches[0], &is = back->launches[0];
    const launch_report fresh;
#define MEMBER(type, name, initial, how, adds)                         \
  if (!are_same<tells::how>(was.name, fresh.name)) told.insert(#name); \
  EXPECT_TRUE(are_same<tells::how>(was.name, is.name)) << #name;
#include "model/launch.def"
    for (const whole_row& w : whole_rows) EXPECT_EQ(is.sum.*w.member, was.sum.*w.member) << w.name;
  }
#define MEMBER(type, name, initial, how, adds) \
  EXPECT_TRUE(told.contains(#name)) << #name << ": set this member in rich()";
#include "model/launch.def"
}

// A plain fact is written always, or only if it is set, as its row specifies.
TEST(Facts, AreInTheJsonWhereTheirRowsSaySo) {
  const report r = rich(false), recorded = rich(true);
  const json one = json::parse(to_json(r))["launches"][0], other = json::parse(to_json(recorded))["launches"][0];
  const auto expect = [&](const char* key, fact_when when, bool set, bool set_in_recording) {
    switch (when) {
      case fact_when::always:
      case fact_when::added_later:
        EXPECT_TRUE(one.contains(key)) << key;
        EXPECT_TRUE(other.contains(key)) << key;
        break;
      case fact_when::where_set:
        EXPECT_EQ(one.contains(key), set) << key;
        EXPECT_EQ(other.contains(key), set_in_recording) << key;
        break;
      case fact_when::of_recordings:
        EXPECT_FALSE(one.contains(key)) << key;
        EXPECT_TRUE(other.contains(key)) << key;
        break;
      case fact_when::of_partial:
      case fact_when::of_checked:
        EXPECT_TRUE(one.contains(key)) << key;
        EXPECT_FALSE(other.contains(key)) << key;
        break;
      case fact_when::with_accesses: EXPECT_EQ(one.contains(key), r.launches[0].has_accesses) << key; break;
      case fact_when::where_it_applies: break;
    }
  };
  const auto set = [](const auto& member) {
    if constexpr (requires { is_set(member); })
      return is_set(member);
    else
      return true;
  };
#define FACT(type, name, initial, when, tells, adds, meaning) \
  expect(#name, fact_when::when, set(r.launches[0].name), set(recorded.launches[0].name));
#define KEYED(type, name, initial, key, when, tells, adds, meaning) \
  expect(#key, fact_when::when, set(r.launches[0].name), set(recorded.launches[0].name));
#define DERIVED(key, when, meaning) expect(#key, fact_when::when, true, true);
#include "model/launch.def"
}

// The schema describes each fact as the fact's row does. Facts that some reports lack are not required.
TEST(Facts, AreDescribed) {
  const json definitions = json::parse(report_schema())["definitions"];
  const auto expect = [&](const char* definition, const char* key, fact_when when, const char* meaning) {
    const json& object = definitions[definition];
    ASSERT_TRUE(object["properties"].contains(key)) << key;
    EXPECT_EQ(object["properties"][key]["description"], meaning) << key;
    const json& required = object["required"];
    EXPECT_EQ(std::find(required.begin(), required.end(), key) != required.end(), when == fact_when::always) << key;
  };
#define FACT(type, name, initial, when, tells, adds, meaning) expect("launch", #name, fact_when::when, meaning);
#define KEYED(type, name, initial, key, when, tells, adds, meaning) expect("launch", #key, fact_when::when, meaning);
#define DERIVED(key, when, meaning) expect("launch", #key, fact_when::when, meaning);
#include "model/launch.def"
#define FACT(type, name, initial, when, tells, adds, meaning) expect("site", #name, fact_when::when, meaning);
#define KEYED(type, name, initial, key, when, tells, adds, meaning) expect("site", #key, fact_when::when, meaning);
#define DERIVED(key, when, meaning) expect("site", #key, fact_when::when, meaning);
#include "model/site.def"
  const json& totals = definitions["totals"];
  for (const whole_row& w : whole_rows) {
    ASSERT_TRUE(totals["properties"].contains(w.name)) << w.name;
    EXPECT_EQ(totals["properties"][w.name]["description"], w.meaning) << w.name;
  }
}

}  // namespace
}  // namespace bankwise
