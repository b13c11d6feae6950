// Tests why an instruction accesses more sectors than its bytes fill. The reason depends on the instruction's worst
// access, and on the instructions next to it.
#include "model/sectors/sector_reason.hpp"

#include <gtest/gtest.h>

#include "bankwise/global_sectors.hpp"
#include "model/sectors/sector_lines.hpp"

namespace bankwise {
namespace {

constexpr u32 all_lanes = 0xffffffff;

// Makes an instruction that executes the same access `times` times.
global_site site_of(u32 width, auto address, u32 mask = all_lanes, std::uint64_t times = 10) {
  global_access a{.mask = mask, .width_bytes = width};
  global_site s;
  s.kind = global_kind::load;
  s.width_bytes = width;
  s.worst.mask = mask;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    a.addresses[lane] = static_cast<std::uint64_t>(address(lane));
    s.worst.address[lane] = a.addresses[lane];
  }
  const global_cost c = cost_of(a);
  s.worst.sectors = c.sectors;
  s.worst.sectors_ideal = c.sectors_ideal;
  s.worst.tag_requests = c.tag_requests;
  s.executed = s.requests = times;
  s.sectors = times * c.sectors;
  s.sectors_ideal = times * c.sectors_ideal;
  return s;
}

sector_reason why(const global_site& s, std::uint32_t registers = 32) {
  launch_report l;
  l.registers = registers;
  return reason_of(l, s);
}

TEST(SectorReason, StrideIsTheSameForAllLanesOrThereIsNone) {
  EXPECT_EQ(stride_of(site_of(4, [](u32 t) { return t * 12; }).worst), 12);
  EXPECT_EQ(stride_of(site_of(4, [](u32 t) { return 1024 - t * 4; }).worst), -4);
  EXPECT_EQ(stride_of(site_of(4, [](u32) { return 8; }).worst), 0);
  // Inactive lanes leave gaps between the addresses.
  EXPECT_EQ(stride_of(site_of(
                          4, [](u32 t) { return t * 8; }, 0x10101)
                          .worst),
            8);
  EXPECT_EQ(stride_of(site_of(4, [](u32 t) { return t * t * 4; }).worst), std::nullopt);
  EXPECT_EQ(stride_of(site_of(4, [](u32 t) { return t / 8 * 128 + t % 8 * 4; }).worst), std::nullopt);
  EXPECT_EQ(stride_of(site_of(
                          4, [](u32 t) { return t; }, 0x10)
                          .worst),
            std::nullopt);
}

TEST(SectorReason, NothingIsSaidOfFullSectors) {
  EXPECT_FALSE(why(site_of(4, [](u32 t) { return t * 4; })));
  EXPECT_FALSE(why(site_of(4, [](u32) { return 64; })));
  EXPECT_FALSE(why(site_of(16, [](u32 t) { return t * 16; })));
}

TEST(SectorReason, NamesTheCause) {
  const auto is = [](const global_site& s) { return why(s).is; };
  EXPECT_EQ(is(site_of(4, [](u32 t) { return t * 4 + 4; })), sector_problem::misaligned);
  EXPECT_EQ(is(site_of(4, [](u32 t) { return t * 8; })), sector_problem::stride);
  EXPECT_EQ(is(site_of(4, [](u32 t) { return t * 12; })), sector_problem::stride);
  EXPECT_EQ(is(site_of(4, [](u32 t) { return t * 32; })), sector_problem::column);
  EXPECT_EQ(is(site_of(8, [](u32 t) { return 1 << 20 | (31 - t) * 4096; })), sector_problem::column);
  EXPECT_EQ(is(site_of(4, [](u32 t) { return t * 37 % 32 * 64; })), sector_problem::scattered);
}

// The number of sectors after the remedy is for the whole launch.
TEST(SectorReason, CountsWhatTheRemedyLeaves) {
  EXPECT_EQ(why(site_of(4, [](u32 t) { return t * 8; })).leaves, 40u);
  EXPECT_EQ(why(site_of(4, [](u32 t) { return t * 1024; })).leaves, 40u);
  const global_site s = site_of(4, [](u32 t) { return t * 12; });
  EXPECT_EQ(
      remedy_sentence(s, why(s)),
      "place the elements next to each other: use a struct of arrays instead of an array of structs: 40 sectors instead of 120");
}

TEST(SectorReason, MembersOfAStructTouchTheSameSectors) {
  global_site s = site_of(4, [](u32 t) { return t * 16; });
  s.group = {{16, 32, 48, 64}, 64, 16};
  sector_reason r = why(s);
  EXPECT_EQ(r.is, sector_problem::parts);
  EXPECT_NE(r.why.find("4 loads of the warp touch the same sectors: 64 sectors in total, of which only 16 are "
                       "distinct"),
            std::string::npos)
      << r.why;
  EXPECT_NE(r.remedy.find("use one load of 16 bytes for each lane, such as a float4"), std::string::npos) << r.remedy;
  EXPECT_EQ(r.leaves, 40u);  // the 4 instructions share 16 sectors, and the launch has 160 such sectors: 160 / 4
  // There is no load of 12 bytes.
  s = site_of(4, [](u32 t) { return t * 12; });
  s.group = {{16, 32, 48}, 36, 12};
  r = why(s);
  EXPECT_EQ(r.is, sector_problem::parts);
  EXPECT_NE(r.remedy.find("struct of arrays"), std::string::npos) << r.remedy;
  EXPECT_EQ(r.leaves, 40u);
  // The loads of a lane fill a row of 64 bytes. An access of 16 bytes cannot become wider.
  for (const u32 width : {4U, 16U}) {
    s = site_of(width, [](u32 t) { return t * 64; });
    s.group = {std::vector<std::uint64_t>(64 / width, 16), 32 * 64 / width, 64};
    EXPECT_EQ(why(s).remedy.find("load 16 bytes") != std::string::npos, width == 4) << why(s).remedy;
  }
}

// An index from memory: nobody can order the lanes without other data. A row from memory is still read by a thread alone.
TEST(SectorReason, AddressesThatDependOnDataNeedOtherData) {
  global_site scattered = site_of(4, [](u32 t) { return t * 37 % 32 * 64; });
  EXPECT_FALSE(why(scattered).is_of_data);
  scattered.by_data = true;
  EXPECT_TRUE(why(scattered).is_of_data);
  EXPECT_EQ(why(scattered).remedy, "sort the data, so that neighbouring threads access neighbouring elements");

  global_site beginning = site_of(4, [](u32 t) { return 20 + t * 4; });
  EXPECT_FALSE(why(beginning).is_of_data) << "an aligned array";
  beginning.by_data = true;
  EXPECT_TRUE(why(beginning).is_of_data) << "where a block stores depends on the others";

  global_site rows = scattered;
  rows.group = {.pcs = {0, 16, 32, 48, 64, 80, 96, 112}, .sectors = 8 * 32, .distinct_sectors = 32};
  EXPECT_EQ(why(rows).is, sector_problem::parts);
  EXPECT_FALSE(why(rows).is_of_data) << "lanes can share each row";
  EXPECT_EQ(why(rows).leaves, rows.sectors / 8);
}

TEST(SectorReason, LanesOfAnotherAxisAreNeighbours) {
  launch_report l;
  l.block = {8, 8, 4};
  const auto reason = [&](std::uint64_t x, std::uint64_t y) {
    return reason_of(l, site_of(4, [&](u32 t) { return t % 8 * x + t / 8 * y; }));
  };
  EXPECT_NE(reason(4096, 4).remedy.find("exchange threadIdx.x and threadIdx.y"), std::string::npos);
  EXPECT_NE(reason(65536, 4096).remedy.find("exchange threadIdx.x and threadIdx.z"), std::string::npos);
  l.block = {8, 8, 1};
  EXPECT_EQ(reason(65536, 4096).remedy.find("threadIdx"), std::string::npos) << "no axis has neighbours";
}

// Two members of a struct of 32 bytes fill a quarter of each sector.
TEST(SectorReason, OtherMembersOfAStructAreNotRead) {
  global_site s = site_of(4, [](u32 t) { return t * 32; });
  s.group = {{16, 32}, 64, 32};
  const sector_reason some = why(s);
  EXPECT_NE(some.remedy.find("struct of arrays"), std::string::npos) << some.remedy;
  EXPECT_EQ(some.leaves, 40u);
  EXPECT_FALSE(some.exchanges);
  s.group = {{16, 32, 48, 64, 80, 96, 112, 128}, 256, 32};
  EXPECT_TRUE(why(s).exchanges) << "each lane needs its whole row";
}

TEST(SectorReason, LoadsThatRepeatFullSectors) {
  global_site s = site_of(4, [](u32) { return 0; });
  s.group = {{16, 32, 48, 64}, 4, 1};
  EXPECT_EQ(why(s).is, sector_problem::again);
  EXPECT_EQ(why(s).leaves, 3u);  // 10 sectors of the launch / 4 instructions, rounded
  s.kind = global_kind::store;
  EXPECT_FALSE(why(s));
  // The two loads of a stencil access 8 sectors, of which 5 are distinct. That is more than half, so there is no
  // reason.
  s.kind = global_kind::load;
  s.group = {{16, 32}, 8, 5};
  EXPECT_FALSE(why(s));
}

// The instructions load x[t - 4] to x[t + 4]. For any base, most of these loads do not begin at the start of a sector.
TEST(SectorReason, LoadsOfAStencilAreRepeatedRatherThanMisaligned) {
  global_site s = site_of(4, [](u32 t) { return t * 4 + 4; });
  s.group = {{16, 32, 48, 64, 80, 96, 112, 128, 144}, 39, 5};
  EXPECT_EQ(why(s).is, sector_problem::again);
  EXPECT_EQ(why(s).leaves, 6u);  // of 50
  s.kind = global_kind::store;
  EXPECT_EQ(why(s).is, sector_problem::misaligned);
}

TEST(SectorReason, LocalMemoryNamesTheRegisters) {
  global_site s;
  s.kind = global_kind::local_load;
  s.sass = "LDL R3, [R1+0x8]";
  EXPECT_FALSE(why(s));
  s.sectors = 4;
  EXPECT_EQ(why(s).is, sector_problem::local);
  EXPECT_EQ(why(s).leaves, 0u);
  s.in_loop = true;
  const sector_reason r = why(s, 255);
  EXPECT_EQ(r.is, sector_problem::local_in_loop);
  EXPECT_NE(r.why.find("which is the maximum"), std::string::npos) << r.why;
  s.sass = "LDL R3, [R16]";
  EXPECT_FALSE(is_spill(s));
  EXPECT_NE(why(s).why.find("an array with a computed index"), std::string::npos);
}

// Makes a launch with an instruction on each of these lines.
launch_report launch_of(const std::vector<std::pair<std::uint32_t, global_site>>& instructions) {
  launch_report l;
  for (auto [line, s] : instructions) {
    s.file = "a.cu";
    s.line = line;
    s.pc = 16 * l.global_sites.size();
    l.global_sites.push_back(s);
  }
  return l;
}

TEST(SectorLines, FindingsComeBeforeHintsAndTheLargestFirst) {
  const auto aligned = [](u32 lane) { return lane * 4; };
  const auto shifted = [](u32 lane) { return lane * 4 + 4; };
  const auto every_second = [](u32 lane) { return lane * 8; };
  const auto column = [](u32 lane) { return lane * 128; };
  const launch_report l = launch_of({{1, site_of(4, shifted, all_lanes, 1000)},
                                     {2, site_of(4, every_second)},
                                     {3, site_of(4, aligned)},
                                     {4, site_of(4, column)},
                                     {4, site_of(4, column, all_lanes, 20)}});
  const std::vector<costly_sectors> lines = costly_sector_lines(l);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].worst.is, sector_problem::column);
  EXPECT_EQ(lines[0].sites, (std::vector<std::size_t>{4, 3}));
  EXPECT_EQ(lines[0].sectors, 30u * 32);
  EXPECT_EQ(lines[0].left, 30u * 4);
  EXPECT_EQ(lines[1].worst.is, sector_problem::stride);
  EXPECT_EQ(lines[1].saved(), 10u * 4);
  EXPECT_EQ(lines[2].worst.is, sector_problem::misaligned);
  EXPECT_TRUE(is_minor(lines[2].worst.is));
}

TEST(SectorLines, InstructionsWithoutALineAreSeparate) {
  launch_report l = launch_of(
      {{0, site_of(4, [](u32 lane) { return lane * 8; })}, {0, site_of(4, [](u32 lane) { return lane * 8; })}});
  for (global_site& s : l.global_sites) s.file.clear();
  EXPECT_EQ(costly_sector_lines(l).size(), 2u);
}

}  // namespace
}  // namespace bankwise
