// Tests spaces: the values of dimensions, ranges, constraints, lists in files, and shards.
#include "tune/space.hpp"

#include <gtest/gtest.h>

namespace bankwise::tune {
namespace {

using values = std::vector<std::string>;

values values_of_text(const std::string& text) {
  const auto d = parse_dimension(text, "-D");
  return d ? d->values : values{"error: " + d.error().message};
}

// Returns the configurations as "16 2; 32 2".
std::string listed(const result<space>& s) {
  if (!s) return "error: " + s.error().message;
  std::string text;
  for (const configuration& c : s->configurations) {
    if (!text.empty()) text += "; ";
    for (const std::string& value : c.values) text += (&value == &c.values[0] ? "" : " ") + value;
  }
  return text;
}

std::string combined(const values& dimensions, const values& constraints = {}) {
  std::vector<dimension> all;
  for (const std::string& text : dimensions) {
    const auto d = parse_dimension(text, "-D");
    if (!d) return "error: " + d.error().message;
    all.push_back(*d);
  }
  return listed(combine(all, constraints, {{"N", 64}}));
}

TEST(Space, ListsKeepTheirOrder) {
  EXPECT_EQ(values_of_text("TILE=32,16,64"), (values{"32", "16", "64"}));
  EXPECT_EQ(values_of_text("TYPE=float, half"), (values{"float", "half"}));
}

TEST(Space, RangesContainBothEnds) {
  EXPECT_EQ(values_of_text("STAGES=2..4"), (values{"2", "3", "4"}));
  EXPECT_EQ(values_of_text("TILE=8..64:*2"), (values{"8", "16", "32", "64"}));
  EXPECT_EQ(values_of_text("TILE=8..63:*2"), (values{"8", "16", "32"}));
  EXPECT_EQ(values_of_text("K=0..32:+16"), (values{"0", "16", "32"}));
  EXPECT_EQ(values_of_text("K=-1..1"), (values{"-1", "0", "1"}));
  EXPECT_EQ(values_of_text("K=1,8..16:*2,100"), (values{"1", "8", "16", "100"}));
  EXPECT_EQ(values_of_text("K=9223372036854775806..9223372036854775807").size(), 2u);
}

TEST(Space, WrongValuesNameTheirPlace) {
  const auto at = [](const std::string& text) {
    const auto d = parse_dimension(text, "-D");
    return d ? 0u : d.error().where.column;
  };
  EXPECT_EQ(at("TILE"), 1u);
  EXPECT_EQ(at("9=1"), 1u);
  EXPECT_EQ(at("TILE=1,,2"), 8u);
  EXPECT_EQ(at("TILE=1,2,1"), 10u);
  EXPECT_EQ(at("TILE=4..1"), 6u);
  EXPECT_EQ(at("TILE=1..x"), 6u);
  EXPECT_EQ(at("TILE=1..4:*1"), 11u);
  EXPECT_EQ(at("TILE=0..4:*2"), 11u);
  EXPECT_EQ(at("TILE=1..4:-1"), 11u);
  EXPECT_EQ(at("TILE=1..100000"), 6u) << "a dimension has at most 10,000 values";
}

TEST(Space, TheLastNameChangesFastest) {
  EXPECT_EQ(combined({"A=1,2", "B=x,y"}), "1 x; 1 y; 2 x; 2 y");
  EXPECT_EQ(combined({"A=1,2", "A=3"}), "error: the name A is used twice");
  EXPECT_EQ(combined({"N=1"}), "error: --let N: a dimension already has this name");
  EXPECT_EQ(combined({"A=1..1000", "B=1..1000", "C=1..1000"}),
            "error: the dimensions have more than 10,000,000 combinations");
  EXPECT_EQ(combined({"A=1..400", "B=1..400"}), "error: the space has more than 100,000 configurations");
}

TEST(Space, ConstraintsAreExpressions) {
  EXPECT_EQ(combined({"A=1,2,3", "B=1,2,3"}, {"A*B<=3"}), "1 1; 1 2; 1 3; 2 1; 3 1");
  EXPECT_EQ(combined({"A=1,2,3"}, {"A != 2", "N % A == 0"}), "1");
  EXPECT_EQ(combined({"A=1,2"}, {"A>2"}), "error: no configuration is left");
  EXPECT_EQ(combined({"A=1,2"}, {"B>2"}), "error: unknown name 'B'");
  EXPECT_EQ(combined({"A=x"}, {"A>2"}), "error: A has the value 'x', which is not a whole number");
  EXPECT_EQ(combined({"A=0"}, {"4/A"}), "error: the expression divides by zero");
  EXPECT_EQ(combined({"A=1"}, {"t"}), "error: unknown name 't'") << "names of lanes have no value here";
}

TEST(Space, FilesListConfigurations) {
  EXPECT_EQ(listed(read_configurations("TILE,TYPE\n16,float\n32,\"half\"\n", "list.csv")), "16 float; 32 half");
  EXPECT_EQ(listed(read_configurations("[[configuration]]\nTILE = 16\nTYPE = \"float\"\n"
                                       "[[configuration]]\nTYPE = \"half\"\nTILE = 32\n",
                                       "list.toml")),
            "16 float; 32 half");
}

TEST(Space, WrongFilesNameTheirPlace) {
  const auto wrong = [](const std::string& text, const std::string& file) {
    const auto s = read_configurations(text, file);
    return s ? "no error" : s.error().where.file + ":" + std::to_string(s.error().where.line) + " " + s.error().message;
  };
  EXPECT_EQ(wrong("", "a.csv"), "a.csv:1 the file has no row with names");
  EXPECT_EQ(wrong("TILE\n", "a.csv"), "a.csv:0 the file lists no configuration");
  EXPECT_EQ(wrong("TILE,STAGES\n1,2\n3\n", "a.csv"), "a.csv:3 1 value instead of 2");
  EXPECT_EQ(wrong("TILE,K\n1,2\n1,\n", "a.csv"), "a.csv:3 the value is missing");
  EXPECT_EQ(wrong("a b\n1\n", "a.csv"), "a.csv:1 'a b' is not a name");
  EXPECT_EQ(wrong("x = 1\n", "a.toml"), "a.toml:1 the file has no table [[configuration]]");
  EXPECT_EQ(wrong("[[configuration]]\nA = 1\n[[configuration]]\nB = 1\n", "a.toml"), "a.toml:3 A is missing");
  EXPECT_EQ(wrong("[[configuration]]\n[[configuration]]\nB = 1\n", "a.toml"), "a.toml:1 the first table has no names");
  EXPECT_EQ(wrong("[[configuration]]\nB = 1\n[[configuration]]\n", "a.toml"), "a.toml:3 B is missing");
  EXPECT_EQ(wrong("configuration = []\n", "a.toml"), "a.toml:0 the file lists no configuration");
  EXPECT_EQ(wrong("A,B\n1,2\n1,3\n1, 2\n", "a.csv"), "a.csv:4 the configuration A=1 B=2 is listed twice");
  EXPECT_EQ(wrong("[[configuration]]\nA = 1\n[[configuration]]\nA = \"1\"\n", "a.toml"),
            "a.toml:3 the configuration A=1 is listed twice");
  EXPECT_EQ(wrong("[[configuration]]\nA = 1.5\n", "a.toml"), "a.toml:2 A needs a whole number or a word");
  EXPECT_EQ(wrong("[[configuration]]\nA = {\n", "a.toml"), "a.toml:2 write one key on each line, without braces");
}

TEST(Space, ShardsDivideASpace) {
  const auto second = parse_shard("2/3", "--shard");
  ASSERT_TRUE(second);
  std::vector<std::size_t> has;
  for (std::size_t i = 0; i < 7; ++i)
    if (second->has(i)) has.push_back(i);
  EXPECT_EQ(has, (std::vector<std::size_t>{1, 4}));
  for (const char* text : {"0/3", "4/3", "1", "x/2", "1/0", ""}) EXPECT_FALSE(parse_shard(text, "--shard")) << text;
}

}  // namespace
}  // namespace bankwise::tune
