// main() of the tests. Exit status 77, skipped, is for a program of which nothing else ran: what failed has failed, whatever
// was skipped beside it, and where only some cases were skipped the others count, and it says which and why.
#include <gtest/gtest.h>

#include <cstdio>

namespace {

constexpr int exit_skipped = 77;

void tell_skipped(const testing::TestSuite& suite) {
  for (int i = 0; i < suite.total_test_count(); ++i) {
    const testing::TestInfo& test = *suite.GetTestInfo(i);
    if (!test.should_run() || !test.result()->Skipped()) continue;
    const char* why = "";
    for (int part = 0; part < test.result()->total_part_count(); ++part)
      if (test.result()->GetTestPartResult(part).skipped()) why = test.result()->GetTestPartResult(part).message();
    std::printf("skipped: %s.%s: %s\n", suite.name(), test.name(), why);
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (RUN_ALL_TESTS() != 0) return 1;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) tell_skipped(*all.GetTestSuite(i));
  return all.skipped_test_count() > 0 && all.successful_test_count() == 0 ? exit_skipped : 0;
}
