// Tests which texts report a failure: whole words, in any case, without a denial.
#include "base/failure_words.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

TEST(FailureWords, AreWholeWordsInAnyCase) {
  for (const char* text :
       {"FAIL", "Test FAILED\n", "result: wrong!", "PASS\nMismatch at 3: 1 != 2", "fail:12", "3 failed"})
    EXPECT_TRUE(reports_failure(text)) << text;
  for (const char* text : {"", "PASS", "failure_rate 0.1", "FAILSAFE", "mismatches", "unfail", "wrongly", "fail2"})
    EXPECT_FALSE(reports_failure(text)) << text;
}

TEST(FailureWords, ThatAreDeniedReportASuccess) {
  for (const char* text : {"0 failed", "7 passed, 0 FAILED", "no mismatch", "No wrong values"})
    EXPECT_FALSE(reports_failure(text)) << text;
  EXPECT_TRUE(reports_failure("0 failed, but one is WRONG"));
  EXPECT_TRUE(reports_failure("10 failed"));
  EXPECT_TRUE(reports_failure("seed: 0\nFAILED")) << "a denial is in the same line";
  EXPECT_TRUE(reports_failure("errors: 0, FAILED"));
}

}  // namespace
}  // namespace bankwise
