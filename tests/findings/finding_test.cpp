// The findings of a launch: one order for all kinds, and the changes that were found for a finding.
#include "findings/finding.hpp"

#include <gtest/gtest.h>

namespace bankwise::findings {
namespace {

site& add_site(launch_report& l, std::uint32_t line, std::uint64_t removable, std::uint64_t saved_cycles) {
  site& s = l.sites.emplace_back();
  s.file = "a.cu";
  s.line = line;
  s.pc = 16 * l.sites.size();
  s.op.op = ld(4);
  s.wavefronts = removable + 10;
  s.reachable = 10;
  s.layout_floor = 10;
  s.saved_cycles = saved_cycles;
  return s;
}

void add_column(launch_report& l, std::uint32_t line, std::uint64_t sectors, std::uint64_t saved_cycles) {
  global_site& s = l.global_sites.emplace_back();
  s.kind = global_kind::load;
  s.file = "a.cu";
  s.line = line;
  s.pc = 16 * (100 + l.global_sites.size());
  s.width_bytes = 4;
  s.requests = sectors / 32;
  s.sectors = sectors;
  s.sectors_ideal = sectors / 8;
  s.worst.mask = 0xffffffff;
  for (std::uint32_t i = 0; i < 32; ++i) s.worst.address[i] = 128 * i;
  s.worst.sectors = 32;
  s.saved_cycles = saved_cycles;
}

void add_misaligned(launch_report& l, std::uint32_t line, std::uint64_t saved_cycles) {
  global_site& s = l.global_sites.emplace_back();
  s.kind = global_kind::load;
  s.file = "a.cu";
  s.line = line;
  s.pc = 16 * (100 + l.global_sites.size());
  s.width_bytes = 4;
  s.requests = 1000;
  s.sectors = 5000;
  s.sectors_ideal = 4000;
  s.worst.mask = 0xffffffff;
  for (std::uint32_t i = 0; i < 32; ++i) s.worst.address[i] = 4 + 4 * i;
  s.saved_cycles = saved_cycles;
}

std::vector<std::uint32_t> lines_of(const launch_report& l) {
  std::vector<std::uint32_t> lines;
  for (const finding& f : of(l)) lines.push_back(place_of(l, f).line);
  return lines;
}

TEST(Findings, TheOrderIsTimeThenAmountThenHintsWithoutTime) {
  launch_report l;
  add_site(l, 1, 31'000, 20);
  add_column(l, 2, 6400, 900);
  add_misaligned(l, 3, 5000);
  add_site(l, 4, 62, 0);
  add_column(l, 5, 64'000, 0);
  add_misaligned(l, 6, 0);
  EXPECT_EQ(lines_of(l), (std::vector<std::uint32_t>{3, 2, 1, 5, 4, 6}));
  const std::vector<finding> all = of(l);
  EXPECT_TRUE(all[0].is_minor());
  EXPECT_EQ(all[1].what, problem::uncoalesced);
  EXPECT_EQ(all[1].amount, 5600u);
  EXPECT_EQ(all[1].left(), 800u);
  EXPECT_EQ(all[2].what, problem::conflict);
  EXPECT_TRUE(all.back().is_minor());
}

TEST(Findings, DelaysAreInTheSameOrder) {
  launch_report l;
  l.time.gpu = "H100 SXM";
  l.time.cycles = 1000;
  add_site(l, 1, 31'000, 20);
  add_column(l, 2, 6400, 300);
  delay loads{.is = delay_kind::late_loads, .saved_cycles = 200}, blocks{.is = delay_kind::few_blocks, .now = 16};
  loads.place.sass = "LDG.E R2, desc[UR4][R2.64]";
  loads.place.line = 3;
  l.time.delays = {loads, blocks};
  EXPECT_EQ(lines_of(l), (std::vector<std::uint32_t>{2, 3, 1, 0})) << "a delay without a known saving is last";
  const std::vector<finding> all = of(l);
  EXPECT_EQ(all[1].what, problem::late_loads);
  EXPECT_EQ(all[1].amount, 200U);
  EXPECT_EQ(all[1].whole, 1000U);
  EXPECT_EQ(&delay_of(l, all[1]), &l.time.delays[0]);
  EXPECT_TRUE(delay_of(l, all[3]).is_of_launch());
}

TEST(Findings, EachReasonOfALineIsAFinding) {
  launch_report l;
  site& s = add_site(l, 1, 30, 90);
  s.layout_floor = 20;  // lanes queue for one word in 10 of the wavefronts
  add_site(l, 1, 60, 60);
  const std::vector<finding> all = of(l);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].what, problem::conflict);
  EXPECT_EQ(all[0].amount, 80u);
  EXPECT_EQ(all[0].sites, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(all[0].saved_cycles, 120u);
  EXPECT_EQ(all[1].what, problem::word_queue);
  EXPECT_EQ(all[1].saved_cycles, 30u);
}

TEST(Findings, LaunchesCountInTheOrderOfAReport) {
  std::vector<added_launches> launches(2);
  add_site(launches[0].all, 1, 100, 50);
  add_site(launches[1].all, 2, 100, 10);
  launches[1].all.count = 10;
  const std::vector<finding_in> all = of_all(launches);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].launch, &launches[1].all);
  launches[1].kinds = 2;  // the counts of the second launch are sums
  EXPECT_EQ(of_all(launches)[0].launch, &launches[0].all);
}

TEST(Findings, OtherInstructionsAreOfferedIfTheySaveMore) {
  launch_report l;
  const site& s = add_site(l, 1, 30, 0);
  known_fix fix{.array = "tile", .code = "float tile[32][33];", .sites = {{s.function, s.pc}}};
  fix.wavefronts_before = 40, fix.wavefronts_after = 10;
  l.fixes.push_back(fix);
  const finding f = of(l)[0];
  EXPECT_EQ(changes_for(l, f).layout, &l.fixes[0]);
  EXPECT_FALSE(changes_for(l, f).are_instructions_better());
  known_move move;
  move.sites = fix.sites;
  move.wavefronts_before = 40, move.wavefronts_after = 8;
  l.moves.push_back(move);
  EXPECT_EQ(changes_for(l, f).instructions, &l.moves[0]);
  EXPECT_TRUE(changes_for(l, f).are_instructions_better());
}

TEST(Findings, LinesWithOneCauseAreOneFinding) {
  launch_report l;
  add_column(l, 1, 800, 10);
  add_column(l, 2, 1600, 30);
  add_column(l, 3, 400, 5);
  l.global_sites[0].cause = l.global_sites[1].cause = 1;
  delay& d = l.time.delays.emplace_back();
  d.is = delay_kind::narrow_loads;
  d.place = l.global_sites[1];
  d.place.sass = "LDG";
  d.saved_cycles = 7;
  d.cause = 1;
  const std::vector<finding> found = of(l);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(place_of(l, found[0]).line, 2u) << "the line that saves the most";
  EXPECT_EQ(found[0].whole, 2400u);
  EXPECT_EQ(found[0].saved_cycles, 47u) << "with those of the delay";
  ASSERT_EQ(found[0].also.size(), 2u);
  EXPECT_EQ(place_of(l, found[0].also[0]).line, 1u);
  EXPECT_EQ(found[0].also[1].what, problem::narrow_loads);
  EXPECT_EQ(of_lines(l).size(), 4u);
}

}  // namespace
}  // namespace bankwise::findings
