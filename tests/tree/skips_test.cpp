// Checks main() of the tests: a skipped case does not hide the failure of another case. Runs cases of this program.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "support/files.hpp"

namespace {

namespace test = bankwise::test;

TEST(Skips, DISABLED_Passes) {}
TEST(Skips, DISABLED_Skips) { GTEST_SKIP() << "no such machine"; }
TEST(Skips, DISABLED_Fails) { FAIL(); }
TEST(Skips, DISABLED_FailsAndSkips) {
  ADD_FAILURE();
  GTEST_SKIP();
}

struct outcome {
  int status = -1;
  std::string output;
};

outcome run_command(const std::string& command) {
  std::FILE* p = popen(command.c_str(), "r");
  outcome result;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, p)) result.output.append(buffer, n);
  const int status = pclose(p);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}
// Runs this program with some of the cases above.
outcome run(const std::string& cases) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  return run_command("'" + program + "' --gtest_brief=1 --gtest_also_run_disabled_tests --gtest_filter=" + cases);
}

TEST(Skips, CountOnlyWhereNothingElseRan) {
  EXPECT_EQ(run("*DISABLED_Skips").status, 77);
  EXPECT_EQ(run("*DISABLED_Passes").status, 0);
  EXPECT_EQ(run("*DISABLED_Skips:*DISABLED_Passes").status, 0);
}

// ctest runs this script instead of a test that this machine or build cannot run.
TEST(Skips, OfWholeTestsAreCountedAndSayWhy) {
  const outcome skipped = run_command("'" + test::source_path("tests/support/skip") + "' no such machine");
  EXPECT_EQ(skipped.status, 77);
  EXPECT_EQ(skipped.output, "skipped: no such machine\n");
}

TEST(Skips, HideNoFailure) {
  EXPECT_EQ(run("*DISABLED_Skips:*DISABLED_Fails").status, 1);
  EXPECT_EQ(run("*DISABLED_FailsAndSkips").status, 1);
}

TEST(Skips, AreNamed) {
  for (const char* cases : {"*DISABLED_Skips", "*DISABLED_Skips:*DISABLED_Passes"})
    EXPECT_NE(run(cases).output.find("skipped: Skips.DISABLED_Skips: no such machine"), std::string::npos) << cases;
}

}  // namespace
