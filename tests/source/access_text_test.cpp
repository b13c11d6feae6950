// Tests how accesses that a user writes are split into their parts.
#include "source/access_text.hpp"

#include <gtest/gtest.h>

namespace bankwise::source {
namespace {

// Tests the example in access_text.hpp.
TEST(AccessText, HasItsParts) {
  const auto a = cut_access("load * 4: ld.b64 tile[i][t] where t < 16 for i < 8", {});
  ASSERT_TRUE(a) << to_text(a.error());
  EXPECT_EQ(a->name, "load");
  EXPECT_EQ(a->weight, 4u);
  EXPECT_EQ(a->op, "ld.b64");
  EXPECT_EQ(a->expression, "tile[i][t]");
  EXPECT_EQ(a->where, "t < 16");
  ASSERT_EQ(a->loops.size(), 1u);
  EXPECT_EQ(a->loops[0].name, "i");
  EXPECT_EQ(a->loops[0].count, 8);
}

TEST(AccessText, MayBeAnExpressionAlone) {
  const auto a = cut_access("t < 4 ? a[t] : a[0]", {});
  ASSERT_TRUE(a) << to_text(a.error());
  EXPECT_EQ(a->name, "");
  EXPECT_EQ(a->op, "");
  EXPECT_EQ(a->expression, "t < 4 ? a[t] : a[0]");
  EXPECT_EQ(cut_access("a[fortune]", {})->loops.size(), 0u);  // here, "for" is a part of a longer word
}

TEST(AccessText, CountsMayBeConstants) {
  expr::scope names;
  names.constants["n"] = 3;
  const auto a = cut_access("x * n: a[i][j] for i < n, j < 2", names);
  ASSERT_TRUE(a) << to_text(a.error());
  EXPECT_EQ(a->weight, 3u);
  ASSERT_EQ(a->loops.size(), 2u);
  EXPECT_EQ(a->loops[0].count, 3);
}

TEST(AccessText, ErrorsPointAtTheirPart) {
  const auto at = [](const std::string& text) { return cut_access(text, {}).error().where.column; };
  EXPECT_EQ(at("x * 0: a[t]"), 5u);
  EXPECT_EQ(at("a[t] for i < 0"), 10u);
  EXPECT_EQ(at("a[t] for t < 2"), 10u);
  EXPECT_EQ(at("a[t] for i < 2, i < 3"), 17u);
  EXPECT_EQ(cut_access("x:", {}).error().message, "the access has no expression");
}

}  // namespace
}  // namespace bankwise::source
