// Compares the reader of JSON with nlohmann-json: both accept the same texts and read the same values.
#include "report/json/reading/json_document.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace bankwise {
namespace {

using json = nlohmann::json;

json value_of(const parsed_json& j) {
  if (j.is_null()) return nullptr;
  if (j.is_boolean()) return j.flag();
  if (j.is_number_unsigned()) return j.number();
  if (j.is_number()) return j.real();
  if (j.is_string()) return std::string(j.text());
  json all = j.is_array() ? json::array() : json::object();
  for (std::size_t i = 0; i < j.size(); ++i) {
    if (j.is_array())
      all.push_back(value_of(j[i]));
    else
      all[std::string(j.key(i))] = value_of(*j.find(j.key(i)));
  }
  return all;
}

void expect_same(const std::string& text) {
  const json theirs = json::parse(text.data(), text.data() + text.size(), nullptr, false);
  const json_document ours(text);
  ASSERT_EQ(ours.is_valid(), !theirs.is_discarded()) << text;
  if (ours.is_valid()) {
    ASSERT_EQ(value_of(ours.root()), theirs) << text;
  }
}

const std::string whole =
    R"({"a": [1, -2, 0, -0, 3.25, 1e3, 1E-2, -4.5e+1, 18446744073709551615, 18446744073709551616, 1e-400], "b": {"c":
 null, "d": [[], {}, [[{}]]], "e": true, "f": false}, "g": "plain", "h": "\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00",
 "i": "é€😀", "a": 7, "": ""})";

TEST(JsonDocument, ReadsWhatJsonPermits) {
  expect_same(whole);
  for (const char* text : {"1", " null ", "\"x\"", "[]", "{}", "\xef\xbb\xbf[1]", "[[[[[[[[[[]]]]]]]]]]"})
    expect_same(text);
}

TEST(JsonDocument, RefusesWhatJsonDoesNotPermit) {
  for (const char* text : {"",
                           " ",
                           "[1,]",
                           "[,1]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{1:2}",
                           "[1 2]",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "tru",
                           "nul",
                           "[",
                           "{",
                           "[}",
                           "{]",
                           "1 2",
                           "\"",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\n\"",
                           "\"\x01\"",
                           "\"\x80\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf5\x80\x80\x80\"",
                           "\"\xe2\x82\"",
                           "1e400",
                           "// x\n1",
                           "NaN",
                           "'a'"}) {
    EXPECT_FALSE(json_document(text).is_valid()) << text;
    expect_same(text);
  }
}

// Changes a few characters of a valid text.
TEST(JsonDocument, AgreesAboutDamagedTexts) {
  constexpr std::string_view some = "{}[]\",:\\u0129eE+-.\xc3\xa9\xed\xf0\x80 tfn\n";
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0; i < 20000; ++i) {
    std::string text = whole;
    for (std::size_t n = 1 + below(3); n-- > 0;) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0: text[at] = some[below(some.size())]; break;
        case 1: text.erase(at, 1 + below(3)); break;
        default: text.insert(at, 1, some[below(some.size())]);
      }
    }
    expect_same(text);
    if (HasFatalFailure()) return;
  }
}

TEST(JsonDocument, ReadsDeepTextsWithoutRecursion) {
  const std::string text = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_TRUE(json_document(text).is_valid());
  EXPECT_FALSE(json_document(std::string_view(text).substr(1)).is_valid());
}

}  // namespace
}  // namespace bankwise
