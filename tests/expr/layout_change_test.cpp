// Tests the addresses after --pad and --swizzle.
#include "expr/layout_change.hpp"

#include <gtest/gtest.h>

#include "bankwise/wavefronts.hpp"
#include "expr/question.hpp"

namespace bankwise {
namespace {

flag_values flags(const std::string& name, const std::string& value) { return {{{name, {value}}}}; }

// Returns the new address of byte `address`, or the error.
std::string moved(const flag_values& f, u32 address, u32 width = 4) {
  std::string title;
  const auto change = read_layout(f, {}, "t * 4", title);
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
  ASSERT_TRUE(read_layout({{{"pad", {"1K:16"}}, {"swizzle", {"2,4,3"}}}}, {}, "t * 4", title));
  EXPECT_EQ(title, ", padded 1024:16, swizzled 2,4,3");
}

// Wavefronts of a column of float s[32][32], with swizzles of elements and of bytes.
TEST(LayoutChange, PermutesElementsOfAnArrayThatTheQuestionNames) {
  const auto asked = [](const std::string& array, const std::string& swizzle, const std::string& text) {
    const auto q = read_question({{{"array", {array}}, {"swizzle", {swizzle}}}}, text, "");
    return q ? std::to_string(wavefronts(q->what, q->on.model)) + q->title.substr(text.size()) : q.error().message;
  };
  const std::string floats = "float s[32][32]";
  EXPECT_EQ(asked(floats, "5,0,5", "s[t][0]"), "1, swizzled 5,0,5 over elements of float");
  EXPECT_EQ(asked(floats, "3,0,5", "s[t][0]"), "4, swizzled 3,0,5 over elements of float");
  EXPECT_EQ(asked(floats, "2,0,5:elements", "s[t][0]"), "8, swizzled 2,0,5 over elements of float");
  EXPECT_EQ(asked(floats, "5,2,5:bytes", "s[t][0]"), "1, swizzled 5,2,5 over bytes");
  EXPECT_EQ(asked(floats, "5,2,5", "t * 128"), "1, swizzled 5,2,5");
  // An array that begins after another array counts its own elements.
  EXPECT_EQ(asked("float c[3], s[32][32]", "5,0,5", "s[t][0]"), asked(floats, "5,0,5", "s[t][0]"));
  EXPECT_NE(asked(floats, "5,0,5", "*(float4*)&s[t][0]").find("the swizzle moves"), std::string::npos);
  EXPECT_NE(asked("e2m1 s[32][64]", "5,0,5", "s[t][0]").find("would move parts of bytes"), std::string::npos);
}

TEST(LayoutChange, ThatCannotBeIsRefused) {
  for (const char* pad : {"", "128", "0:4", "128:4:4", "128:2M", "x:4"}) {
    std::string title;
    const auto change = read_layout(flags("pad", pad), {}, "t * 4", title);
    ASSERT_FALSE(change) << pad;
    EXPECT_EQ(change.error().flag, "pad");
  }
  for (const char* swizzle :
       {"", "3,4,3:", "3,4,3:words", "3,4,3:elements", "3,4", "3,4,2", "32,0,32", "8,16,16", "a,b,c"}) {
    std::string title;
    EXPECT_FALSE(read_layout(flags("swizzle", swizzle), {}, "t * 4", title)) << swizzle;
  }
  EXPECT_EQ(moved(flags("pad", "4:4"), 0xfffffff0u), "lane 0: the padded address is beyond 2^32 - 1");
  EXPECT_NE(moved(flags("pad", "128:4"), 128, 8).find("not a multiple of 8"), std::string::npos);
  EXPECT_NE(moved(flags("swizzle", "3,2,3"), 32, 16).find("the swizzle moves the address of this lane to byte 36"),
            std::string::npos);
}

}  // namespace
}  // namespace bankwise
