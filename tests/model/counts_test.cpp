// Tests the rows of counts.def: each count is added, scaled, compared, written, read back, described and shown under
// its name.
#include "model/counts.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "model/fold.hpp"
#include "report/forms/site_table.hpp"
#include "report/json/read_report.hpp"
#include "report/json/report_fields.hpp"
#include "report/json/write_report.hpp"
#include "report/page/report_schema.hpp"
#include "support/examples.hpp"

namespace bankwise {
namespace {

using nlohmann::json;

TEST(Counts, AddUpAndScale) {
  for (const count_row& row : count_rows) {
    if (row.member == nullptr) continue;
    counts a, b;
    a.*row.member = 5;
    b.*row.member = 7;
    EXPECT_NE(a, b) << row.name;
    a += b;
    EXPECT_EQ(row.value(a), 12u) << row.name;
    scale(a, 64, 5);
    EXPECT_EQ(row.value(a), 154u) << row.name;  // of 153.6
    a.*row.member = 0;
    EXPECT_EQ(a, counts{}) << row.name << " changed another count";
  }
  // The struct has only the members that the rows define.
  std::size_t members = 0;
  for (const count_row& row : count_rows) members += row.member != nullptr ? 1 : 0;
  EXPECT_EQ(sizeof(counts), members * sizeof(std::uint64_t));
}

TEST(Counts, DerivedOnesFollowFromTheOthers) {
  counts c;
  c.wavefronts = 20;
  c.ideal = 3;
  c.reachable = 4;
  c.layout_floor = 9;
  EXPECT_EQ(count_row_of("excess").value(c), 17u);
  EXPECT_EQ(count_row_of("removable").value(c), 11u);
  EXPECT_EQ(count_row_of("queued").value(c), 5u);
}

TEST(Totals, AddUpWhatTheirNamesSay) {
  for (const total_row& row : total_rows) {
    counts c;
    c.executed = 1, c.wavefronts = 20, c.ideal = 3, c.reachable = 4, c.layout_floor = 9, c.cycles = 30;
    totals t;
    t += c;
    t += c;
    EXPECT_NE(t.*row.member, 0u) << row.name;
    EXPECT_EQ(t.*row.member, 2 * count_row_of(row.name).value(c)) << row.name;
    EXPECT_STREQ(count_row_of(row.name).name, row.name);
  }
}

TEST(Retries, AddUpAndScaleByTheirRows) {
  retries a, b;
  std::uint64_t n = 1;
  for (const retry_row& row : retry_rows) a.*row.member = n++, b.*row.member = 10;
  retries sum = a;
  sum += b;
  for (const retry_row& row : retry_rows) {
    if (row.adds == retry_adds::summed)
      EXPECT_EQ(sum.*row.member, a.*row.member + 10) << row.name;
    else
      EXPECT_EQ(sum.*row.member, 10u) << row.name;
  }
  retries scaled_up = a;
  scale(scaled_up, 3, 1);
  for (const retry_row& row : retry_rows)
    if (row.scales != retry_scales::made_of) {
      EXPECT_EQ(scaled_up.*row.member, a.*row.member * (row.scales == retry_scales::stays ? 1 : 3)) << row.name;
    }
  EXPECT_EQ(scaled_up.rounds, scaled_up.entries + scaled_up.queued + scaled_up.conflicting + scaled_up.contended);
}

// Makes a report in which every count of an access has a different value.
report with_counts() {
  report r = test::small_transpose();
  site& s = r.launches[0].sites[0];
  s.generic = true;
  std::uint64_t n = 100000;
  // If one count cannot exceed a second count, the second count comes first in the table, and gets a larger value.
  for (const count_row& row : count_rows)
    if (row.member != nullptr && row.when != count_when::of_asynchronous) s.*row.member = n--;
  for (const count_row& row : count_rows)
    if (row.at_most != nullptr) {
      EXPECT_LE(s.*row.member, s.*row.at_most) << row.name;
    }
  r.launches[0].sum = {};
  for (const site& one : r.launches[0].sites) r.launches[0].sum += one;
  return r;
}

TEST(Counts, AreWrittenAndReadBack) {
  const report r = with_counts();
  const site& s = r.launches[0].sites[0];
  const std::string text = to_json(r);
  const json one = json::parse(text)["launches"][0]["sites"][0];
  for (const count_row& row : count_rows) {
    if (row.when == count_when::of_asynchronous) {
      EXPECT_FALSE(one.contains(row.name)) << row.name;
      continue;
    }
    ASSERT_TRUE(one.contains(row.name)) << row.name;
    EXPECT_EQ(one[row.name], row.value(s)) << row.name;
  }
  const auto back = read_report(text, "report.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(static_cast<const counts&>(back->launches[0].sites[0]), static_cast<const counts&>(s));
  EXPECT_EQ(to_json(*back), text);
}

TEST(Counts, ThatAreWrongAreRefusedByTheirPlace) {
  const json good = json::parse(to_json(with_counts()));
  const auto error_of = [&](const char* name, const json& value) {
    json bad = good;
    json& one = bad["launches"][0]["sites"][0];
    if (value.is_null())
      one.erase(name);
    else
      one[name] = value;
    const auto back = read_report(bad.dump(), "report.json");
    return back ? std::string() : back.error().message;
  };
  for (const count_row& row : count_rows) {
    if (row.member == nullptr || row.when == count_when::of_asynchronous) continue;
    const std::string at = std::string("launches[0].sites[0].") + row.name + ": ";
    EXPECT_EQ(error_of(row.name, -1).find(at + "expected a whole number"), 0u) << row.name << error_of(row.name, -1);
    if (row.at_most != nullptr) {
      EXPECT_NE(error_of(row.name, 99999999).find(" is larger than "), std::string::npos) << row.name;
    }
    if (row.when == count_when::always) {
      EXPECT_EQ(error_of(row.name, nullptr),
                "launches[0].sites[0]: the key \"" + std::string(row.name) + "\" is missing");
    } else if (row.otherwise != nullptr) {
      json old = good;
      old["launches"][0]["sites"][0].erase(row.name);
      const auto back = read_report(old.dump(), "report.json");
      ASSERT_TRUE(back) << to_text(back.error());
      const site& s = back->launches[0].sites[0];
      EXPECT_EQ(s.*row.member, row.at_most == nullptr ? s.*row.otherwise : std::min(s.*row.otherwise, s.*row.at_most));
    }
  }
}

// Launches that differ in one count are different launches.
TEST(Counts, TellLaunchesApart) {
  const report r = with_counts();
  for (const count_row& row : count_rows) {
    if (row.member == nullptr) continue;
    launch_report other = r.launches[0];
    EXPECT_TRUE(same_result(r.launches[0], other));
    ++(other.sites[0].*row.member);
    EXPECT_FALSE(same_result(r.launches[0], other)) << row.name;
  }
}

TEST(Counts, HaveTheirColumnsAndTheirMeaning) {
  const std::string csv = to_csv(with_counts());
  const std::string header = csv.substr(0, csv.find('\n')) + ",";
  const json site = json::parse(report_schema())["definitions"]["site"];
  std::set<unsigned> places;
  for (const count_row& row : count_rows) {
    EXPECT_EQ((("," + header).find("," + std::string(row.name) + ",") != std::string::npos), row.column != 0)
        << row.name;
    if (row.column != 0) {
      EXPECT_TRUE(places.insert(row.column).second) << row.name << ": another count has the same column";
    }
    ASSERT_TRUE(site["properties"].contains(row.name)) << row.name;
    EXPECT_EQ(site["properties"][row.name]["description"].get<std::string>().find(row.meaning), 0u) << row.name;
    const json& required = site["required"];
    EXPECT_EQ(std::find(required.begin(), required.end(), row.name) != required.end(), row.when == count_when::always)
        << row.name;
  }
}

// Every field of every object has a unique key and a description.
template <class T>
void expect_described(const char* name, const fields<T>& all) {
  std::set<std::string> keys;
  for (const field<T>& f : all) {
    EXPECT_TRUE(keys.insert(f.key).second) << name << "." << f.key;
    EXPECT_STRNE(f.meaning, "") << name << "." << f.key;
    EXPECT_FALSE(json::parse(to_text(f.type), nullptr, false).is_discarded())
        << name << "." << f.key << ": " << to_text(f.type);
  }
}

TEST(ReportFields, AreDescribed) {
  expect_described("report", report_fields());
  expect_described("launch", launch_fields());
  expect_described("totals", totals_fields());
  expect_described("site", site_fields());
  expect_described("worst", worst_fields());
  expect_described("access", access_fields());
  expect_described("retries", retries_fields());
  expect_described("array", array_fields());
  expect_described("hazard", hazard_fields());
  expect_described("thread_place", thread_place_fields());
  expect_described("code_place", code_place_fields());
  expect_described("out_of_bounds", out_of_bounds_fields());
  expect_described("unrecorded", unrecorded_fields());
}

}  // namespace
}  // namespace bankwise
