// Tests the map of an array's elements: compares the bank and the lanes of each element with explain's answers about
// single elements.
#include "report/picture/tile_map.hpp"

#include <gtest/gtest.h>

#include <set>

#include "expr/question.hpp"

namespace bankwise {
namespace {

using flags = std::map<std::string, std::vector<std::string>, std::less<>>;

tile_map mapped(const std::string& text, flags f) {
  auto m = map_tile({std::move(f)}, text, "");
  EXPECT_TRUE(m) << to_text(m.error());
  return *m;
}

// The example in tile_map.hpp, without and with padding.
TEST(TileMap, AColumnLiesInOneBankOrInAll) {
  for (const auto& [pad, banks] : {std::pair("", 1u), std::pair("128:4", 32u)}) {
    flags f{{"array", {"float tile[32][32]"}}};
    if (*pad != 0) f["pad"] = {pad};
    const tile_map m = mapped("tile[t][0]", f);
    std::set<u32> column;
    for (u32 row = 0; row < 32; ++row) column.insert(m.bank[row * 32]);
    EXPECT_EQ(column.size(), banks);
    for (u32 i = 0; i < 1024; ++i) EXPECT_EQ(m.lanes[i], i % 32 == 0 ? 1u << i / 32 : 0u);
  }
}

// Compares each byte with explain's answer about its element, for layouts of every kind.
TEST(TileMap, LiesWhereTheRuleIsAsked) {
  for (const flags& f : {flags{{"array", {"char a[3]", "half tile[8][64]"}}, {"swizzle", {"3,4,3:bytes"}}},
                         flags{{"array", {"half tile Swizzle<3,3,3> o (8,64):(64,1)"}}},
                         flags{{"array", {"half tile ((2,4),(8,8)):((1,16),(2,64))"}}, {"pad", {"64:16"}}}}) {
    const tile_map m = mapped("tile[t % 8][t]", f);
    ASSERT_EQ(m.rows * m.columns, 512u);
    for (const u32 row : {0u, 3u, 7u})
      for (u32 column = 0; column < 64; column += 9) {
        const auto q = read_question({f}, "tile[" + std::to_string(row) + "][" + std::to_string(column) + " + 0 * t]");
        ASSERT_TRUE(q);
        EXPECT_EQ(m.byte[row * 64 + column], q->what.address[0]);
      }
    for (u32 lane = 0; lane < 32; ++lane) EXPECT_EQ(m.lanes[lane % 8 * 64 + lane] >> lane & 1, 1u) << lane;
  }
}

TEST(TileMap, WideLanesWantSeveralElements) {
  const tile_map m = mapped("&a[t * 4]", {{"array", {"float a[200]"}}, {"width", {"16"}}});
  EXPECT_EQ(m.rows, 7u);  // of 32 banks
  for (u32 i = 0; i < 200; ++i) EXPECT_EQ(m.lanes[i], i < 128 ? 1u << i / 4 : 0u);
}

TEST(TileMap, IsCutAndRefused) {
  const tile_map m = mapped("a[t][0]", {{"array", {"char a[4096][100]"}}, {"op", {"ld"}}});
  EXPECT_EQ(m.rows, 4096u);
  EXPECT_EQ(m.bank.size(), 16300u);
  EXPECT_FALSE(map_tile({flags{{"type", {"float"}}}}, "t", ""));
  EXPECT_FALSE(map_tile({flags{{"array", {"float a[2][99999]"}}}}, "a[0][t]", ""));
}

}  // namespace
}  // namespace bankwise
