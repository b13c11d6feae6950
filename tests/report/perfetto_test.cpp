// Tests the trace events of a timeline: every event has its name and times, the times of a row do not overlap, and each
// arrow begins inside of an operation and ends at the beginning of another one.
#include "report/forms/perfetto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "report/json/read_report.hpp"
#include "report/json/write_report.hpp"
#include "report/sections/timeline_report.hpp"
#include "support/examples.hpp"

namespace bankwise {
namespace {

using json = nlohmann::json;
using row = std::pair<int, int>;
using kind = timeline_kind;

timeline_operation one(kind k, const char* name, std::uint64_t stream, std::uint64_t begin, std::uint64_t nanoseconds) {
  return {.what = {.kind = k, .name = name}, .stream = stream, .begin = begin, .nanoseconds = nanoseconds};
}

// A copy, and a kernel of another stream that waits for it.
program_timeline small_timeline() {
  program_timeline t;
  t.gpu = "H100 SXM";
  t.nanoseconds = 30'000;
  t.busy = 25'000;
  t.kernels = 10'000;
  t.operations = {one(kind::call, "copy", 0, 0, 2'000), one(kind::launch, "launch", 0, 2'000, 4'000),
                  one(kind::to_device, "4,096 bytes", 1, 2'000, 15'000), one(kind::wait, "", 0, 6'000, 24'000),
                  one(kind::kernel, "add<float>", 2, 17'000, 10'000)};
  t.operations[2].call = 0;
  timeline_operation& kernel = t.operations[4];
  kernel.what.grid = {64, 2, 1};
  kernel.what.block = {256, 1, 1};
  kernel.what.bound = "dram";
  kernel.call = 1;
  kernel.after = {2};
  for (const std::size_t i : {0, 2, 3, 4}) t.operations[i].is_critical = true;
  t.waits = {
      {{.kind = kind::to_device}, 1, 15'000}, {{.kind = kind::kernel}, 1, 10'000}, {{.kind = kind::wait}, 1, 3'000}};
  t.critical = {{t.operations[2].what, 1, 15'000}, {kernel.what, 1, 10'000}};
  return t;
}

report with_timeline() {
  report r = test::small_transpose();
  r.timeline = small_timeline();
  return r;
}

// The spans of each row, in the order of the file.
std::map<row, std::vector<json>> spans_of(const json& trace) {
  std::map<row, std::vector<json>> rows;
  for (const json& e : trace["traceEvents"])
    if (e["ph"] == "X") rows[{e["pid"], e["tid"]}].push_back(e);
  return rows;
}

TEST(Perfetto, NamesEveryRow) {
  const json trace = json::parse(to_perfetto(small_timeline()));
  std::map<row, std::string> names;
  for (const json& e : trace["traceEvents"])
    if (e["name"] == "thread_name") names[{e["pid"], e["tid"]}] = e["args"]["name"];
  for (const auto& [at, spans] : spans_of(trace)) EXPECT_TRUE(names.contains(at)) << spans[0];
  std::set<std::string> all;
  for (const auto& [at, name] : names) all.insert(name);
  EXPECT_EQ(all, (std::set<std::string>{"calls of the host", "stream 1", "stream 2", "copies to the device",
                                        "copies to the host"}));
}

TEST(Perfetto, OrdersEventsByTimeAndRowsDoNotOverlap) {
  const json trace = json::parse(to_perfetto(small_timeline()));
  double last = 0;
  for (const json& e : trace["traceEvents"])
    if (e["ph"] != "M") {
      EXPECT_GE(e["ts"].get<double>(), last);
      last = e["ts"];
    }
  for (const auto& [at, spans] : spans_of(trace))
    for (std::size_t i = 1; i < spans.size(); ++i)
      EXPECT_GE(spans[i]["ts"].get<double>(),
                spans[i - 1]["ts"].get<double>() + spans[i - 1]["dur"].get<double>() - 1e-9);
}

TEST(Perfetto, ArrowsLeadFromAnOperationToAnother) {
  const json trace = json::parse(to_perfetto(small_timeline()));
  const auto rows = spans_of(trace);
  std::map<int, json> begins, ends;
  for (const json& e : trace["traceEvents"])
    if (e["ph"] == "s" || e["ph"] == "f") {
      auto& to = e["ph"] == "s" ? begins : ends;
      EXPECT_TRUE(to.emplace(e["id"], e).second);
    }
  EXPECT_EQ(begins.size(), 3U);  // two calls, one dependence
  ASSERT_EQ(begins.size(), ends.size());
  for (const auto& [id, from] : begins) {
    const json& to = ends.at(id);
    EXPECT_EQ(from["name"], to["name"]);
    EXPECT_EQ(from["cat"], to["cat"]);
    EXPECT_LE(from["ts"].get<double>(), to["ts"].get<double>());
    const auto& starts = rows.at({from["pid"], from["tid"]});
    EXPECT_TRUE(std::any_of(starts.begin(), starts.end(), [&](const json& s) {
      return s["ts"] <= from["ts"] && from["ts"].get<double>() < s["ts"].get<double>() + s["dur"].get<double>();
    })) << from;
    const auto& there = rows.at({to["pid"], to["tid"]});
    EXPECT_TRUE(std::any_of(there.begin(), there.end(), [&](const json& s) { return s["ts"] == to["ts"]; })) << to;
  }
}

TEST(Perfetto, ShowsWhatALaunchIs) {
  const json trace = json::parse(to_perfetto(small_timeline()));
  for (const json& e : trace["traceEvents"])
    if (e["name"] == "add<float>") {
      EXPECT_EQ(e["args"]["grid"], "64,2,1");
      EXPECT_EQ(e["args"]["block"], "256,1,1");
      EXPECT_EQ(e["args"]["bound"], "dram");
      EXPECT_EQ(e["args"]["predicted nanoseconds"], 10'000);
      EXPECT_EQ(e["dur"], 10);
    }
}

TEST(TimelineOfAReport, IsReadAsItWasWritten) {
  const report r = with_timeline();
  const auto again = read_report(to_json(r), "r.json");
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->timeline, r.timeline);
}

TEST(TimelineOfAReport, RefersOnlyToItsOwnOperations) {
  report r = with_timeline();
  r.timeline.operations[4].after = {5};
  const auto again = read_report(to_json(r), "r.json");
  ASSERT_FALSE(again);
  EXPECT_NE(to_text(again.error()).find("timeline"), std::string::npos);
}

TEST(TimelineOfAReport, SaysWhatTheProgramWaitsFor) {
  EXPECT_EQ(timeline_sentence(with_timeline()),
            "about 30.0 us on an H100 SXM, which is busy for 83% of it; waits for copies to the device (50%), kernels "
            "(33%, mostly add<float>) and synchronisation (10%)");
  report r = with_timeline();
  r.timeline.without_time = 2;
  EXPECT_TRUE(timeline_sentence(r).starts_with("at least 30.0 us"));
  EXPECT_TRUE(timeline_sentence(r).ends_with("; 2 launches without a predicted time"));
  r.timeline.without_time = 0;
  r.timeline.operations.push_back({.what = {.kind = timeline_kind::library, .name = "cublasSgemm"}, .count = 3});
  EXPECT_TRUE(timeline_sentence(r).ends_with("; the times of 3 library calls are rough estimates"));
  EXPECT_EQ(timeline_sentence(test::small_transpose()), "");
}

}  // namespace
}  // namespace bankwise
