// Tests which places of a launch have one cause: a layout, exchanged axes, a wider load.
#include "model/causes/causes.hpp"

#include <gtest/gtest.h>

#include "model/sectors/sector_reason.hpp"

namespace bankwise {
namespace {

void add_conflict(launch_report& l, std::uint32_t line) {
  site& s = l.sites.emplace_back();
  s.file = "a.cu";
  s.line = line;
  s.pc = 16 * l.sites.size();
  s.op.op = ld(4);
  s.wavefronts = 100;
  s.reachable = s.layout_floor = 10;
}

// Adds loads of a matrix: neighbours in x and in y are so many bytes apart.
global_site& add_load(launch_report& l, std::uint32_t line, std::int64_t x, std::int64_t y) {
  global_site& s = l.global_sites.emplace_back();
  s.kind = global_kind::load;
  s.file = "a.cu";
  s.line = line;
  s.pc = 16 * (100 + l.global_sites.size());
  s.width_bytes = 4;
  s.requests = 1000;
  s.lanes = 32 * s.requests;
  const std::uint32_t row = std::min(32U, l.block[0]);
  s.worst.mask = 0xffffffff;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    s.worst.address[lane] = static_cast<std::uint64_t>(1'000'000 + x * (lane % row) + y * (lane / row));
  s.worst.sectors = x >= 32 ? 32 : 4;
  s.sectors = s.worst.sectors * s.requests;
  s.sectors_ideal = 4 * s.requests;
  return s;
}

delay& add_delay(launch_report& l, delay_kind k, std::uint32_t line) {
  delay& d = l.time.delays.emplace_back();
  d.is = k;
  d.place.file = "a.cu";
  d.place.line = line;
  d.place.sass = "LDG";
  return d;
}

TEST(Causes, ConflictsOfOneArrayHaveOneLayout) {
  launch_report l;
  for (const std::uint32_t line : {1, 2, 3}) add_conflict(l, line);
  l.arrays.push_back({.name = "tile", .sites = {0, 2}});
  l.arrays.push_back({.name = "other", .sites = {1}});
  number_causes(l);
  EXPECT_EQ(l.sites[0].cause, 1U);
  EXPECT_EQ(l.sites[1].cause, 0U) << "it has no other place in common with it";
  EXPECT_EQ(l.sites[2].cause, 1U);
  ASSERT_EQ(causes_of(l).size(), 1U);
  EXPECT_EQ(causes_of(l)[0].sites, (std::vector<std::size_t>{0, 2}));
}

TEST(Causes, ALineWithConflictsOfTwoArraysNeedsTwoLayouts) {
  launch_report l;
  for (const std::uint32_t line : {1, 2, 2, 3}) add_conflict(l, line);
  l.arrays.push_back({.name = "tile", .sites = {0, 1}});
  l.arrays.push_back({.name = "other", .sites = {2, 3}});
  number_causes(l);
  for (const site& s : l.sites) EXPECT_EQ(s.cause, 0U) << s.line;
}

TEST(Causes, OneExchangeOfAxesBringsAllLanesTogether) {
  launch_report l;
  l.block = {8, 8, 8};
  for (const std::uint32_t line : {1, 2}) add_load(l, line, 4096, 128);
  add_load(l, 3, 8192, 64);
  number_causes(l);
  for (const global_site& s : l.global_sites) EXPECT_EQ(s.cause, 1U) << s.line;
}

TEST(Causes, AnExchangeThatMovesOtherLanesApartIsNone) {
  launch_report l;
  l.block = {32, 8, 1};
  for (const std::uint32_t line : {1, 2}) add_load(l, line, 4096, 4);
  for (const std::uint32_t line : {3, 4, 5}) add_load(l, line, 4, 4096);
  number_causes(l);
  for (const global_site& s : l.global_sites) EXPECT_EQ(s.cause, 0U) << s.line;
}

TEST(Causes, WithoutASecondAxisTheDistancesMustBeEqual) {
  launch_report l;
  l.block = {256, 1, 1};
  add_load(l, 1, 4096, 0);
  add_load(l, 2, 4096, 0);
  add_load(l, 3, 512, 0);
  number_causes(l);
  EXPECT_EQ(l.global_sites[0].cause, 1U);
  EXPECT_EQ(l.global_sites[1].cause, 1U);
  EXPECT_EQ(l.global_sites[2].cause, 0U);
}

TEST(Causes, OneWiderLoadServesSectorsAndInstructions) {
  launch_report l;
  l.block = {256, 1, 1};
  add_load(l, 1, 64, 0);
  add_delay(l, delay_kind::narrow_loads, 1);
  add_delay(l, delay_kind::narrow_loads, 2);
  number_causes(l);
  EXPECT_EQ(l.global_sites[0].cause, 1U);
  EXPECT_EQ(l.time.delays[0].cause, 1U);
  EXPECT_EQ(l.time.delays[1].cause, 0U);
}

TEST(Causes, AWarpIsLateBecauseOfItsIdleLanes) {
  launch_report l;
  add_delay(l, delay_kind::few_lanes, 7);
  add_delay(l, delay_kind::uneven_warps, 7);
  number_causes(l);
  EXPECT_EQ(l.time.delays[0].cause, 1U);
  EXPECT_EQ(l.time.delays[1].cause, 1U);
  l.time.delays[1].place.line = 9;
  number_causes(l);
  EXPECT_EQ(l.time.delays[1].cause, 0U);
}

TEST(Causes, NeighboursAlongEachAxisHaveADistance) {
  launch_report l;
  l.block = {8, 8, 4};
  const global_sample s = add_load(l, 1, 4096, 4).worst;
  const auto apart = axis_strides_of(s, l.block);
  ASSERT_TRUE(apart && apart->y);
  EXPECT_EQ(apart->x, 4096);
  EXPECT_EQ(*apart->y, 4);
  EXPECT_FALSE(axis_strides_of(s, {24, 8, 1})) << "rows begin in the middle of warps";
  global_sample scattered = s;
  scattered.address[9] += 4;
  EXPECT_FALSE(axis_strides_of(scattered, l.block));
}

}  // namespace
}  // namespace bankwise
