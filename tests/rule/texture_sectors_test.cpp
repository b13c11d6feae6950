// Compares requests, sectors and lines of textures and surfaces with the counters of an H100
// (data/sm_90/texture_patterns.csv.zst).
#include "bankwise/texture_sectors.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <vector>

#include "support/files.hpp"
#include "support/table.hpp"

namespace bankwise {
namespace {

lane_texel texel_of_array(u32 lane, u32 byte, u32 row, u32 image = 0) {
  return {.lane = lane, .order = texel_order::array, .image = image, .byte = byte, .row = row};
}

TEST(TextureSectors, AreThoseOfTheExamples) {
  std::vector<lane_texel> linear, row, column;
  for (u32 t = 0; t < lanes_per_warp; ++t) {
    linear.push_back({.lane = t, .byte = t * 4});
    row.push_back(texel_of_array(t, t * 4, 0));
    column.push_back(texel_of_array(t, 0, t));
  }
  const auto seen = [](const std::vector<lane_texel>& texels, u32 lanes) {
    const texture_cost c = cost_of_texels(full_mask, texels.data(), static_cast<u32>(texels.size()), 4, lanes);
    return std::array<u32, 5>{c.requests, c.sectors, c.sectors_ideal, c.tag_requests, c.bytes};
  };
  EXPECT_EQ(seen(linear, 8), (std::array<u32, 5>{4, 4, 4, 4, 128}));
  EXPECT_EQ(seen(row, 4), (std::array<u32, 5>{8, 8, 8, 8, 128}));
  EXPECT_EQ(seen(column, 4), (std::array<u32, 5>{8, 16, 8, 8, 128}));
}

TEST(TextureSectors, DoNotCountLanesOutsideTheMask) {
  std::vector<lane_texel> texels;
  for (u32 t = 0; t < lanes_per_warp; ++t) texels.push_back(texel_of_array(t, t * 16, 0));
  const texture_cost c = cost_of_texels(0x80000001, texels.data(), lanes_per_warp, 4, 4);
  EXPECT_EQ(c.requests, 2u);
  EXPECT_EQ(c.sectors, 2u);
  EXPECT_EQ(c.bytes, 8u);
  EXPECT_EQ(cost_of_texels(0, texels.data(), lanes_per_warp, 4, 4).requests, 0u);
}

struct place {
  u32 x = 0, y = 0, z = 0;
};

// Returns the texels that a lane reads. A linear filter and a gather read four texels at integer coordinates.
std::vector<place> places_of(const std::string& access, const place& at) {
  if (access != "pitch_lin_f1" && access != "tex2_lin_f1" && access != "gather_f1") return {at};
  std::vector<place> all;
  for (u32 n = 0; n < 4; ++n) all.push_back({at.x + n % 2, at.y + n / 2, at.z});
  return all;
}

TEST(TextureSectors, AreThoseOfAnH100) {
  const std::string file = "data/sm_90/texture_patterns.csv.zst";
  int rows = 0;
  for (const test::table_row& row : test::read_table(test::read_zstd(test::source_path(file)), file)) {
    const std::string access = row.at("access");
    const auto bytes = static_cast<u32>(std::stoul(row.at("texel_bytes")));
    const auto pitch = std::stoull(row.at("pitch"));
    const bool is_linear = access.starts_with("fetch"), is_surface = access.starts_with("sread");
    std::vector<lane_texel> texels;
    std::istringstream coordinates(row.at("coordinates"));
    std::string one;
    for (u32 lane = 0; coordinates >> one; ++lane) {
      place at;
      ASSERT_EQ(std::sscanf(one.c_str(), "%u:%u:%u", &at.x, &at.y, &at.z), 3) << one;
      for (const place& p : places_of(access, at)) {
        lane_texel t = texel_of_array(lane, p.x * bytes, p.y, p.z);
        if (is_linear) t.order = texel_order::linear;
        if (access.starts_with("pitch")) t.order = texel_order::pitched, t.row_bytes = t.byte, t.byte += p.y * pitch;
        texels.push_back(t);
      }
    }
    const auto mask = static_cast<u32>(std::stoul(row.at("mask"), nullptr, 16));
    const texture_cost c = cost_of_texels(mask, texels.data(), static_cast<u32>(texels.size()), bytes,
                                          (is_linear || is_surface) && bytes <= 8 ? 8 : 4);
    EXPECT_EQ(std::to_string(c.requests), row.at("requests")) << access << " " << row.at("coordinates");
    EXPECT_EQ(std::to_string(c.sectors), row.at("sectors")) << access << " " << row.at("coordinates");
    EXPECT_EQ(std::to_string(c.tag_requests), row.at("set_accesses")) << access << " " << row.at("coordinates");
    EXPECT_LE(c.sectors_ideal, c.sectors);
    ++rows;
  }
  EXPECT_EQ(rows, 402);
}

}  // namespace
}  // namespace bankwise
