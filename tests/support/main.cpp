// main() of a folder's tests, which are one program. If the program is called by the name of a test file (a link to the
// program), it runs the tests of this file, as far as --gtest_filter selects them. Exit status 77 (skipped) means that
// all cases were skipped. If only some cases were skipped, the other cases determine the exit status, and the program
// prints each skipped case with the reason.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

constexpr int exit_skipped = 77;

std::string_view stem_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return path.substr(0, path.find('.'));
}

// Returns whether a name matches one of these patterns. Colons separate the patterns.
bool is_named(std::string_view patterns, const std::string& name) {
  while (!patterns.empty()) {
    const std::size_t end = patterns.find(':');
    const std::string one(patterns.substr(0, end));
    if (fnmatch(one.c_str(), name.c_str(), 0) == 0) return true;
    patterns = end == std::string_view::npos ? std::string_view() : patterns.substr(end + 1);
  }
  return false;
}

// Returns whether a name matches a filter in GoogleTest's syntax: patterns to include, then '-' and patterns to
// exclude.
bool passes(std::string_view filter, const std::string& name) {
  const std::size_t dash = filter.find('-');
  std::string_view wanted = filter.substr(0, dash);
  if (wanted.empty()) wanted = "*";
  return is_named(wanted, name) && (dash == std::string_view::npos || !is_named(filter.substr(dash + 1), name));
}

// If the program was started by the name of a test file, selects the tests of this file. Otherwise, the filter selects
// the tests.
void keep_file(std::string_view file) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const std::string given = testing::GTEST_FLAG(filter);
  std::string kept;
  bool is_there = false;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (stem_of(test.file()) != file) continue;
      is_there = true;
      const std::string name = std::string(suite.name()) + "." + test.name();
      if (passes(given, name)) kept += name + ":";
    }
  }
  if (is_there) testing::GTEST_FLAG(filter) = kept.empty() ? "-*" : kept;
}

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
  keep_file(stem_of(argv[0]));
  if (RUN_ALL_TESTS() != 0) return 1;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) tell_skipped(*all.GetTestSuite(i));
  return all.skipped_test_count() > 0 && all.successful_test_count() == 0 ? exit_skipped : 0;
}
