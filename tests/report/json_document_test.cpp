// Reads JSON texts: all values, one element of a list at a time, and texts that are too deep, too full or no JSON.
#include "report/json/syntax/json_document.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bankwise {
namespace {

using state = json_document::state;

state state_of(const std::string& text) { return json_document(text).is(); }

TEST(JsonDocument, KeepsEveryValue) {
  const json_document all(
      R"({"a": [1, -2, 0, -0, 3.25, 1e3, 18446744073709551615, 18446744073709551616], "b": {"c": null, "d": [[], {}]},
          "e": true, "f": false, "g": "\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00", "h": {"x": 1, "x": 2}, "": ""})");
  ASSERT_EQ(all.is(), state::valid);
  EXPECT_EQ(text_of(all.root()),
            R"({"":"","a":[1,-2,0,0,3.25,1000.0,18446744073709551615,1.8446744073709552e+19],)"
            R"("b":{"c":null,"d":[[],{}]},"e":true,"f":false,"g":"\"\\/\b\f\n\r\tAé€😀","h":{"x":2}})");
  EXPECT_EQ(all.root().find("h")->find("x")->number(), 2u);  // the last value counts
  EXPECT_EQ(all.root().find("a")->size(), 8u);
  EXPECT_DOUBLE_EQ((*all.root().find("a"))[1].real(), -2);
  EXPECT_EQ(all.root().find("i"), nullptr);
  for (const char* const text : {"1", " null ", "\"x\"", "[]", "{}", "\xef\xbb\xbf[1]"})
    EXPECT_EQ(state_of(text), state::valid) << text;
}

TEST(JsonDocument, NamesThePlaceWhereATextIsNoJson) {
  for (const auto& [text, at] : std::vector<std::pair<std::string, std::size_t>>{{"", 1},
                                                                                 {"[1,]", 4},
                                                                                 {"{\"a\":1 \"b\":2}", 10},
                                                                                 {"[01]", 3},
                                                                                 {"\"\x01\"", 2},
                                                                                 {"[1e400]", 6},
                                                                                 {"1 2", 3},
                                                                                 {"\"\xff\"", 2},
                                                                                 {std::string("[1]\0[", 5), 4},
                                                                                 {std::string("[1\0]", 4), 3}}) {
    const json_document one(text);
    EXPECT_EQ(one.is(), state::invalid) << text;
    EXPECT_EQ(one.wrong_at(), at) << text;
    EXPECT_TRUE(one.root().is_null()) << text;
  }
}

TEST(JsonDocument, RefusesHostileTexts) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(state_of(nested(most_json_depth)), state::valid);
  EXPECT_EQ(state_of(nested(most_json_depth + 1)), state::too_deep);
  EXPECT_EQ(state_of(nested(1'000'000)), state::too_deep);
  EXPECT_EQ(state_of(std::string(1'000'000, '[')), state::too_deep);
  std::string crowded = "[1";
  for (int i = 0; i < 100'000; ++i) crowded += ",1";
  EXPECT_EQ(state_of(crowded + "]"), state::too_many_values);
  EXPECT_EQ(state_of(R"({"a": 1, "\u0061": 2})"), state::key_twice);
}

TEST(JsonDocument, GivesTheElementsOfAListOneByOne) {
  const std::string text = R"({"head": {"n": 5}, "all": [{"i": 0, "all": [7]}, 3, ["x"]], "tail": ["y"]})";
  std::vector<std::string> given;
  const auto read = [&](bool gives, std::size_t most) {
    given.clear();
    return json_document(text, {"all",
                                [&](const parsed_json& before) {
                                  EXPECT_EQ(text_of(before), R"({"head":{"n":5}})");
                                  return gives;
                                },
                                [&](const parsed_json& one) {
                                  given.push_back(text_of(one));
                                  return given.size() < most;
                                }})
        .is();
  };
  EXPECT_EQ(read(true, 9), state::valid);
  EXPECT_EQ(given, (std::vector<std::string>{R"({"all":[7],"i":0})", "3", R"(["x"])"}));
  EXPECT_EQ(read(true, 2), state::stopped);
  EXPECT_EQ(given.size(), 2u);
  EXPECT_EQ(read(false, 9), state::valid);
  EXPECT_TRUE(given.empty());

  const element_reader of_all{"all", [](const parsed_json&) { return true; }, [](const parsed_json&) { return true; }};
  const json_document rest(text, of_all);
  EXPECT_EQ(text_of(rest.root()), R"({"all":[],"head":{"n":5},"tail":["y"]})");
  EXPECT_EQ(json_document(R"(["all", [1]])", of_all).root().size(), 2u);
}

}  // namespace
}  // namespace bankwise
