// Tests that folded JSON stays within its size, keeps what is small, and names the places of what is missing.
#include "mcp/folded.hpp"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>

namespace bankwise::mcp {
namespace {

json numbers(std::size_t n) {
  json list = json::array();
  for (std::size_t i = 0; i < n; ++i) list.push_back(1000 + i);
  return list;
}

TEST(Folded, AValueThatFitsIsNotChanged) {
  const json value = {{"a", numbers(10)}, {"b", {{"c", "text"}}}};
  EXPECT_EQ(folded(value, 1000), value);
}

TEST(Folded, OfAListTheFirstItemsRemain) {
  const json list = folded(numbers(1000), 500, "/sites");
  EXPECT_LT(text_of(list).size(), 500U);
  EXPECT_GT(list.size(), 40U);
  EXPECT_EQ(list[0], 1000);
  EXPECT_EQ(list.back(), (json{{"more", "/sites"}, {"items", 1000}, {"bytes", 5001}, {"from", list.size() - 1}}));
}

TEST(Folded, SmallMembersStayAndLargeOnesGetPlaces) {
  const json value = {{"large", numbers(1000)}, {"a/b~c", {{"text", std::string(3000, 'x')}}}, {"small", 7}};
  const json kept = folded(value, 700);
  EXPECT_LT(text_of(kept).size(), 700U);
  EXPECT_EQ(kept["small"], 7);
  EXPECT_EQ(kept["large"].back()["more"], "/large");
  EXPECT_NE(text_of(kept["a/b~c"]).find("/a~1b~0c"), std::string::npos) << kept;
}

TEST(Folded, TextsAreNotCutInsideACharacter) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "\u00e4";
  for (std::size_t bytes = 300; bytes < 304; ++bytes)
    EXPECT_EQ(json::accept(folded(text, bytes).dump()), true) << bytes;  // dump() throws for invalid UTF-8
}

json any(std::mt19937& random, int depth) {
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  switch (depth == 0 ? pick(2) : pick(4)) {
    case 0: return pick(1'000'000);
    case 1: return std::string(pick(pick(8) == 0 ? 2000U : 20U), 't');
    case 2: {
      json list = json::array();
      for (unsigned i = 0, n = pick(pick(4) == 0 ? 100U : 6U); i < n; ++i) list.push_back(any(random, depth - 1));
      return list;
    }
    default: {
      json object = json::object();
      for (unsigned i = 0, n = pick(12); i < n; ++i) object["k" + std::to_string(i)] = any(random, depth - 1);
      return object;
    }
  }
}

TEST(Folded, AnyValueStaysNearItsSize) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const json value = any(random, 5);
    const std::size_t bytes = 1000 + random() % 5000;
    // Places of many small members may take a little more.
    EXPECT_LT(text_of(folded(value, bytes)).size(), bytes + 1000) << i;
  }
}

TEST(Folded, ALongTextIsReadToItsEnd) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += i % 7 == 0 ? "\n+ \"" : i % 11 == 0 ? "\u00e4\u20ac" : i % 13 == 0 ? "\x01" : "word ";
  std::string read;
  int parts = 0;
  for (std::size_t from = 0; from < text.size(); ++parts) {
    const json part = folded_from(text, from, 1000, "/text");
    EXPECT_LT(text_of(part).size(), 1100U);
    std::string s = part.get<std::string>();
    std::smatch place;
    if (std::regex_search(s, place, std::regex(R"(\.\.\. \((\d+) of (\d+) bytes; more: /text from \1\)$)"))) {
      from = std::stoul(place[1]);
      EXPECT_EQ(std::stoul(place[2]), text.size());
      s.resize(static_cast<std::size_t>(place.position(0)));
    } else {
      from = text.size();
    }
    ASSERT_FALSE(s.empty());
    read += s;
  }
  EXPECT_EQ(read, text);
  EXPECT_LT(parts, 50);
}

TEST(Folded, AnObjectOfManyMembersIsReadToItsEnd) {
  json value = json::object();
  for (int i = 0; i < 5000; ++i)
    value["member" + std::to_string(i)] = i % 3 == 0 ? json(std::string(300, 'x')) : json(i);
  json read = json::object();
  for (std::size_t from = 0; from < value.size();) {
    json part = folded_from(value, from, 5500, "/all");
    EXPECT_LT(text_of(part).size(), 5600U);
    from = value.size();
    if (part.contains("...")) {
      EXPECT_EQ(part["..."]["more"], "/all");
      from = part["..."]["from"];
      part.erase("...");
    }
    ASSERT_FALSE(part.empty());
    read.update(part);
  }
  EXPECT_EQ(read.size(), 5000U);
  EXPECT_EQ(read["member4999"], 4999);
}

TEST(Folded, AnItemThatDoesNotFitIsNotSkipped) {
  const json value = {1, json::array({std::string(9000, 'x'), numbers(3000)}), 3};
  const json part = folded_from(value, 1, 600, "/l");
  EXPECT_LT(text_of(part).size(), 700U);
  ASSERT_TRUE(part[0].is_array() && part[0].back().is_object()) << part;
  EXPECT_EQ(part[0].back()["more"], "/l/1");
  EXPECT_EQ(part[1], 3);
  const json list = {std::string(9000, 'x'), std::string(9000, 'y')};
  const json first = folded_from(list, 0, 500, "/l");
  EXPECT_NE(first[0].get<std::string>().find("more: /l/0 from "), std::string::npos) << first;
  EXPECT_EQ(first[1]["from"], 1);
}

TEST(Folded, AnEndOfATextFitsAsJson) {
  const std::string text = std::string(2000, 'a') + std::string(500, '\x01') + "\u00e4";
  const auto end = last_bytes(text, 301);
  EXPECT_EQ(end, text.substr(text.size() - 51));  // 49 times \u0001, and a character of two bytes
  EXPECT_EQ(last_bytes("abc", 3), "abc");
  EXPECT_EQ(first_bytes("a\u00e4", 2), "a");
  EXPECT_EQ(shortened(std::string(300, 'x')), std::string(200, 'x') + "...");
}

}  // namespace
}  // namespace bankwise::mcp
