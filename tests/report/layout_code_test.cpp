// Tests that the code of fix compiles. Every element must have the same offset as in the evaluated layout. Triton's
// parameters give the same offsets, by the formulas that Triton 3.6 used on a GPU.
#include "report/text/layout_code.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "advise/tile_question.hpp"
#include "base/system/scratch_folder.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

struct advised {
  advise::tile tile;
  advise::answer answer;
};

// Returns all answers to a set of questions that uses every family of layouts.
const std::vector<advised>& answers() {
  static const std::vector<advised> all = [] {
    const std::vector<std::vector<std::string>> questions = {
        {"float A[32][32]", "st A[i][t] for i < 32", "ld A[t][i] for i < 32"},
        {"half A[64][64]", "cp.async.16 A[i * 4 + t / 8][t % 8 * 8] for i < 16", "ldmatrix.x4 A[t % 16][t / 16 * 8]"},
        {"half A[128][32]", "st.128 A[i * 8 + t / 4][t % 4 * 8] for i < 16", "ldmatrix.x4 A[t % 16][t / 16 * 8]"},
        {"half A[32][256]", "st.128 A[i][t * 8] for i < 32", "ldmatrix.x4.trans A[t % 16][t / 16 * 8]"},
        {"double A[32][32]", "ld A[t][i] for i < 3", "st A[i][t] for i < 32"},
        {"float A[4][16][32]", "ld A[1][t / 2][t % 2 * 16]", "ld A[t / 8][t % 8][3]"},
        {"float A[2048]", "ld A[t * 32]", "ld A[t * 64]", "ld A[t]", "ld A[t / 4 * 8 + t % 4]"},
        {"float A[2048]", "st A[t % 8 + t / 8 * 512]", "st A[t % 2 + t / 2 * 128]", "ld A[t]", "ld A[t * 8]"},
        {"char A[16][64]", "st A[t % 16][t / 16 * 32]", "ld A[t / 16][t % 16 * 4]"},
        {"float A[2048]", "ld A[(t & ~7) * 4 + (t & 7)]", "ld A[(t & ~1) * 4 + (t & 1)]", "ld A[t]"},
        {"float A[64][32]", "ld A[t / 8][t % 8]", "ld A[t / 16 * 2 + t % 16 / 2][t % 2]", "ld A[t % 32][0]"},
        {"half A[8][64]", "ld.128 A[t % 2][t / 2 * 16] where t < 8",
         "ld.128 A[t % 2][t % 2 * 8 + t / 2 * 16] where t < 8"},
        {"float A[48][80]", "st.64 A[i][t * 2] for i < 48", "ld.128 A[t][i * 4] for i < 20"},
        {"float A[32][48]", "ld A[t][i] for i < 48", "ld.128 A[t % 8][t / 8 * 4]", "st.64 A[t][2]"},
    };
    std::vector<advised> found;
    for (const auto& q : questions) {
      flag_values flags;
      flags.values["array"] = {q[0]};
      const auto tiles = advise::read_tiles(flags, {q.begin() + 1, q.end()});
      EXPECT_TRUE(tiles) << to_text(tiles.error());
      for (const advise::answer& a : advise::advise(tiles->front().what).answers) found.push_back({tiles->front(), a});
    }
    return found;
  }();
  return all;
}

u32 columns_of(const advise::tile& t) {
  return t.array.extents.size() > 1 ? static_cast<u32>(t.array.extents.back()) : 0;
}

std::string program() {
  std::string all =
      "#define __shared__ static\n#define __device__\n#define __align__(n) __attribute__((aligned(n)))\n"
      "struct half { short bits; };\n";
  std::size_t n = 0;
  for (const auto& [tile, answer] : answers()) {
    const layout_code code = code_of(tile.array, tile.what, answer);
    all += "namespace answer_" + std::to_string(n++) + " {\n" + code.cuda;
    const u32 e = tile.array.element_bytes, columns = columns_of(tile);
    if (answer.kind == advise::family::row_padding) {
      std::string row = "A[0]";
      for (std::size_t i = 2; i < tile.array.extents.size(); ++i) row += "[0]";
      all += "static_assert(sizeof(" + row + ") == " + std::to_string(answer.layout.every + answer.layout.gap) +
             ", \"\");\n";
    } else {
      all += "static_assert(sizeof(A) == " + std::to_string(answer.bytes) + ", \"\");\n";
      for (u32 i = 0; i < tile.what.bytes / e; i += 1 + i / 3)
        all += "static_assert(A_at(" +
               (columns == 0 ? std::to_string(i) : std::to_string(i / columns) + ", " + std::to_string(i % columns)) +
               ") == " + std::to_string(answer.layout(i * e) / e) + ", \"\");\n";
    }
    all += "}\n";
  }
  return all;
}

TEST(LayoutCode, CompilesAndIsTheLayout) {
  const scratch_folder scratch;
  const std::string file = scratch.path() + "/advised.cpp";
  const auto compiles = [&](const std::string& code) {
    std::ofstream(file) << code;
    const std::string command = std::string(BANKWISE_CXX) +
                                " -std=c++17 -Wall -Wextra -Wno-unused-variable -Wno-unused-function "
                                "-Werror -fsyntax-only " +
                                file + " >" + file + ".log 2>&1";
    return std::system(command.c_str()) == 0;
  };
  const std::string right = program();
  EXPECT_TRUE(compiles(right)) << test::read_text(file + ".log");
  // Makes an assertion wrong. The program must not compile.
  const std::size_t at = right.rfind("== ");
  EXPECT_FALSE(compiles(right.substr(0, at + 3) + "1" + right.substr(at + 3)));
}

TEST(LayoutCode, HasEveryFamily) {
  std::vector<bool> seen(advise::families, false);
  for (const advised& x : answers()) seen[static_cast<std::size_t>(x.answer.kind)] = true;
  for (int f = 1; f < advise::families; ++f)
    EXPECT_TRUE(seen[static_cast<std::size_t>(f)]) << advise::name_of(static_cast<advise::family>(f));
}

TEST(LayoutCode, TritonsSwizzledLayoutIsTheSwizzle) {
  const std::regex form(R"(gl\.SwizzledSharedLayout\(vec=(\d+), per_phase=(\d+), max_phase=(\d+), order=\[1, 0\]\))");
  int seen = 0;
  for (const auto& [tile, answer] : answers()) {
    std::smatch m;
    const std::string text = code_of(tile.array, tile.what, answer).triton;
    if (!std::regex_match(text, m, form)) continue;
    ++seen;
    const u32 vec = static_cast<u32>(std::stoul(m[1])), per_phase = static_cast<u32>(std::stoul(m[2])),
              max_phase = static_cast<u32>(std::stoul(m[3])), e = tile.array.element_bytes, columns = columns_of(tile);
    for (u32 i = 0; i < tile.what.bytes / e; ++i) {
      const u32 row = i / columns, column = i % columns;
      const u32 to = row * columns + ((column / vec) ^ (row / per_phase % max_phase)) * vec + column % vec;
      ASSERT_EQ(answer.layout(i * e), to * e) << text << " " << i;
    }
  }
  EXPECT_GT(seen, 2);
}

TEST(LayoutCode, TritonsLinearLayoutIsTheInverse) {
  int seen = 0;
  for (const auto& [tile, answer] : answers()) {
    const std::string text = code_of(tile.array, tile.what, answer).triton;
    if (!text.starts_with("gl.SharedLinearLayout")) continue;
    ++seen;
    const std::regex pair(R"(\[(\d+), (\d+)\])");
    u32 bit = tile.array.element_bytes;
    for (std::sregex_iterator m(text.begin(), text.end(), pair), end; m != end; ++m, bit *= 2) {
      const u32 row = static_cast<u32>(std::stoul((*m)[1])), column = static_cast<u32>(std::stoul((*m)[2]));
      EXPECT_EQ(answer.layout((row * columns_of(tile) + column) * tile.array.element_bytes), bit) << text;
    }
    EXPECT_EQ(bit, tile.what.bytes) << "there must be one basis vector for each bit of the offset";
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace bankwise
