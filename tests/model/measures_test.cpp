// Tests the rows of measures.def: each measure finds its numbers, its interval and its relatives, and each limit of a
// budget belongs to a measure.
#include "model/measures.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace bankwise {
namespace {

// Returns a site in which each count has a different value. A count that another count limits is smaller.
site numbered_site() {
  site s;
  std::uint64_t n = 1000;
  for (const count_row& row : count_rows)
    if (row.member != nullptr) s.*row.member = n--;
  for (const retry_row& row : retry_rows) s.again.*row.member = n--;
  return s;
}

global_site numbered_site_on(global_kind kind) {
  global_site s;
  s.kind = kind;
  std::uint64_t n = 1000;
  for (const global_count_row& row : global_count_rows)
    if (row.member != nullptr) s.*row.member = n--;
  return s;
}

TEST(Measures, FindTheirNumbersByName) {
  const site shared = numbered_site();
  const global_site global = numbered_site_on(global_kind::load), local = numbered_site_on(global_kind::local_load),
                    texel = numbered_site_on(global_kind::surface_load);
  predicted_time time;
  time.cycles = 12;
  time.nanoseconds = 34;
  for (const measure_row& m : measure_rows) {
    const std::string_view count = m.count;
    const auto is_in = [&](const auto& rows) {
      for (const auto& row : rows)
        if (count == row.name) return true;
      return false;
    };
    switch (m.record) {
      case measure_record::shared:
        ASSERT_TRUE(is_in(count_rows)) << m.name;
        EXPECT_EQ(m.of(shared), count_row_of(count).value(shared)) << m.name;
        EXPECT_EQ(m.of(global), 0u) << m.name;
        break;
      case measure_record::retried:
        ASSERT_TRUE(is_in(retry_rows)) << m.name;
        EXPECT_EQ(m.of(shared), shared.again.rounds) << m.name;
        break;
      case measure_record::global:
      case measure_record::local:
      case measure_record::texel:
        ASSERT_TRUE(is_in(global_count_rows)) << m.name;
        for (const global_site* s : {&global, &local, &texel})
          EXPECT_EQ(m.of(*s), record_of(memory_of(s->kind)) == m.record ? m.of_global->value(*s) : 0) << m.name;
        EXPECT_STREQ(m.of_global->name, m.count);
        EXPECT_EQ(m.of(shared), 0u) << m.name;
        break;
      case measure_record::time: EXPECT_EQ(m.of(time), count == "cycles" ? 12u : 34u) << m.name; break;
    }
  }
}

TEST(Measures, FindTheirIntervalsInASample) {
  std::vector<interval> totals, global;
  for (std::uint64_t n = 0; n < std::size(total_rows); ++n) totals.push_back({n, n + 100});
  for (std::uint64_t n = 0; n < std::size(global_count_rows); ++n) global.push_back({n, n + 200});
  for (const measure_row& m : measure_rows) {
    const interval* const i = m.in(m.is_of_sectors() ? global : totals);
    EXPECT_EQ(i != nullptr, m.is_sampled()) << m.name;
    EXPECT_EQ(m.in({}), nullptr) << m.name;
    if (i == nullptr) continue;
    EXPECT_STREQ(m.is_of_sectors() ? global_count_rows[i->low].name : total_rows[i->low].name, m.count);
  }
  EXPECT_TRUE(row_of(measure::removable).is_sampled());
  EXPECT_FALSE(row_of(measure::excess).is_sampled());
}

TEST(Measures, KnowTheirIdealAndTheirWaste) {
  for (const measure_row& m : measure_rows) {
    EXPECT_EQ(m.ideal == measure::none, m.excess == measure::none) << m.name;
    for (const measure other : {m.ideal, m.excess, m.waste})
      if (other != measure::none) {
        EXPECT_EQ(row_of(other).record, m.record) << m.name;
      }
    if (m.excess == measure::none) continue;
    const site s = numbered_site();
    const global_site g = numbered_site_on(global_kind::load);
    EXPECT_EQ(row_of(m.excess).of(s) + row_of(m.excess).of(g),
              m.of(s) + m.of(g) - row_of(m.ideal).of(s) - row_of(m.ideal).of(g))
        << m.name;
  }
}

TEST(Measures, HaveNamesForEveryPlaceThatShowsThem) {
  std::set<std::string> names;
  for (const measure_row& m : measure_rows) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_EQ(&row_of(m.is), &m);
    EXPECT_FALSE(std::string_view(m.one).empty() || std::string_view(m.many).empty()) << m.name;
    if (m.table != measure_table::never || m.diff == measure_diff::where_any || m.diff >= measure_diff::column) {
      EXPECT_FALSE(std::string_view(m.head).empty()) << m.name;
    }
  }
}

TEST(Limits, BelongToMeasures) {
  std::set<std::string> keys;
  for (const limit_row& l : limit_rows) {
    EXPECT_TRUE(keys.insert(l.key).second) << l.key;
    const measure_row& m = row_of(l.of);
    if (l.form == limit_form::ratio) {
      EXPECT_NE(m.ideal, measure::none) << l.key;
    }
    // A finding about time points to no instruction. All other findings do.
    EXPECT_EQ(l.worst == measure::none, m.record == measure_record::time) << l.key;
    if (l.worst != measure::none) {
      EXPECT_EQ(row_of(l.worst).record, m.record) << l.key;
    }
    // init writes whole numbers, and microseconds with three digits.
    EXPECT_FALSE(l.init && l.form == limit_form::ratio) << l.key;
  }
}

}  // namespace
}  // namespace bankwise
