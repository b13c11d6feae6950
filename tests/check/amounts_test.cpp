// Tests the sums of measures, with the ranges of samples.
#include "check/amounts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bankwise::check {
namespace {

// Two instructions on shared memory and one on each other kind of memory.
launch_report counted_launch() {
  launch_report l;
  for (const std::uint32_t line : {7u, 9u}) {
    site& s = l.sites.emplace_back();
    s.line = line;
    s.executed = 10;
    s.wavefronts = s.layout_floor = 100 * line;
    s.ideal = s.reachable = 10;
  }
  for (const global_kind kind : {global_kind::load, global_kind::local_load, global_kind::texture_read}) {
    global_site& s = l.global_sites.emplace_back();
    s.kind = kind;
    s.line = 7;
    s.sectors = 40;
    s.sectors_ideal = 10;
  }
  l.time.gpu = "H100";
  l.time.cycles = 1234;
  return l;
}

TEST(Amounts, AddUpALaunchByKindOfMemory) {
  const amounts sum = amounts_of(counted_launch());
  EXPECT_EQ(sum[measure::wavefronts].is, 1600u);
  EXPECT_EQ(sum[measure::excess].is, 1580u);
  EXPECT_EQ(sum[measure::queued].is, 1580u);
  EXPECT_EQ(sum[measure::sectors].is, 40u);
  EXPECT_EQ(sum[measure::excess_sectors].is, 30u);
  EXPECT_EQ(sum[measure::local_sectors].is, 40u);
  EXPECT_EQ(sum[measure::texel_sectors].is, 40u);
  EXPECT_EQ(sum[measure::elapsed_cycles].is, 1234u);
  for (const measure_row& m : measure_rows) {
    EXPECT_EQ(sum[m.is].within, (interval{sum[m.is].is, sum[m.is].is})) << m.name;
    EXPECT_EQ(sum[m.is].apart, 0u) << m.name;
  }
  const amounts line = amounts_of(counted_launch(), [](const instruction_place& at) { return at.line == 9; });
  EXPECT_EQ(line[measure::wavefronts].is, 900u);
  EXPECT_EQ(line[measure::sectors].is, 0u);
}

// Makes a sample of the launch, in which every count may be 10 percent wrong.
launch_report sampled_launch() {
  launch_report l = counted_launch();
  l.scaled = true;
  const auto around = [](std::uint64_t n) { return interval{n - n / 10, n + n / 10}; };
  for (site& s : l.sites)
    for (const total_row& t : total_rows) s.within.push_back(around(t.of(s)));
  for (global_site& s : l.global_sites)
    for (const global_count_row& c : global_count_rows) s.within.push_back(around(c.value(s)));
  return l;
}

TEST(Amounts, OfASampleHaveRanges) {
  launch_report l = sampled_launch();
  amounts line;
  for (const site& s : l.sites) line.add(l, s, 2);
  EXPECT_EQ(line[measure::wavefronts].is, 3200u);
  EXPECT_EQ(line[measure::wavefronts].within, (interval{2880, 3520}));
  EXPECT_EQ(line[measure::wavefronts].apart, 320u);
  // The launch has no intervals, so nothing is known about its sums.
  EXPECT_EQ(amounts_of(l)[measure::wavefronts].within, (interval{0, ~std::uint64_t{0}}));
  for (const total_row& t : total_rows)
    l.within.push_back({t.name == std::string_view("wavefronts") ? 1500u : 0u, 1700});
  const amounts whole = amounts_of(l);
  EXPECT_EQ(whole[measure::wavefronts].within, (interval{1500, 1700}));
  // The excess has no interval of its own: it is between 1500 - 1700 and 1700 - 0.
  EXPECT_EQ(whole[measure::excess].within, (interval{0, 1700}));
  EXPECT_EQ(whole[measure::local_sectors].within, (interval{36, 44}));
}

TEST(Amounts, AreEqualIfTheirNumbersAre) {
  const launch_report l = counted_launch(), s = sampled_launch();
  amounts a, b;
  a.add(l, l.sites[0]);
  b.add(s, s.sites[0]);
  EXPECT_TRUE(a == b);
  b += a;
  EXPECT_FALSE(a == b);
  EXPECT_EQ(b[measure::wavefronts].is, 1400u);
}

// Numbers of a saved report can have any value.
TEST(Amounts, DoNotOverflow) {
  launch_report l = counted_launch();
  l.sites[0].wavefronts = ~std::uint64_t{0};
  EXPECT_EQ(amounts_of(l)[measure::wavefronts].is, ~std::uint64_t{0});
  amounts a;
  a.add(l, l.sites[1], ~std::uint64_t{0});
  EXPECT_EQ(a[measure::wavefronts].is, ~std::uint64_t{0});
  EXPECT_EQ(a[measure::executed].is, ~std::uint64_t{0});
}

TEST(Amounts, OfARecordCanBeCleared) {
  amounts a = amounts_of(counted_launch());
  a.clear(measure_record::global);
  EXPECT_EQ(a[measure::sectors].is, 0u);
  EXPECT_EQ(a[measure::local_sectors].is, 40u);
  EXPECT_EQ(a[measure::wavefronts].is, 1600u);
}

}  // namespace
}  // namespace bankwise::check
