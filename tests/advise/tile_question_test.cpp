// Tests questions about a declared array, in the form of the command line.
#include "advise/tile_question.hpp"

#include <gtest/gtest.h>

namespace bankwise::advise {
namespace {

TEST(TileQuestion, HasAnAccessForEveryWarpAndTurn) {
  const flag_values flags{{{"array", {"half A[64][64]"}}, {"block", {"128"}}}};
  const auto tiles = read_tiles(flags, {"store: cp.async.16 A[i * 16 + tid / 8][tid % 8 * 8] for i < 4",
                                        "load * 8: ldmatrix.x4 A[t % 16][t / 16 * 8]"});
  ASSERT_TRUE(tiles) << to_text(tiles.error());
  ASSERT_EQ(tiles->size(), 1u);
  const problem& p = tiles->front().what;
  EXPECT_EQ(p.bytes, 64u * 64 * 2);
  EXPECT_EQ(p.pitch_bytes, 128u);
  ASSERT_EQ(p.groups.size(), 2u);
  EXPECT_EQ(p.groups[1].name, "load");
  EXPECT_EQ(p.accesses.size(), 4u * 4 + 4);  // each access is executed by four warps
  EXPECT_EQ(p.accesses.back().weight, 8u);
  EXPECT_EQ(p.accesses[1].what.address[0], (32u / 8) * 128);  // warp 1 begins at row 4 of the array
}

TEST(TileQuestion, ArraysAreTiles) {
  const flag_values flags{{{"array", {"float a[32]", "float b[32]", "float unused[8]"}}}};
  const auto tiles = read_tiles(flags, {"st b[t]", "ld a[t]"});
  ASSERT_TRUE(tiles) << to_text(tiles.error());
  ASSERT_EQ(tiles->size(), 2u);
  EXPECT_EQ(tiles->at(0).array.name, "a");
  EXPECT_EQ(tiles->at(1).what.accesses[0].what.address[1], 4u);  // the offset is relative to the start of b
}

TEST(TileQuestion, WithoutADeclarationAddressesAreBytes) {
  const auto tiles = read_tiles({}, {"t * 8 where t < 4"});
  ASSERT_TRUE(tiles) << to_text(tiles.error());
  EXPECT_EQ(tiles->front().what.bytes, 28u);
  EXPECT_EQ(tiles->front().what.accesses[0].what.mask, 0xfu);
}

TEST(TileQuestion, ErrorsShowTheWholeAccess) {
  const flag_values flags{{{"array", {"float a[32]"}}}};
  const auto past = read_tiles(flags, {"ld a[t + 1]"});
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().message, "the index of lane 31 is outside the declared extents of the array");
  EXPECT_EQ(past.error().where.source_line, "ld a[t + 1]");
  EXPECT_EQ(past.error().where.column, 4u);
  EXPECT_EQ(read_tiles(flags, {"ld a[tt]"}).error().where.column, 6u);
  EXPECT_EQ(read_tiles(flags, {"ld.b64 a[t]"}).error().hint,
            "the hardware faults on a misaligned address: an access of 8 bytes must start at a multiple of 2 elements of "
            "a, such as a[2 "
            "* t]. Or access one element: "
            "--width 4");
  EXPECT_FALSE(read_tiles(flags, {"ld a[t] where t > 40"}));  // no lane executes this access
}

}  // namespace
}  // namespace bankwise::advise
