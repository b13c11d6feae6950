// Tests the names of settings in each front end: flags on the command line, arguments in Python.
#include "base/setting.hpp"

#include <gtest/gtest.h>

#include "base/flag_values.hpp"

namespace bankwise {
namespace {

// While this value exists, settings have Python's names. Other tests expect flags.
struct in_python {
  in_python() { speak(wording::python); }
  ~in_python() { speak(wording::flags); }
};

TEST(Setting, IsAFlagOfTheCommandLine) {
  EXPECT_EQ(worded(setting::fix), "--fix");
  EXPECT_EQ(worded(setting::total_budget), "--total-budget");
  EXPECT_EQ(worded(setting::let, "pitch=33"), "--let pitch=33");
  EXPECT_EQ(worded(setting::array, "float s[32]"), "--array 'float s[32]'");
  EXPECT_EQ(spelled("choose an architecture, such as {arch=sm_100} or {arch=RTX 5090}"),
            "choose an architecture, such as --arch sm_100 or --arch 'RTX 5090'");
}

TEST(Setting, IsAnArgumentInPython) {
  const in_python words;
  EXPECT_EQ(worded(setting::fix), "fix=True");
  EXPECT_EQ(worded(setting::total_budget), "total_budget");
  EXPECT_EQ(worded(setting::let, "pitch=33"), "let={\"pitch\": 33}");
  EXPECT_EQ(worded(setting::let, "row=t / 4"), "let={\"row\": \"t / 4\"}");
  EXPECT_EQ(worded(setting::array, "float s[32]"), "array=\"float s[32]\"");
  EXPECT_EQ(worded(setting::swizzle, "3,4,3"), "swizzle=(3, 4, 3)");
  EXPECT_EQ(worded(setting::width, "16"), "width=16");
  EXPECT_EQ(worded(setting::grid, "X,Y,Z"), "grid=\"X,Y,Z\"");
  EXPECT_EQ(spelled("bankwise run {faults=stop} ends it"), "bankwise run faults=\"stop\" ends it");
}

TEST(Setting, NamesFollowTheEnumerators) {
  EXPECT_EQ(name_of(setting::all), "all");
  EXPECT_EQ(name_of(setting::let), "let");
  EXPECT_EQ(name_of(setting::swizzle), "swizzle");
  EXPECT_EQ(name_of(setting::zfill), "zfill");
}

TEST(Setting, AnyFlagHasAName) {
  EXPECT_EQ(worded_name("device-name"), "--device-name");
  flag_values flags;
  flags.values["launch-skip"] = {"many"};
  EXPECT_EQ(number(flags, "launch-skip", 0, 0, 9).error().message, "--launch-skip many: expected a number from 0 to 9");
  const in_python words;
  EXPECT_EQ(number(flags, "launch-skip", 0, 0, 9).error().message, "launch_skip many: expected a number from 0 to 9");
}

TEST(Setting, ASentenceWithoutPlacesStays) {
  EXPECT_EQ(spelled("the newest known architecture is sm_121"), "the newest known architecture is sm_121");
  EXPECT_EQ(spelled("an open { stays"), "an open { stays");
}

}  // namespace
}  // namespace bankwise
