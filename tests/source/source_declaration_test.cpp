// Tests how declarations are found in sources, with the constants that they depend on.
#include "source/declaration.hpp"

#include <gtest/gtest.h>

namespace bankwise::source {
namespace {

std::vector<std::uint64_t> extents(const char* source, const declaration_wanted& wanted) {
  const auto found = find_declaration(source, wanted);
  return found ? found->extents : std::vector<std::uint64_t>{};
}
using dims = std::vector<std::uint64_t>;

TEST(SourceDeclaration, TakesConstantsFromWhatStandsBefore) {
  const char* source =
      "#define TILE 16  // rows\n"
      "constexpr int pad = 1, unused = f(3);\n"
      "__global__ void k() {\n"
      "  __shared__ __align__(16) float a[TILE * TILE], tile[TILE][TILE + pad];\n"
      "}\n";
  EXPECT_EQ(extents(source, {"tile", 16 * 17 * 4, 5, "k()"}), (dims{16, 17}));
  EXPECT_EQ(extents(source, {"a", 16 * 16 * 4, 5, "k()"}), (dims{256}));
  EXPECT_EQ(find_declaration(source, {"tile", 16 * 17 * 4, 5, "k()"})->type, "float");
  EXPECT_EQ(find_declaration(source, {"tile", 1024, 5, "k()"}), std::nullopt);  // the array has a different size
  EXPECT_EQ(find_declaration(source, {"t", 16 * 17 * 4, 5, "k()"}), std::nullopt);
}

TEST(SourceDeclaration, TakesTheArgumentsOfTheTemplate) {
  const char* source =
      "template <typename T, const int BM, int BK = 8>\n"
      "__global__ void gemm(T* a) {\n  __shared__ T As[BM][BK];\n}\n";
  EXPECT_EQ(extents(source, {"As", 64 * 8 * 4, 4, "void gemm<float, 64, (int)8>(float*)"}), (dims{64, 8}));
}

TEST(SourceDeclaration, IsTheLastBeforeTheAccess) {
  const char* source =
      "void a() {\n  __shared__ float t[8][32];\n}\n"
      "void b() {\n  __shared__ float t[32][8];\n  t[0][0] = 1;\n}\n";
  EXPECT_EQ(extents(source, {"t", 1024, 3, "a()"}), (dims{8, 32}));
  EXPECT_EQ(extents(source, {"t", 1024, 6, "b()"}), (dims{32, 8}));
}

TEST(SourceDeclaration, WhatIsCommentedOutIsNone) {
  EXPECT_EQ(find_declaration("/* __shared__ float t[4];\n */ // __shared__ float t[4];\n", {"t", 16, 0, "a()"}),
            std::nullopt);
  EXPECT_EQ(find_declaration("__shared__ float t[", {"t", 16, 0, "a()"}), std::nullopt);
  EXPECT_EQ(find_declaration("", {"t", 16, 9, "a()"}), std::nullopt);
}

}  // namespace
}  // namespace bankwise::source
