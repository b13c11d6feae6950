// Tests patches: the changed lines, three lines of context, and line numbers. `git apply` accepts the patches.
#include "base/text_change.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

TEST(TextChange, IsMadeInOrder) {
  std::vector<text_change> changes = {{4, 5, "BB"}, {0, 1, "A"}, {4, 5, "BB"}};
  ASSERT_TRUE(in_order(changes));
  EXPECT_EQ(changed("a b c", changes), "A b BB");
  changes = {{0, 3, "x"}, {2, 4, "y"}};
  EXPECT_FALSE(in_order(changes));
  changes = {{2, 2, "x"}, {2, 2, "y"}};
  EXPECT_FALSE(in_order(changes));
}

TEST(TextChange, OneLineIsAPatchWithThreeAroundIt) {
  EXPECT_EQ(unified_patch("a.cu", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", {{8, 9, "five"}}),
            "--- a/a.cu\n+++ b/a.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_patch("a.cu", "1\n2\n", {}), "");
}

TEST(TextChange, FarLinesAreHunksOfTheirOwnAndCountWhatCameBefore) {
  EXPECT_EQ(unified_patch("d/a.cu", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", {{0, 1, "0\n1"}, {18, 20, "ten"}}),
            "--- a/d/a.cu\n+++ b/d/a.cu\n"
            "@@ -1,4 +1,5 @@\n-1\n+0\n+1\n 2\n 3\n 4\n"
            "@@ -7,4 +8,4 @@\n 7\n 8\n 9\n-10\n+ten\n");
}

TEST(TextChange, TheLastLineMayHaveNoEnd) {
  EXPECT_EQ(
      unified_patch("a", "x\ny", {{2, 3, "z"}}),
      "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+z\n\\ No newline at end of file\n");
}

TEST(TextChange, EndsOfLinesStayAsTheyAre) {
  EXPECT_EQ(unified_patch("a", "x\r\ny\r\n", {{0, 1, "z"}}), "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\r\n+z\r\n y\r\n");
}

}  // namespace
}  // namespace bankwise
