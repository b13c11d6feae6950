// Tests edits of sources: the source before and after an edit, and edits that the user must make.
#include "edit/array_edit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "source/tokens.hpp"

namespace bankwise::edit {
namespace {

struct made {
  std::string after;  // the edited source, or the reason why the source was not edited
  std::vector<by_hand> doubts;
};

// An array with these rows and columns, whose elements have 4 bytes.
struct question {
  std::vector<std::uint64_t> extents;
  u32 free_columns = 0;  // unused columns in the source, after the columns in use
  std::uint32_t element = 4;
  u32 free_after = 0;  // unused elements after each `row` elements, if the code computes rows from one index
  u32 row = 0;
};

made edited(const char* source, const char* name, const expr::array_decl& shape, const advise::problem& p,
            const advise::answer& a, const std::vector<std::uint32_t>& lines,
            const source::threads_of_block& block = {}) {
  const auto declared = source::find_declared(source, name, lines);
  if (!declared) return {"not found", {}};
  array_edit e = edit_layout(source, *declared, shape, p, a, lines, block);
  return {e.refused.empty() ? changed(source, e.changes) : e.refused, e.doubts};
}

array_edit edit_of(const char* source, const char* name, const question& q, const advise::answer& a,
                   const std::vector<std::uint32_t>& lines, const source::threads_of_block& block = {}) {
  const auto declared = source::find_declared(source, name, lines);
  if (!declared) return {.refused = "not found"};
  expr::array_decl shape{name, "float", q.element, q.extents, 0};
  advise::problem p;
  p.bytes = bytes_of(shape);
  p.element_bytes = q.element;
  p.pitch_bytes = q.extents.size() > 1 ? static_cast<u32>(q.extents.back() * q.element) : 0;
  if (q.free_columns != 0) p.as_it_is = {.every = p.pitch_bytes, .gap = q.free_columns * q.element};
  if (q.row != 0) p.as_it_is = {.every = q.row * q.element, .gap = q.free_after * q.element};
  p.flat = declared->extents.size() == 1;
  return edit_layout(source, *declared, shape, p, a, lines, block);
}
made edit(const char* source, const char* name, const question& q, const advise::answer& a,
          const std::vector<std::uint32_t>& lines, const source::threads_of_block& block = {}) {
  const array_edit e = edit_of(source, name, q, a, lines, block);
  return {e.refused.empty() ? changed(source, e.changes) : e.refused, e.doubts};
}

advise::answer rows_longer_by(u32 pitch, u32 bytes) {
  return {.kind = advise::family::row_padding, .layout = {.every = bytes == 0 ? 0 : pitch, .gap = bytes}};
}
advise::answer padded(u32 every, u32 gap, std::uint64_t bytes) {
  return {.kind = advise::family::padding, .layout = {.every = every, .gap = gap}, .bytes = bytes};
}
advise::answer swizzled(swizzle s, std::uint64_t bytes) {
  return {.kind = advise::family::swizzle, .layout = {.terms = advise::terms_of(s)}, .permute = s, .bytes = bytes};
}

constexpr const char* tile =
    "__global__ void k(float* out) {\n"
    "  __shared__ float tile[N][N];  // tile\n"
    "  tile[threadIdx.y][threadIdx.x] = 0;\n"
    "  out[0] = tile[threadIdx.x][threadIdx.y + 1];\n"
    "}\n";

TEST(SourceEdit, PaddingChangesTheLastExtentAsItIsSpelled) {
  EXPECT_EQ(edit(tile, "tile", {{32, 32}}, rows_longer_by(128, 4), {3, 4}).after,
            "__global__ void k(float* out) {\n"
            "  __shared__ float tile[N][N + 1];  // tile\n"
            "  tile[threadIdx.y][threadIdx.x] = 0;\n"
            "  out[0] = tile[threadIdx.x][threadIdx.y + 1];\n"
            "}\n");
  EXPECT_EQ(edit(tile, "tile", {{32, 32}}, rows_longer_by(128, 4), {3, 4}, {31, 31, 1}).doubts, std::vector<by_hand>{});
  EXPECT_EQ(
      edit(tile, "tile", {{32, 32}}, rows_longer_by(128, 4), {3, 4}, {32, 32, 1}).doubts,
      (std::vector<by_hand>{
          {4,
           "column threadIdx.y + 1 of tile may be outside its row: the values are 1 to 32, but the size of the row "
           "is 32"}}));
}

TEST(SourceEdit, ExtentsKeepTheirMeaning) {
  const auto extent = [](const char* declaration, u32 has, u32 bytes) {
    const std::string source =
        "void k() {\n  __shared__ float a[8]" + std::string(declaration) + ";\n  a[0][0] = 1;\n}\n";
    const std::string after = edit(source.c_str(), "a", {{8, 16}, has}, rows_longer_by(64, bytes), {3}).after;
    const std::size_t from = after.find("a[8]") + 4;
    return after.substr(from, after.find(';') - from);
  };
  EXPECT_EQ(extent("[16]", 0, 16), "[16 + 4]");
  EXPECT_EQ(extent("[T * 2]", 0, 4), "[T * 2 + 1]");
  EXPECT_EQ(extent("[T << 1]", 0, 4), "[(T << 1) + 1]");
  EXPECT_EQ(extent("[W ? 16 : 8]", 0, 4), "[(W ? 16 : 8) + 1]");
  EXPECT_EQ(extent("[T + 1]", 1, 8), "[T + 2]");
  EXPECT_EQ(extent("[T+1]", 1, 0), "[T]");
  EXPECT_EQ(extent("[T + PAD]", 1, 12), "[T + PAD + 2]");
  EXPECT_EQ(extent("[T + PAD]", 4, 4), "[T + PAD - 3]");
}

TEST(SourceEdit, ASwizzleChangesEveryIndexOfTheColumn) {
  EXPECT_EQ(edit(tile, "tile", {{32, 32}}, swizzled({5, 2, 5}, 4096), {3, 4}).after,
            "__global__ void k(float* out) {\n"
            "  __shared__ float tile[N][N];  // tile\n"
            "  tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = 0;\n"
            "  out[0] = tile[threadIdx.x][(threadIdx.y + 1) ^ threadIdx.x];\n"
            "}\n");
  // Four elements move together. Three bits of the row select their new position.
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[32][32];\n  a[i][j] = a[i + 1][4 * j];\n}\n", "a", {{32, 32}},
                 swizzled({3, 4, 3}, 4096), {3})
                .after,
            "void k() {\n  __shared__ float a[32][32];\n"
            "  a[i][j ^ ((i & 7) * 4)] = a[i + 1][(4 * j) ^ (((i + 1) & 7) * 4)];\n}\n");
  // Existing padding is removed.
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[16][16 + 1];\n  a[y][x] = 1;\n}\n", "a", {{16, 16}, 1},
                 swizzled({4, 2, 4}, 1024), {3})
                .after,
            "void k() {\n  __shared__ float a[16][16];\n  a[y][x ^ y] = 1;\n}\n");
  // The first dimension is the number of stages. It is unchanged.
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[2][32][32];\n  a[s][y][x] = 1;\n}\n", "a", {{2, 32, 32}},
                 swizzled({3, 2, 5}, 8192), {3})
                .after,
            "void k() {\n  __shared__ float a[2][32][32];\n  a[s][y][x ^ (y & 7)] = 1;\n}\n");
}

TEST(SourceEdit, AnArrayWithoutRowsGetsAnIndexFunction) {
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[64 * K];\n  a[i] = a[(t + 1)];\n}\n", "a", {{512}},
                 padded(128, 8, 2176), {3})
                .after,
            "void k() {\n  __shared__ float a[(64 * K) + (64 * K) / 32 * 2];\n"
            "  const auto a_at = [](unsigned i) { return i + i / 32 * 2; };\n"
            "  a[a_at(i)] = a[a_at(t + 1)];\n}\n");
  EXPECT_EQ(edit("void k() {\n  int a_at;\n  __shared__ float a[64];\n  a[i] = 1;\n}\n", "a", {{64}},
                 swizzled({2, 2, 3}, 256), {4})
                .after,
            "void k() {\n  int a_at;\n  __shared__ float a[64];\n"
            "  const auto a_at_ = [](unsigned i) { return i ^ (i >> 3 & 3); };\n  a[a_at_(i)] = 1;\n}\n");
}

TEST(SourceEdit, AnExplicitPitchFollows) {
  EXPECT_EQ(
      edit("void k() {\n  __shared__ half a[64][LD];\n  load_matrix_sync(f, &a[y][0], LD);\n  a[y][x] = 1;\n}\n", "a",
           {{64, 64}, 0, 2}, rows_longer_by(128, 16), {3, 4})
          .after,
      "void k() {\n  __shared__ half a[64][LD + 8];\n  load_matrix_sync(f, &a[y][0], LD + 8);\n  a[y][x] = 1;\n}\n");
  EXPECT_EQ(edit("void k() {\n  __shared__ half a[64][LD];\n  store_matrix_sync(&a[y][0], f, 64, row);\n}\n", "a",
                 {{64, 64}, 0, 2}, rows_longer_by(128, 16), {3})
                .after,
            "void k() {\n  __shared__ half a[64][LD + 8];\n  store_matrix_sync(&a[y][0], f, 72, row);\n}\n");
  const made unknown = edit("void k() {\n  __shared__ half a[64][LD];\n  load_matrix_sync(f, &a[y][0], q);\n}\n", "a",
                            {{64, 64}, 0, 2}, rows_longer_by(128, 16), {3});
  EXPECT_EQ(unknown.doubts, (std::vector<by_hand>{{3, "the number q may be the row length of a"}}));
}

TEST(SourceEdit, AddressesOfOneElementAreAccesses) {
  const auto doubts = [](const char* access) {
    const std::string source = "void k() {\n  __shared__ float a[8][16];\n  " + std::string(access) + ";\n}\n";
    return edit(source.c_str(), "a", {{8, 16}}, rows_longer_by(64, 16), {3}).doubts.size();
  };
  EXPECT_EQ(doubts("x = *(float4*)&a[i][j]"), 0u);
  EXPECT_EQ(doubts("x = *reinterpret_cast<float4*>(&a[i][j])"), 0u);
  EXPECT_EQ(doubts("x = reinterpret_cast<float4*>(&a[i][j])[0]"), 0u);
  EXPECT_EQ(doubts("atomicAdd(&a[i][j], 1)"), 0u);
  EXPECT_EQ(doubts("n = sizeof(a[0][0])"), 0u);
  EXPECT_EQ(doubts("x = y & a[i][j]"), 0u);
  EXPECT_EQ(doubts("f(&a[i][j])"), 1u);
  EXPECT_EQ(doubts("float* p = a[i]"), 1u);
  EXPECT_EQ(doubts("f(a)"), 1u);
}

// Adds one element to each row of the array. Returns the reason to doubt the edit of the statement, or an empty text.
std::string doubt_of(const std::string& statements, const char* before = "") {
  const std::string source =
      std::string(before) + "void k(int n) {\n  __shared__ float a[32][32];\n  " + statements + "\n}\n";
  const auto line = static_cast<std::uint32_t>(3 + std::count(before, before + std::strlen(before), '\n'));
  const auto all = edit(source.c_str(), "a", {{32, 32}}, rows_longer_by(128, 4), {line}, {32, 8, 1}).doubts;
  return all.empty() ? "" : all[0].what;
}

TEST(SourceEdit, AnIndexThatMayLeaveItsRowIsADoubt) {
  EXPECT_EQ(doubt_of("for (int k = threadIdx.y; k < 1024; k += 8) a[0][k] = 1;"),
            "column k of a may be outside its row: the values are 0 to 1023, but the size of the row is 32");
  EXPECT_EQ(doubt_of("for (int j = threadIdx.y; j < 32; j += 8) x = a[threadIdx.x + 1][j - 32];"),
            "column j - 32 of a may be outside its row: the values are -32 to -1, but the size of the row is 32");
  EXPECT_EQ(doubt_of("const int i = threadIdx.y * 32 + threadIdx.x; a[0][i] = 1;"),
            "column i of a may be outside its row: the values are 0 to 255, but the size of the row is 32");
  EXPECT_EQ(doubt_of("a[0][f(n)] = 1;"), "column f(n) of a may be outside its row");
  EXPECT_EQ(doubt_of("a[n][n - 1] = 1;"), "column n - 1 of a may be outside its row");
  EXPECT_EQ(doubt_of("a[n][ALL] = 1;", "#define ALL (32 + 1)\n"),
            "column ALL of a may be outside its row: the values are 33 to 33, but the size of the row is 32");
}

TEST(SourceEdit, AnIndexThatStaysInItsRowIsNone) {
  EXPECT_EQ(doubt_of("a[threadIdx.y][threadIdx.x] = a[0][threadIdx.x];"), "");
  EXPECT_EQ(doubt_of("for (int j = 0; j < 32; j += 8) a[threadIdx.y + j][threadIdx.x] = a[j][31 - threadIdx.x];"), "");
  EXPECT_EQ(doubt_of("const unsigned t = threadIdx.y * 32 + threadIdx.x; a[t / 32][t % 32] = a[t >> 5][t & 31];"), "");
  EXPECT_EQ(doubt_of("for (int j = 0; j < 32; j += STEP) a[threadIdx.x][threadIdx.y + j] = 1;", "#define STEP 8\n"),
            "");
  EXPECT_EQ(doubt_of("a[n][n] = 1;"), "");
}

TEST(SourceEdit, ConditionsAroundAnIndexBoundIt) {
  EXPECT_EQ(doubt_of("if (threadIdx.x < 16) x = a[threadIdx.y][threadIdx.x + 16];"), "");
  EXPECT_EQ(doubt_of("if (threadIdx.x < 16 && n > 0) { x = a[threadIdx.y][threadIdx.x + 16]; }"), "");
  EXPECT_EQ(doubt_of("const int t = threadIdx.x; if (16 > t) x = a[threadIdx.y][t + 16];"), "");
  EXPECT_EQ(doubt_of("x = threadIdx.x >= 1 ? a[threadIdx.y][threadIdx.x - 1] : 0;"), "");
  EXPECT_EQ(doubt_of("if (n >= 0 && n <= 15) x = a[threadIdx.y][n + 16];"), "");
  const char* over =
      "column threadIdx.x + 16 of a may be outside its row: the values are 16 to 47, but the size of the row is 32";
  EXPECT_EQ(doubt_of("if (threadIdx.x < 16 || n) x = a[threadIdx.y][threadIdx.x + 16];"), over);
  EXPECT_EQ(doubt_of("if (threadIdx.x < 16) x = 0; else x = a[threadIdx.y][threadIdx.x + 16];"), over);
  EXPECT_EQ(doubt_of("if (threadIdx.x < 16 == 0) x = a[threadIdx.y][threadIdx.x + 16];"), over);
  EXPECT_EQ(doubt_of("x = threadIdx.x < 16 ? 0 : a[threadIdx.y][threadIdx.x + 16];"), over);
  EXPECT_EQ(doubt_of("if (n < 16) x = a[threadIdx.y][n + 16];"), "column n + 16 of a may be outside its row");
  EXPECT_EQ(doubt_of("int t = threadIdx.x; if (t < 16) { t += 16; x = a[threadIdx.y][t]; }"),
            "column t of a may be outside its row");
}

TEST(SourceEdit, NamesMeanWhatTheirScopeSays) {
  EXPECT_EQ(doubt_of("{ const int c = 40; } const int c = 3; x = a[threadIdx.y][c];"), "");
  EXPECT_EQ(doubt_of("{ const int c = 3; } { const int c = 40; x = a[threadIdx.y][c]; }"),
            "column c of a may be outside its row: the values are 40 to 40, but the size of the row is 32");
  EXPECT_EQ(doubt_of("x = a[threadIdx.y][n];", "const int n = 40;\n"), "");  // the parameter's
  EXPECT_EQ(doubt_of("int c = 0; for (; c < 64; ++c) x = a[threadIdx.y][c];"), "column c of a may be outside its row");
  EXPECT_EQ(doubt_of("int c = 0; int* p = &c; *p = n; x = a[threadIdx.y][c];"), "column c of a may be outside its row");
  EXPECT_EQ(doubt_of("int c = 0; move(c); x = a[threadIdx.y][c];", "void move(int& i) { i += 40; }\n"),
            "column c of a may be outside its row");
  EXPECT_EQ(doubt_of("x = a[threadIdx.y][(n - 1) % 32];"),
            "column (n - 1) % 32 of a may be outside its row: the values are -31 to 31, but the size of the row is 32");
  EXPECT_EQ(doubt_of("const unsigned t = n; x = a[threadIdx.y][t % 32];"), "");
  EXPECT_EQ(doubt_of("x = a[threadIdx.y][(blockIdx.x * blockDim.x + threadIdx.x) % 32];"), "");
  EXPECT_EQ(doubt_of("x = a[0][static_cast<int>(n)];"), "column static_cast<int>(n) of a may be outside its row");
}

TEST(SourceEdit, AnElementThatIsReachedOverIsADoubt) {
  const std::string address = "code that takes the address of an element of a may access other elements",
                    reference = "code with a reference to an element of a may access other elements";
  for (
      const char* statement :
      {"x = ((float*)&a[0][0])[n];", "x = (&(a[0][0]))[n];", "atomicAdd(&a[0][0] + n, 1);",
       "x = *reinterpret_cast<float*>(&a[0][0] + n);", "x = *(float4*)&a[0][4];",
       "unsigned p = __cvta_generic_to_shared(&a[0][0]) + n;",
       "unsigned p = __cvta_generic_to_shared(&a[0][0]); asm(\"ld.shared.f32 %0, [%1 + 4];\" : \"=f\"(x) : \"r\"(p));",
       "unsigned p = __cvta_generic_to_shared(&a[0][0]); asm(\"ld.shared.f32 %0, [%1];\" : \"=f\"(x) : \"r\"(p + n));"})
    EXPECT_EQ(doubt_of(statement), address) << statement;
  for (const char* statement :
       {"float& e = a[0][0]; x = (&e)[n];", "auto&& e = a[0][0]; float* p = &e;", "float& e(a[0][0]); x = *(&e + n);",
        "const auto f = [](float& e, int i) { return (&e)[i]; }; x = f(a[0][0], n);",
        "float* p = std::addressof(a[0][0]);"})
    EXPECT_EQ(doubt_of(statement), reference) << statement;
  for (const char* statement :
       {"float& e = a[0][0]; e += 1;", "x = *&a[0][0];", "x = (&a[0][0])[0];", "atomicAdd(&a[0][0], n);",
        "x = *(float*)&a[0][0];", "const auto f = [](float& e) { return e; }; x = f(a[0][0]);",
        "asm(\"ld.shared.f32 %0, [%1];\" : \"=f\"(x) : \"r\"((unsigned)__cvta_generic_to_shared(&a[0][0])));",
        "unsigned p = static_cast<unsigned>(__cvta_generic_to_shared(&a[0][0])); asm(\"ld.shared.f32 %0, [%1];\" : "
        "\"=f\"(x) : \"r\"(p));"})
    EXPECT_EQ(doubt_of(statement), "") << statement;
}

TEST(SourceEdit, MacrosAreOneOperandIfTheyAreWrittenSo) {
  const auto after = [](const char* macro, const advise::answer& a) {
    const std::string source =
        "#define W " + std::string(macro) + "\nvoid k() {\n  __shared__ float a[32][W];\n  a[r][c] = 1;\n}\n";
    return edit(source.c_str(), "a", {{32, 32}}, a, {4}).after;
  };
  EXPECT_NE(after("32", rows_longer_by(128, 4)).find("a[32][W + 1]"), std::string::npos);
  EXPECT_NE(after("(16 << 1)", rows_longer_by(128, 4)).find("a[32][W + 1]"), std::string::npos);
  EXPECT_NE(after("16 + 16", rows_longer_by(128, 4)).find("a[32][W + 1]"), std::string::npos);
  EXPECT_NE(after("16 << 1", rows_longer_by(128, 4)).find("a[32][(W) + 1]"), std::string::npos);
  EXPECT_NE(after("16 + 16", padded(64, 4, 4096)).find("a[32][W + (W) / 16u]"), std::string::npos);
  const auto index = [](const char* column) {
    const std::string source = "#define ROW r & 31\nvoid k() {\n  __shared__ float a[32][32];\n  a[ROW][" +
                               std::string(column) + "] = 1;\n}\n";
    return edit(source.c_str(), "a", {{32, 32}}, swizzled({5, 2, 5}, 4096), {4}).after;
  };
  EXPECT_NE(index("c").find("a[ROW][c ^ (ROW)]"), std::string::npos);
  EXPECT_NE(
      edit("void k() {\n  __shared__ float a[64];\n  a[(b, c)] = 1;\n}\n", "a", {{64}}, swizzled({2, 2, 3}, 256), {3})
          .after.find("a[a_at((b, c))]"),
      std::string::npos);
}

TEST(SourceEdit, OtherInstancesOfATemplateAreChecked) {
  constexpr const char* source =
      "template <int W> void k() {\n  __shared__ float a[32][W];\n"
      "  for (int i = 0; i < 32; ++i) a[threadIdx.y][i] = 1;\n}\n";
  const auto declared = source::find_declared(source, "a", {3});
  const auto doubts = [&](const advise::answer& a, const std::vector<expr::array_decl>& others) {
    advise::problem p;
    p.bytes = 4096;
    p.element_bytes = 4;
    p.pitch_bytes = 128;
    std::string all;
    for (const by_hand& b :
         edit_layout(source, *declared, {"a", "float", 4, {32, 32}, 0}, p, a, {3}, {32, 8, 1}, others).doubts)
      all += b.what;
    return all;
  };
  EXPECT_EQ(doubts(rows_longer_by(128, 4), {}), "");
  EXPECT_EQ(doubts(rows_longer_by(128, 4), {{"a", "float", 4, {32, 16}, 0}}),
            "column i of a may be outside its row: the values are 0 to 31, but the size of the row is 16");
  EXPECT_EQ(doubts(swizzled({5, 2, 5}, 4096), {}),
            "the xor is correct only for this value of W, but other instances of the template may have different "
            "values");
}

TEST(SourceEdit, WhatElseIsTheSameMemoryIsADoubt) {
  EXPECT_EQ(doubt_of("{ float a[2][2]; a[1][0] = 1; }"), "another variable has the name a");
  const auto of_union = [](const char* statement) {
    const std::string source =
        "void k() {\n  __shared__ union { float a[32][32]; float b[1024]; } u;\n  u.a[1][2] = 1;\n  " +
        std::string(statement) + "\n}\n";
    return edit(source.c_str(), "a", {{32, 32}}, rows_longer_by(128, 4), {3}, {32, 8, 1}).doubts.size();
  };
  EXPECT_EQ(of_union("u.b[3] = 1; x = u.b[4];"), 0u);
  EXPECT_EQ(of_union("x = u.b[4]; u.b[3] = 1;"), 1u);
}

TEST(SourceEdit, ASizeThatChangesIsADoubt) {
  EXPECT_EQ(doubt_of("n = sizeof(a);"), "the layout changes the size of a or of its rows");
  EXPECT_EQ(doubt_of("n = sizeof a;"), "the layout changes the size of a or of its rows");
  EXPECT_EQ(doubt_of("n = sizeof(a[0]) / sizeof(float);"), "the layout changes the size of a or of its rows");
}

TEST(SourceEdit, AMacroThatDoesSomethingIsNotWrittenTwice) {
  const auto refused = [](const char* macro) {
    const std::string source =
        "#define NEXT " + std::string(macro) + "\nvoid k() {\n  __shared__ float a[32][32];\n  a[NEXT][x] = 1;\n}\n";
    return edit(source.c_str(), "a", {{32, 32}}, swizzled({5, 2, 5}, 4096), {4}).after;
  };
  EXPECT_EQ(refused("(r++)"), "an index of a has a side effect, and the edit would write this index twice");
  EXPECT_EQ(refused("(r += 1)"), "an index of a has a side effect, and the edit would write this index twice");
  EXPECT_EQ(refused("pop(r)"), "an index of a has a side effect, and the edit would write this index twice");
  EXPECT_NE(refused("(r + 1)").find("a[NEXT][x ^ NEXT]"), std::string::npos) << refused("(r + 1)");
}

TEST(SourceEdit, WideAccessesKeepTheirAlignment) {
  const auto declaration = [](const char* declared, u32 width) {
    const std::string source = "void k() {\n  " + std::string(declared) + "\n  a[y][x] = 1;\n}\n";
    advise::problem p;
    p.bytes = 4096;
    p.element_bytes = 4;
    p.pitch_bytes = 128;
    access wide{};
    wide.op.width_bytes = static_cast<decltype(wide.op.width_bytes)>(width);
    p.accesses.push_back({wide, 1, 0});
    const std::string after =
        edited(source.c_str(), "a", {"a", "float", 4, {32, 32}, 0}, p, rows_longer_by(128, 16), {3}).after;
    return after.substr(13, after.find('\n', 13) - 13);
  };
  EXPECT_EQ(declaration("__shared__ float a[32][32];", 16), "__shared__ __align__(16) float a[32][32 + 4];");
  EXPECT_EQ(declaration("__shared__ float a[32][32];", 8), "__shared__ __align__(8) float a[32][32 + 4];");
  EXPECT_EQ(declaration("__shared__ float a[32][32];", 4), "__shared__ float a[32][32 + 4];");
  EXPECT_EQ(declaration("__shared__ __align__(16) float a[32][32];", 16),
            "__shared__ __align__(16) float a[32][32 + 4];");
  EXPECT_EQ(declaration("alignas(8) __shared__ float a[32][32];", 16), "alignas(16) __shared__ float a[32][32 + 4];");
  EXPECT_EQ(declaration("__shared__ alignas(alignof(float4)) float a[32][32];", 16),
            "__shared__ alignas(alignof(float4)) float a[32][32 + 4];");
  EXPECT_EQ(declaration("static __shared__ float a[32][32], b[4];", 16),
            "static __shared__ __align__(16) float a[32][32 + 4], b[4];");
}

TEST(SourceEdit, WhatCannotBeSeenIsNoIndexThatIsRewritten) {
  const auto why = [](const char* access) {
    const std::string source =
        "void k() {\n  __shared__ float a[32][32];\n  a[y][x] = 1;\n  " + std::string(access) + ";\n}\n";
    return edit(source.c_str(), "a", {{32, 32}}, swizzled({5, 2, 5}, 4096), {3, 4});
  };
  EXPECT_EQ(why("f(a)").after, "at least one use of a does not access an element with all its indices");
  EXPECT_EQ(why("f(a)").doubts, (std::vector<by_hand>{{4, "a is used without an index"}}));
  EXPECT_EQ(why("float* p = a[y]").doubts, (std::vector<by_hand>{{4, "a row of a is passed to a function"}}));
  EXPECT_EQ(why("a[i++][x] = 1").after, "an index of a has a side effect, and the edit would write this index twice");
  EXPECT_EQ(why("a[f(x)][x] = 1").after, "an index of a has a side effect, and the edit would write this index twice");
  // A line of the report does not contain the array's name, because the line uses a different pointer to the array.
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[32][32];\n  float* p = a[y];\n  p[3] = 1;\n}\n", "a", {{32, 32}},
                 rows_longer_by(128, 4), {3, 4})
                .doubts,
            (std::vector<by_hand>{{3, "a row of a is passed to a function"},
                                  {4, "this line accesses a under another name"}}));
}

TEST(SourceEdit, ArraysAreFollowedIntoTheFunctionsThatTheyAreHandedTo) {
  const std::string head =
      "template <int H, int W> __device__ void f(int x, float a[H][W]) { a[x][0] = 1; }\n"
      "__global__ void k() {\n  __shared__ float t[8][16];\n  f<8, 16>(1, t);\n";
  EXPECT_EQ(edit((head + "}\n").c_str(), "t", {{8, 16}}, rows_longer_by(64, 16), {1, 4}).after,
            "template <int H, int W> __device__ void f(int x, float a[H][W + 4]) { a[x][0] = 1; }\n"
            "__global__ void k() {\n  __shared__ float t[8][16 + 4];\n  f<8, 16>(1, t);\n}\n");
  EXPECT_EQ(edit((head + "}\n").c_str(), "t", {{8, 16}}, rows_longer_by(64, 16), {1, 4}).doubts,
            std::vector<by_hand>{});
  // An index of the function's parameter is an index of the array.
  EXPECT_EQ(edit("void f(float a[32][32]) { a[y][x] = 1; }\nvoid k() {\n  __shared__ float t[32][32];\n  f(t);\n}\n",
                 "t", {{32, 32}}, swizzled({5, 2, 5}, 4096), {1, 4})
                .after,
            "void f(float a[32][32]) { a[y][x ^ y] = 1; }\nvoid k() {\n  __shared__ float t[32][32];\n  f(t);\n}\n");
  // Other callers of the function pass a different array. A pointer has no dimensions.
  EXPECT_EQ(
      edit((head + "  float u[8][16];\n  f<8, 16>(1, u);\n}\n").c_str(), "t", {{8, 16}}, rows_longer_by(64, 16), {1, 4})
          .doubts,
      (std::vector<by_hand>{{4, "t is used without an index"}, {1, "this line accesses t under another name"}}));
  EXPECT_EQ(edit("void f(float* a) { a[17] = 1; }\nvoid k() {\n  __shared__ float t[8][16];\n  f(t);\n}\n", "t",
                 {{8, 16}}, rows_longer_by(64, 16), {4})
                .doubts.size(),
            1u);
}

TEST(SourceEdit, AParameterIsFollowedHoweverItIsSpelled) {
  for (const char* parameter : {"float a[8][16]", "float a[][16]", "float (*a)[16]", "const float (&a)[8][16]"}) {
    const std::string text = parameter, longer = text.substr(0, text.size() - 3) + "16 + 4]";
    const auto source = [](const std::string& of, const char* rows) {
      return "__device__ float f(" + of + ") { return a[y][x]; }\n__global__ void k() {\n  __shared__ float t[8][" +
             rows + "];\n  f(t);\n}\n";
    };
    const made m = edit(source(text, "16").c_str(), "t", {{8, 16}}, rows_longer_by(64, 16), {1, 4});
    EXPECT_EQ(m.after, source(longer, "16 + 4"));
    EXPECT_EQ(m.doubts, std::vector<by_hand>{}) << parameter;
  }
}

TEST(SourceEdit, RowsThatOtherCodeNeedsAreNotMadeLonger) {
  const std::string array = "  __shared__ float t[8][16];\n  float u[8][16];\n";
  const auto after = [](const std::string& source, const advise::answer& a) {
    return edit(source.c_str(), "t", {{8, 16}}, a, {4}).after;
  };
  EXPECT_EQ(after("void f(float (*a)[16]) { a[y][x] = 1; }\nvoid k() {\n" + array + "  f(t);\n  f(u);\n}\n",
                  rows_longer_by(64, 16)),
            "the parameter of f on line 1 has rows whose length would differ from the new rows");
  EXPECT_EQ(after("\nvoid k() {\n" + array + "  float (*p)[16] = t;\n}\n", rows_longer_by(64, 16)),
            "line 5 declares a pointer to rows, whose length would differ from the new rows");
  // The extents of a template's parameter follow from the call.
  EXPECT_NE(
      after("template <int H, int W> void f(float (&a)[H][W]) { a[y][x] = 1; }\nvoid k() {\n" + array + "  f(t);\n}\n",
            rows_longer_by(64, 16))
          .find("float t[8][16 + 4];"),
      std::string::npos);
}

TEST(SourceEdit, FunctionsThatReadWhatAPointerMeansAreHandedAnElement) {
  const auto after = [](const char* body) {
    const std::string source = "inline void f(int* __restrict__ p, const int* q) { " + std::string(body) +
                               " }\nvoid k() {\n  __shared__ int a[64];\n  f(&a[i], &a[j]);\n}\n";
    return edit(source.c_str(), "a", {{64}}, swizzled({2, 2, 3}, 256), {4}).after;
  };
  EXPECT_NE(after("if (*p > *q) *p = q[0];").find("f(&a[a_at(i)], &a[a_at(j)]);"), std::string::npos);
  for (const char* body :
       {"p[1] = *q;", "*(p + 1) = *q;", "*p++ = *q;", "g(p); *p = *q;", "*p = *(q - 1);", "int* r = p; *r = 1;"})
    EXPECT_EQ(after(body), "at least one use of a is not an access with an index") << body;
  // Code outside of this source is unknown.
  EXPECT_EQ(edit("void f(int*);\nvoid k() {\n  __shared__ int a[64];\n  f(&a[i]);\n}\n", "a", {{64}},
                 swizzled({2, 2, 3}, 256), {4})
                .after,
            "at least one use of a is not an access with an index");
}

TEST(SourceEdit, MemoryThatTheLaunchSizesIsSwizzledInPlace) {
  constexpr const char* source = "void k() {\n  extern __shared__ float s[];\n  s[i] = s[j];\n}\n";
  const made m = edit(source, "s", {{64, 4}}, swizzled({2, 2, 3}, 1024), {3});
  EXPECT_EQ(m.after,
            "void k() {\n  extern __shared__ float s[];\n"
            "  const auto s_at = [](unsigned i) { return i ^ (i >> 3 & 3); };\n  s[s_at(i)] = s[s_at(j)];\n}\n");
  EXPECT_EQ(m.doubts,
            (std::vector<by_hand>{
                {2,
                 "the size that a launch requests must be a multiple of 4 elements of s, as in the launches of the "
                 "report"}}));
  EXPECT_EQ(edit(source, "s", {{256}}, padded(128, 4, 1056), {3}).after,
            "the launch sets the size of s, and must request 32 more bytes for this layout");
  EXPECT_EQ(edit(source, "s", {{255}}, swizzled({2, 2, 3}, 1024), {3}).after,
            "the layout needs an array of 256 elements");
  EXPECT_EQ(edit("void k() {\n  extern __shared__ float s[];\n  float* p = s + 8;\n  p[1] = s[i];\n}\n", "s", {{256}},
                 swizzled({2, 2, 3}, 1024), {4})
                .after,
            "at least one use of s is not an access with an index");
  EXPECT_EQ(edit("void k() {\n  extern __shared__ float s[];\n  extern __shared__ int n[];\n  s[i] = n[j];\n}\n", "s",
                 {{256}}, swizzled({2, 2, 3}, 1024), {4})
                .after,
            "line 3 has another name for the memory of s");
}

TEST(SourceEdit, APaddingThatHasANameIsChangedWhereItIsDefined) {
  const auto after = [](const char* define, const char* access, const advise::answer& a) {
    const std::string source = "void k() {\n  " + std::string(define) + "\n  __shared__ float b[8 * (N + X)];\n  " +
                               std::string(access) + ";\n}\n";
    return edit(source.c_str(), "b", {{168}, 0, 4, 5, 16}, a, {4}).after;
  };
  const advise::answer longer = padded(64, 16, 640), shifted = padded(32, 4, 576);
  EXPECT_EQ(after("const int X = 5;", "b[y * (N + X) + x] = 1", longer),
            "void k() {\n  const int X = 4;\n  __shared__ float b[8 * (N + X)];\n  b[y * (N + X) + x] = 1;\n}\n");
  EXPECT_EQ(after("constexpr int X = 5;", "b[y * (N + X) + x] = 1", shifted),
            "void k() {\n  constexpr int X = 0;\n  __shared__ float b[(8 * (N + X)) + (8 * (N + X)) / 8];\n"
            "  const auto b_at = [](unsigned i) { return i + i / 8; };\n  b[b_at(y * (N + X) + x)] = 1;\n}\n");
  const std::string whole = "the existing padding is part of every index, so fix would have to change every index";
  EXPECT_EQ(after("const int X = 5;", "b[y * (N + X) + x] = X", longer),
            whole + ". fix cannot change the constant X instead, because the constant has another use on line 4");
  EXPECT_EQ(after("const int X = 5;", "b[y * 21 + x] = 1", longer),
            whole + ". fix cannot change a constant instead, because line 4 does not multiply the row by (N + X)");
  EXPECT_EQ(after("const int X = F(5);", "b[y * (N + X) + x] = 1", longer).substr(0, whole.size()), whole);
  EXPECT_EQ(after("const int X = 5;", "b[y * (N + X) + x] = c[y * (N + X)]", longer),
            whole + ". fix cannot change the constant X instead, because another array also uses the constant");
}

TEST(SourceEdit, FreeBytesWithinRowsMoveTheColumns) {
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[8][W];\n  a[y][x + 1] = 1;\n}\n", "a", {{8, 128}},
                 padded(128, 16, 4608), {3})
                .after,
            "void k() {\n  __shared__ float a[8][W + W / 32u * 4];\n  a[y][x + 1 + (x + 1) / 32u * 4] = 1;\n}\n");
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[8][W];\n  a[y][x++] = 1;\n}\n", "a", {{8, 128}},
                 padded(128, 16, 4608), {3})
                .after,
            "an index of a has a side effect, and the edit would write this index twice");
}

TEST(SourceEdit, APaddingAndAnXorAreOneIndexFunction) {
  advise::answer both = padded(512, 128, 2560);
  both.layout.terms = advise::terms_of({5, 2, 5});
  EXPECT_EQ(edit("void k() {\n  __shared__ float a[N];\n  a[i] = 1;\n}\n", "a", {{512}}, both, {3}).after,
            "void k() {\n  __shared__ float a[N + N / 128 * 32];\n"
            "  const auto a_at = [](unsigned i) { const unsigned j = i + i / 128 * 32; return j ^ (j >> 5 & 31); };\n"
            "  a[a_at(i)] = 1;\n}\n");
}

TEST(SourceEdit, MacrosAndNestedIndicesAreLeftToPeople) {
  EXPECT_EQ(edit("#define A(i) a[i][0]\nvoid k() {\n  __shared__ float a[32][32];\n  A(3) = 1;\n}\n", "a", {{32, 32}},
                 rows_longer_by(128, 4), {4})
                .after,
            "a macro uses a");
  EXPECT_EQ(edit("void k() {\n  __shared__ int a[32][32];\n  a[y][a[y][x]] = 1;\n}\n", "a", {{32, 32}},
                 swizzled({5, 2, 5}, 4096), {3})
                .after,
            "an index of a is inside another index of the same array");
}

TEST(SourceEdit, AnXorNeedsWholeBlocks) {
  EXPECT_EQ(
      edit("void k() {\n  __shared__ float a[N];\n  a[i] = 1;\n}\n", "a", {{61}}, swizzled({2, 2, 3}, 256), {3}).after,
      "void k() {\n  __shared__ float a[(N + 3) / 4 * 4];\n"
      "  const auto a_at = [](unsigned i) { return i ^ (i >> 3 & 3); };\n  a[a_at(i)] = 1;\n}\n");
}

// An access to a member of a union is only recognised if the access names the union's variable.
TEST(SourceEdit, MembersOfUnionsAreArrays) {
  constexpr const char* source =
      "union phases { float a[32][32]; float b[16][32]; };\n"  // 1
      "__global__ void other() { __shared__ phases v; v.a[0][1] = 1; }\n"
      "__global__ void k(float* out, item x) {\n"
      "  __shared__ union { float a[32][32]; float2 c[512]; } u;\n"
      "  u.a[threadIdx.y][threadIdx.x] = x.a[0][1];\n"
      "  out[0] = u.a[threadIdx.x][threadIdx.y];\n"
      "}\n";
  EXPECT_EQ(source::find_declared(source, "a", {5, 6})->line, 4u);
  EXPECT_EQ(source::find_declared(source, "a", {2})->line, 1u);
  EXPECT_EQ(source::find_declared(source, "b", {2})->type, "float");
  EXPECT_EQ(source::find_declared(source, "c", {5})->extents, std::vector<std::string>{"512"});
  EXPECT_EQ(source::find_declared(source, "b", {5}), std::nullopt);
  const auto lines_of_k = [&](const made& m) { return m.after.substr(m.after.find("  __shared__ union")); };
  EXPECT_EQ(lines_of_k(edit(source, "a", {{32, 32}}, rows_longer_by(128, 4), {5, 6})),
            "  __shared__ union { float a[32][32 + 1]; float2 c[512]; } u;\n"
            "  u.a[threadIdx.y][threadIdx.x] = x.a[0][1];\n"
            "  out[0] = u.a[threadIdx.x][threadIdx.y];\n"
            "}\n");
  EXPECT_EQ(lines_of_k(edit(source, "a", {{32, 32}}, swizzled({5, 2, 5}, 4096), {5, 6})),
            "  __shared__ union { float a[32][32]; float2 c[512]; } u;\n"
            "  u.a[threadIdx.y][threadIdx.x ^ threadIdx.y] = x.a[0][1];\n"
            "  out[0] = u.a[threadIdx.x][threadIdx.y ^ threadIdx.x];\n"
            "}\n");
}

int open_brackets(std::string_view text) {
  int open = 0;
  for (const char c : text) open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
  return open;
}

// If a source ends too early, an edit keeps the brackets balanced. It joins no lines and removes no words of a line.
TEST(SourceEdit, ASourceMayEndAnywhere) {
  const std::string source =
      "#define PAD 5\n"
      "typedef float real;\n"
      "template <int N> __device__ void swap(real* a, real *__restrict__ b, int i) { real t = *a; *a = b[0]; "
      "b[0] = t; }\n"
      "__device__ void fill(real tile[32][32], int x) { tile[x][0] = 1; }\n"
      "__global__ void k(real* out) {\n"
      "  __shared__ __align__(16) real tile[32][32], flat[(32 + PAD) * 32];\n"
      "  __shared__ union phases { real part[32][32]; struct { int n[4]; } s; } u;\n"
      "  extern __shared__ real all[];\n"
      "  fill(tile, threadIdx.x); swap<4>(&flat[threadIdx.x * (32 + PAD)], &flat[1 * (32 + PAD)], 0);\n"
      "  *(float4*)&tile[threadIdx.x][4] = *reinterpret_cast<float4*>(&all[threadIdx.x << 2]);\n"
      "  wmma::load_matrix_sync(a, &tile[0][0], 32);\n"
      "}\n";
  const auto is_whole = [](const std::string& before, const std::string& after) {
    return open_brackets(after) == open_brackets(before) &&
           std::count(after.begin(), after.end(), '\n') >= std::count(before.begin(), before.end(), '\n');
  };
  int edits = 0;
  const advise::answer swizzle_of_floats = swizzled({3, 4, 3}, 4096);
  for (std::size_t end = 0; end <= source.size(); ++end) {
    const std::string part = source.substr(0, end);
    for (const char* name : {"tile", "flat", "all", "part"}) {
      const auto declared = source::find_declared(part, name, {8, 9});
      if (!declared) continue;
      for (const advise::answer& a : {rows_longer_by(128, 4), padded(64, 16, 5120), swizzle_of_floats})
        for (const question& q :
             {question{{32, 32}}, question{{1024}}, question{.extents = {1184}, .free_after = 5, .row = 32}}) {
          const array_edit e = edit_of(part.c_str(), name, q, a, {8, 9});
          EXPECT_TRUE(e.refused.empty() || e.changes.empty()) << part;
          if (e.refused.empty()) {
            EXPECT_TRUE(is_whole(part, changed(part, e.changes))) << changed(part, e.changes);
          }
          edits += !e.changes.empty();
        }
    }
  }
  EXPECT_GT(edits, 1000);
}

TEST(SourceTokens, AreThePlacesOfWordsAndMarks) {
  std::string seen;
  for (const source::token& t :
       source::tokens_of("a->b /* x */ <<= 1.5e-3f; // y\n#define Q \"a;\\\"\" 'c'\nR\"(;)\"")) {
    seen += std::string(t.spelled) + (t.of_directive ? "#" : "") + "@" + std::to_string(t.line) + " ";
  }
  EXPECT_EQ(seen, "a@1 ->@1 b@1 <<=@1 1.5e-3f@1 ;@1 ##@2 define#@2 Q#@2 \"a;\\\"\"#@2 'c'#@2 R\"(;)\"@3 ");
  for (const char* open : {"(", "\"", "/*", "R\"(", "#", "'", "\\", "{[("}) source::tokens_of(open);
}

}  // namespace
}  // namespace bankwise::edit
