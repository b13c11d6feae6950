// Tests the texts of a command line that depend on the values of a configuration.
#include "tune/configuration.hpp"

#include <gtest/gtest.h>

namespace bankwise::tune {
namespace {

const named_values known = values_of({"TILE", "TYPE"}, {{"32", "half"}}, {{"N", 1024}});

std::string text_or_error(const result<std::string>& text) {
  return text ? *text : "error at " + std::to_string(text.error().where.column) + ": " + text.error().message;
}

TEST(Configuration, ListsOfNumbersAreExpressions) {
  const auto list = [](const char* text) { return text_or_error(evaluate_list(text, known, "--grid")); };
  EXPECT_EQ(list("N/TILE,ceil_div(N,TILE*3),1"), "32,11,1");
  EXPECT_EQ(list("max(N, TILE)"), "1024");
  EXPECT_EQ(list("32x8"), "32x8") << "a text without expressions stays as it is";
  EXPECT_EQ(list("N,TILES"), "error at 3: unknown name 'TILES'");
  EXPECT_EQ(list("N,TILE-64"), "error at 3: -32 is negative");
  EXPECT_EQ(list("N,N/(TILE-32)"), "error at 4: the expression divides by zero");
}

TEST(Configuration, ArgumentsMayContainExpressions) {
  const auto argument = [](const char* text) { return text_or_error(evaluate_argument(text, known, "--arg")); };
  EXPECT_EQ(argument("out:f32[N*TILE]"), "out:f32[32768]");
  EXPECT_EQ(argument("f32[N/TILE]=random:7"), "f32[32]=random:7");
  EXPECT_EQ(argument("i32=N+1"), "i32=1025");
  EXPECT_EQ(argument("{f32[N]=iota, i32=TILE}"), "{f32[1024]=iota, i32=32}");
  EXPECT_EQ(argument("arg:1+TILE*4"), "arg:1+128") << "the number before + is that of an argument";
  EXPECT_EQ(argument("TILE"), "32");
  EXPECT_EQ(argument("f32[1M]=iota"), "f32[1M]=iota");
  EXPECT_EQ(argument("f32[]=file:in_TILE.npy"), "f32[]=file:in_TILE.npy") << "in_TILE is another name";
  EXPECT_EQ(argument("f32[]=file:TILE.npy"), "f32[]=file:32.npy");
  EXPECT_EQ(argument("f32[N*X]"), "error at 7: unknown name 'X'");
  EXPECT_EQ(argument("i32=TYPE"), "error at 5: TYPE has the value 'half', which is not a whole number");
}

TEST(Configuration, WordsOfAProgramHaveBraces) {
  const auto word = [](const char* text) { return text_or_error(fill_braces(text, known, "word")); };
  EXPECT_EQ(word("--tile={TILE}"), "--tile=32");
  EXPECT_EQ(word("{N / TILE}x{TYPE}"), "32xhalf");
  EXPECT_EQ(word("{other} TILE {"), "{other} TILE {");
  EXPECT_EQ(word("{TILE/0}"), "error at 6: the expression divides by zero");
}

TEST(Configuration, NamesOfKernelsAreReplacedByWord) {
  EXPECT_EQ(replace_names("gemm<TILE, TYPE>", known), "gemm<32, half>");
  EXPECT_EQ(replace_names("TILED_gemm", known), "TILED_gemm");
}

}  // namespace
}  // namespace bankwise::tune
