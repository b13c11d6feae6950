// Tests how declarations of shared arrays are found in a source, and the edit that adds padding to an array.
#include "lsp/declaration_fix.hpp"
#include "source/shared_declarations.hpp"

#include <gtest/gtest.h>

namespace bankwise::lsp {
namespace {

std::string declared(std::string_view source) {
  std::string all;
  for (const source::shared_declaration& d : source::shared_declarations(source))
    all += d.name + "|" + std::string(source.substr(d.begin, d.end - d.begin)) + "|" +
           std::string(source.substr(d.last_begin, d.last_end - d.last_begin)) + ";";
  return all;
}

TEST(SharedDeclarations, AreFoundByTheirWords) {
  EXPECT_EQ(declared("__shared__ float tile[32][33];"), "tile|tile[32][33]|33;");
  EXPECT_EQ(declared("__shared__ float a[N], b [2] [M + 1];"), "a|a[N]|N;b|b [2] [M + 1]|M + 1;");
  EXPECT_EQ(declared("extern __shared__ __align__(16) char raw[];"), "raw|raw[]|;");
  EXPECT_EQ(declared("__shared__ alignas(sizeof(t[0])) T t[n[1]];"), "t|t[n[1]]|n[1];");
  EXPECT_EQ(declared("__shared__ cuda::barrier<cuda::thread_scope_block> bar;"), "bar|bar|;");
  EXPECT_EQ(declared("// __shared__ float a[1];\n/* __shared__ float b[1]; */ \"__shared__ float c[1];\""), "");
  EXPECT_EQ(declared("my__shared__ float a[1]; __shared__"), "");
  EXPECT_EQ(declared("__shared__ float a[1;"), "");
}

known_fix fix(const char* array, const char* code) { return {array, "better", code, {}, {}}; }
const known_fix padded = fix("float tile[32][32]", "__shared__ float tile[32][32 + 1];  // nothing else changes\n");

std::string edited(std::string source, const known_fix& f, std::uint32_t line, const char* kernel = "k()") {
  const auto e = declaration_fix(source, f, kernel, line);
  return e ? source.replace(e->begin, e->end - e->begin, e->by) : "none";
}

TEST(DeclarationFix, PadsTheLastExtent) {
  EXPECT_EQ(edited("__shared__ float tile[32][32];\nx = tile[t][0];", padded, 2),
            "__shared__ float tile[32][32 + 1];\nx = tile[t][0];");
  EXPECT_EQ(edited("constexpr int n = 32;\n__shared__ float tile[n][n];", padded, 3),
            "constexpr int n = 32;\n__shared__ float tile[n][n + 1];");
  EXPECT_EQ(edited("__shared__ float tile[32][1 << 5];", padded, 1), "__shared__ float tile[32][(1 << 5) + 1];");
  EXPECT_EQ(edited("__shared__ float a[2], tile[32][32], b[2];", padded, 1),
            "__shared__ float a[2], tile[32][32 + 1], b[2];");
}

TEST(DeclarationFix, IsOfTheLastDeclarationBeforeTheAccess) {
  const std::string two = "__shared__ float tile[32][32];\n\n__shared__ float tile[32][32];\n";
  EXPECT_EQ(edited(two, padded, 2), "__shared__ float tile[32][32 + 1];\n\n__shared__ float tile[32][32];\n");
  EXPECT_EQ(edited(two, padded, 4), "__shared__ float tile[32][32];\n\n__shared__ float tile[32][32 + 1];\n");
}

TEST(DeclarationFix, IsNoneWhereMoreWouldChange) {
  const char* source = "__shared__ float tile[32][32];";
  EXPECT_EQ(edited("__shared__ float tile[32][32 + 1];", padded, 1), "none");  // the array already has this padding
  EXPECT_EQ(edited("__shared__ float tile[32][33];", padded, 1), "none");
  EXPECT_EQ(edited("__shared__ half tile[32][32];", padded, 1), "none");
  EXPECT_EQ(edited("__shared__ float other[32][32];", padded, 1), "none");
  EXPECT_EQ(edited(source, fix("float tile[32][32]", "__shared__ float tile[1024];\n// an index"), 1), "none");
  EXPECT_EQ(edited(source, fix("float tile[32][32]", "__shared__ float tile[32][32];"), 1), "none");
  EXPECT_EQ(edited(source, fix("shared memory 0 to 4,095", "__shared__ float s[32][33];"), 1), "none");
  EXPECT_EQ(edited(source, fix("", ""), 1), "none");
  EXPECT_EQ(edited("", padded, 1), "none");
}

}  // namespace
}  // namespace bankwise::lsp
