// Tests the addresses after --pad and --swizzle.
#include "expr/layout_change.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

flag_values flags(const std::string& name, const std::string& value) { return {{{name, {value}}}}; }

// Returns the new address of byte `address`, or the error.
std::string moved(const flag_values& f, u32 address, u32 width = 4) {
  std::string title;
  const auto change = read_layout(f, title);
  if (!change) return change.error().message;
  access a{ld(width), 1, {address}};
  const auto ok = move_addresses(*change, {a.op, "ld", true}, a);
  return ok ? std::to_string(a.address[0]) : ok.error().message;
}

// Tests the examples in layout_change.hpp.
TEST(LayoutChange, MovesAddresses) {
  EXPECT_EQ(moved(flags("pad", "128:4"), 128), "132");
  EXPECT_EQ(moved(flags("pad", "128:4"), 127, 1), "127");
  EXPECT_EQ(moved(flags("swizzle", "3,4,3"), 128), "144");
  EXPECT_EQ(moved({}, 128), "128");
  // Padding is applied first and changes 128 to 144. Then bit 7 of 144 flips bit 4, and the result is 128.
  EXPECT_EQ(moved({{{"pad", {"128:16"}}, {"swizzle", {"3,4,3"}}}}, 128), "128");
}

TEST(LayoutChange, IsSaidInTheTitle) {
  std::string title;
  ASSERT_TRUE(read_layout({{{"pad", {"1K:16"}}, {"swizzle", {"2,4,3"}}}}, title));
  EXPECT_EQ(title, ", padded 1024:16, swizzled 2,4,3");
}

TEST(LayoutChange, ThatCannotBeIsRefused) {
  for (const char* pad : {"", "128", "0:4", "128:4:4", "128:2M", "x:4"}) {
    std::string title;
    const auto change = read_layout(flags("pad", pad), title);
    ASSERT_FALSE(change) << pad;
    EXPECT_EQ(change.error().flag, "pad");
  }
  for (const char* swizzle : {"", "3,4", "3,4,2", "32,0,32", "8,16,16", "a,b,c"}) {
    std::string title;
    EXPECT_FALSE(read_layout(flags("swizzle", swizzle), title)) << swizzle;
  }
  EXPECT_EQ(moved(flags("pad", "4:4"), 0xfffffff0u), "lane 0: the padded address is beyond 2^32 - 1");
  EXPECT_NE(moved(flags("pad", "128:4"), 128, 8).find("not a multiple of 8"), std::string::npos);
  EXPECT_NE(moved(flags("swizzle", "3,2,3"), 32, 16).find("the swizzle moves the address of this lane to byte 36"),
            std::string::npos);
}

}  // namespace
}  // namespace bankwise
