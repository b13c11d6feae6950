// Tests the reader of a declaration and of the accesses that follow the declaration.
#include "source/declared_array.hpp"

#include <gtest/gtest.h>

namespace bankwise::source {
namespace {

TEST(DeclaredArray, TheDeclarationIsThatOfTheBlockWithTheAccesses) {
  constexpr const char* two =
      "void a() {\n  __shared__ int t[8];\n  t[0] = 1;\n}\n"
      "void b() {\n  __shared__ int s[4], t[16];\n  t[0] = s[1];\n}\n";
  EXPECT_EQ(find_declared(two, "t", {3})->line, 2u);
  EXPECT_EQ(find_declared(two, "t", {7})->line, 6u);
  EXPECT_EQ(find_declared(two, "t", {7})->extents, std::vector<std::string>{"16"});
  EXPECT_EQ(find_declared(two, "s", {7})->type, "int");
  EXPECT_EQ(find_declared(two, "s", {3}), std::nullopt);
  EXPECT_EQ(find_declared("// __shared__ int t[8];\n", "t", {1}), std::nullopt);
  EXPECT_EQ(find_declared("__shared__ int t[", "t", {1}), std::nullopt);
  EXPECT_EQ(find_declared("", "t", {1}), std::nullopt);
}

TEST(DeclaredArray, AnElementOfAnUnknownTypeIsWhatTheBytesLeave) {
  EXPECT_EQ(plain_shape({"t", "dfloat", 0, 1, {"16", "16"}}, 2048)->element_bytes, 8u);
  EXPECT_EQ(plain_shape({"t", "dfloat", 0, 1, {"16", "N"}}, 2048), std::nullopt);
  EXPECT_EQ(plain_shape({"t", "double", 0, 1, {"2 * N"}}, 2048)->extents, std::vector<std::uint64_t>{256});
  EXPECT_EQ(plain_shape({"t", "dfloat", 0, 1, {"2 * N"}}, 2048), std::nullopt);
  EXPECT_EQ(plain_shape({"t", "dfloat", 0, 1, {"7"}}, 2048), std::nullopt);
  EXPECT_EQ(plain_shape({"t", "dfloat", 0, 1, {}}, 2048), std::nullopt);
}

TEST(DeclaredArray, ATypeIsWhatTheSourceSaysThatItIs) {
  const auto type = [](const char* before) {
    return find_declared(std::string(before) + "\n__shared__ site a[N];", "a", {3})->type;
  };
  EXPECT_EQ(type("typedef unsigned char site;"), "unsigned char");
  EXPECT_EQ(type("using word = int; using site = word;"), "int");
  EXPECT_EQ(type("typedef int site; typedef long site;"), "site");
  EXPECT_EQ(type("typedef struct { int a; } site;"), "site");
  EXPECT_EQ(type("using site = typename V<T>::type;"), "site");
  EXPECT_EQ(type("typedef site site;"), "site");
}

TEST(DeclaredArray, WideAccessesAreTheCompilersWhereNoAddressIsTaken) {
  const auto joins = [](const char* access) {
    const std::string source = "void k() {\n  __shared__ float a[64];\n  " + std::string(access) + ";\n}\n";
    return joins_elements(source, *find_declared(source, "a", {3}));
  };
  EXPECT_TRUE(joins("x = a[2 * t] + a[2 * t + 1]"));
  EXPECT_FALSE(joins("x = *(float2*)&a[2 * t]"));
}

TEST(DeclaredArray, ElementsThatTheCompilerKeepsAreReadAgainWhereTheyWereStored) {
  const std::string source =
      "void k() {\n  __shared__ float a[64];\n  a[2 * t] = in[t];\n  a[i] += a[j];\n  ++a[i];\n  if (a[i] == 1) b[i] = 2;\n"
      "  x = a[2 * t] + a[t];\n}\n";
  const auto kept = kept_elements(source, *find_declared(source, "a", {3}));
  EXPECT_EQ(kept, (std::vector<kept_element>{{4, 4}, {5, 5}, {7, 3}}));
}

}  // namespace
}  // namespace bankwise::source
