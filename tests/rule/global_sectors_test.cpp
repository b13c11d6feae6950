// Compares lines and sectors of global memory with the counts of an H100 (data/sm_90/global_patterns.csv.zst).
#include "bankwise/global_sectors.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <sstream>

#include "support/files.hpp"
#include "support/table.hpp"

namespace bankwise {
namespace {

global_access floats(unsigned long long (*address)(u32 lane)) {
  global_access a{.mask = ~0u};
  for (u32 i = 0; i < lanes_per_warp; ++i) a.addresses[i] = address(i);
  return a;
}

TEST(GlobalSectors, AreThoseOfTheExamples) {
  const auto seen = [](unsigned long long (*address)(u32)) {
    const global_cost c = cost_of(floats(address));
    return std::array<u32, 3>{c.tag_requests, c.sectors, c.sectors_ideal};
  };
  EXPECT_EQ(seen([](u32 t) { return t * 4ull; }), (std::array<u32, 3>{1, 4, 4}));
  EXPECT_EQ(seen([](u32 t) { return t * 4ull + 4; }), (std::array<u32, 3>{2, 5, 4}));
  EXPECT_EQ(seen([](u32 t) { return t * 8ull; }), (std::array<u32, 3>{2, 8, 4}));
  EXPECT_EQ(seen([](u32 t) { return t * 128ull; }), (std::array<u32, 3>{32, 32, 4}));
  EXPECT_EQ(seen([](u32) { return 0ull; }), (std::array<u32, 3>{1, 1, 1}));
  EXPECT_EQ(cost_of(global_access{}).sectors, 0u);
}

u32 width_of(const std::string& access) {
  if (access.starts_with("cpg") || access == "redv4") return 16;
  if (access == "redh2") return 4;
  u32 bits = 0;
  const char* digits = access.data() + access.find_last_not_of("0123456789") + 1;
  std::from_chars(digits, access.data() + access.size(), bits);
  return access.starts_with("cp") ? bits : bits / 8;
}

TEST(GlobalSectors, AreThoseOfAnH100) {
  const std::string file = "data/sm_90/global_patterns.csv.zst";
  int page_rows = 0, counter_rows = 0;
  for (const test::table_row& row : test::read_table(test::read_zstd(test::source_path(file)), file)) {
    const std::string access = row.at("access");
    global_access a{.mask = static_cast<u32>(std::stoul(row.at("mask"), nullptr, 16)), .width_bytes = width_of(access)};
    std::istringstream offsets(row.at("offsets"));
    for (auto& address : a.addresses) offsets >> address;
    const bool is_atomic = access.starts_with("atom") || access.starts_with("cas") || access.starts_with("red");
    const global_cost hardware = cost_of(a);
    if (!row.at("counter_sectors").empty() && !is_atomic) {
      EXPECT_EQ(std::to_string(hardware.sectors), row.at("counter_sectors")) << access << " " << row.at("mask");
      EXPECT_EQ(row.at("counter_requests"), "1");
      ++counter_rows;
    }
    a.past_l1 = access.starts_with("cpg");
    for (u32 i = 0; i < lanes_per_warp; ++i) a.to[i] = i * piece_bytes;  // the destinations of the copies in the probe
    const global_cost page = cost_of(a);
    if (row.at("page_tag_requests").empty()) continue;
    EXPECT_EQ(std::to_string(page.tag_requests), row.at("page_tag_requests")) << access << " " << row.at("mask");
    // For a cp.async.cg with a guard, the source page assumes that either all lanes or no lanes are active.
    if (a.past_l1 && row.at("lanes_off_by") == "guard") continue;
    EXPECT_EQ(std::to_string(page.sectors), row.at("page_sectors")) << access << " " << row.at("mask");
    EXPECT_EQ(std::to_string(page.sectors_ideal), row.at("page_ideal")) << access << " " << row.at("mask");
    ++page_rows;
  }
  EXPECT_GT(page_rows, 1500);
  EXPECT_GT(counter_rows, 900);
}

}  // namespace
}  // namespace bankwise
