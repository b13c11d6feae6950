// Tests that folded JSON stays within its size, keeps what is small, and names the places of what is missing.
#include "mcp/folded.hpp"

#include <gtest/gtest.h>

#include <random>
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

}  // namespace
}  // namespace bankwise::mcp
