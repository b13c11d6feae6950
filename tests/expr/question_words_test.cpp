// Tests how a question is turned back into words of the command line.
#include "expr/question_words.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// Tests the example in question_words.hpp.
TEST(QuestionWords, AreACommandLineToCopy) {
  const flag_values flags{{{"op", {"ld.b64"}}}};
  EXPECT_EQ(command_line(flags, "t * 8"), "bankwise explain --op ld.b64 't * 8'");
  const std::vector<std::pair<std::string, std::string>> words = {{"op", "ld.b64"}, {"expr", "t * 8"}};
  EXPECT_EQ(question_words(flags, "t * 8"), words);
}

TEST(QuestionWords, AreQuotedForAShell) {
  EXPECT_EQ(command_line({}, "-t"), "bankwise explain -- -t");
  EXPECT_EQ(command_line({{{"where", {"t != 'a"}}}}, "t"), R"(bankwise explain --where 't != '\''a' t)");
  EXPECT_EQ(command_line({{{"zfill", {""}}}}, "t"), "bankwise explain --zfill t");
}

TEST(QuestionWords, PhasesArePartOfTheMachinesName) {
  EXPECT_EQ(command_line({{{"arch", {"32x4"}}, {"phases", {"32,16,8"}}}}, "t"),
            "bankwise explain --arch 32x4:32,16,8 t");
}

TEST(QuestionWords, TellListsFromExpressions) {
  EXPECT_EQ(question_words({}, "0,4").back().first, "addresses");
  EXPECT_EQ(question_words({}, "t").back().first, "expr");
  EXPECT_EQ(question_words({}, "12", true).back().first, "addresses");
}

TEST(QuestionWords, AreOfQuestionsAlone) {
  EXPECT_TRUE(is_question_flag("swizzle"));
  EXPECT_FALSE(is_question_flag("format"));
}

}  // namespace
}  // namespace bankwise
