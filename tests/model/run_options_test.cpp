// Tests the rows of run_options.def: each option reaches a started program unchanged.
#include "model/run_options.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace bankwise {
namespace {

run_options through_environment(const run_options& o) {
  const auto list = environment_of(o);
  const std::map<std::string, std::string> variables(list.begin(), list.end());
  EXPECT_EQ(variables.size(), list.size());
  return options_of_environment(
      [&](const char* name) {
        const auto it = variables.find(name);
        return it == variables.end() ? nullptr : it->second.c_str();
      },
      [](const char* name, const char* value) { ADD_FAILURE() << name << "=" << value; });
}

TEST(RunOptions, TellNothingOfWhatNobodyAskedFor) { EXPECT_TRUE(environment_of({}).empty()); }

// Each option changes only its own environment variable.
TEST(RunOptions, ReachTheProgram) {
  std::set<std::string> names;
  const auto expect = [&](const char* name, const char* variable, const run_options& given) {
    const auto told = environment_of(given);
    ASSERT_EQ(told.size(), 1u) << name;
    EXPECT_EQ(told[0].first, variable) << name;
    EXPECT_TRUE(names.insert(variable).second) << name;
    EXPECT_EQ(environment_of(through_environment(given)), told) << name;
  };
#define SWITCH(name, flag, variable, meaning) \
  {                                           \
    run_options o;                            \
    o.name = true;                            \
    expect(#name, variable, o);               \
    EXPECT_TRUE(through_environment(o).name); \
  }
#define NUMBER(type, name, least, most, word, flag, variable, meaning) \
  for (const type n : {type{least == 0 ? 1 : least}, type{most}}) {    \
    run_options o;                                                     \
    o.name = n;                                                        \
    names.erase(variable);                                             \
    expect(#name, variable, o);                                        \
    EXPECT_EQ(through_environment(o).name, n);                         \
  }
#define SECONDS(name, flag, variable, meaning)                               \
  {                                                                          \
    run_options o;                                                           \
    o.name = std::chrono::milliseconds(1500);                                \
    expect(#name, variable, o);                                              \
    EXPECT_EQ(through_environment(o).name, std::chrono::milliseconds(1500)); \
  }
#define TEXT(name, flag, variable, meaning)              \
  {                                                      \
    run_options o;                                       \
    o.name = "some text";                                \
    expect(#name, variable, o);                          \
    EXPECT_EQ(through_environment(o).name, "some text"); \
  }
#include "model/run_options.def"
}

TEST(RunOptions, WhatIsNoNumberIsToldAndIgnored) {
  std::string told;
  const run_options o = options_of_environment(
      [](const char* name) { return std::string(name) == run_variable::budget ? "many" : nullptr; },
      [&](const char* name, const char* value) { told = std::string(name) + "=" + value; });
  EXPECT_EQ(told, "BANKWISE_BUDGET=many");
  EXPECT_EQ(o.budget, 0u);
}

// The test passes a number outside the range that the flag accepts.
TEST(RunOptions, NumbersAreCutToWhatTheirFlagsTake) {
  const run_options o = options_of_environment(
      [](const char* name) { return std::string(name) == run_variable::threads ? "99999" : nullptr; },
      [](const char*, const char*) {});
  EXPECT_EQ(o.threads, 1024u);
}

}  // namespace
}  // namespace bankwise
