// Tests that the C++ code of explain compiles and that its assertion holds. One C++17 program contains the code for
// every kind of operation and machine. If one wavefront less is allowed, the code must not compile.
#include "report/forms/access_code.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/system/scratch_folder.hpp"
#include "expr/question.hpp"

namespace bankwise {
namespace {

std::string code_of(flag_values flags, const std::string& text) {
  const auto q = read_question(flags, text);
  EXPECT_TRUE(q) << (q ? "" : to_text(q.error()));
  return q ? to_cpp(report_access(*q)) : "";
}

bool compiles(const std::string& code) {
  const scratch_folder scratch;
  const std::string file = scratch.path() + "/copied.cpp";
  std::ofstream(file) << code;
  const std::string command = std::string(BANKWISE_CXX) + " -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I " +
                              BANKWISE_SOURCE_DIR + "/include " + file + " >" + file + ".log 2>&1";
  return std::system(command.c_str()) == 0;
}

const std::vector<std::pair<flag_values, std::string>>& questions() {
  static const std::vector<std::pair<flag_values, std::string>> list = {
      {{{{"array", {"float tile[32][32]"}}}}, "tile[t][0]"},
      {{{{"type", {"float4"}}}}, "(t % 8) * 8 + t / 8"},
      {{{{"op", {"st"}}, {"type", {"uint2"}}, {"where", {"t > 3"}}}}, "t / 2"},
      {{{{"op", {"ldmatrix.x4"}}, {"type", {"half"}}, {"swizzle", {"3,4,3"}}}}, "(t % 16) * 64 + (t / 16) * 8"},
      {{{{"op", {"stmatrix.x2"}}, {"type", {"half"}}}}, "t * 64"},
      {{{{"op", {"atom.add"}}, {"type", {"float"}}}}, "t % 4"},
      {{{{"op", {"red.add"}}, {"type", {"float"}}}}, "t"},
      {{{{"op", {"atom.cas"}}, {"type", {"double"}}}}, "t * 3"},
      {{{{"op", {"atom.cas.spin"}}, {"type", {"float"}}}}, "t * 2"},
      {{{{"op", {"popc.inc"}}}}, "0"},
      {{{{"op", {"cp.async.ca"}}, {"width", {"16"}}}}, "t * 16"},
      {{{{"arch", {"sm_13"}}, {"type", {"float"}}}}, "t * 2"},
      {{{{"arch", {"sm_20"}}, {"type", {"double"}}}}, "t"},
      {{{{"arch", {"sm_35"}}, {"type", {"float"}}}}, "31 - t"},
      {{{{"arch", {"sm_35.8"}}, {"type", {"float"}}}}, "t * 32"},
      {{{{"arch", {"10x4"}}, {"mask", {"0x3f0"}}}}, "t * 40 + 8"},
      {{{{"where", {"0"}}}}, "t"},
  };
  return list;
}

// Returns a program with all pieces of code. Each piece has its own namespace, so that all pieces fit into one file.
std::string program(bool allow_one_less) {
  std::string all = "#include <bankwise/bankwise.hpp>\n";
  std::size_t n = 0;
  for (const auto& [flags, text] : questions()) {
    std::string code = code_of(flags, text);
    code.erase(0, code.find('\n') + 1);
    if (allow_one_less) {
      // In "shared_access, 32)", the allowed number follows the comma.
      const std::size_t at = code.find("BANKWISE_ASSERT_WAVEFRONTS(shared_access, ") + 42;
      code.replace(at, code.find_first_of(",)", at) - at, "0");
    }
    all += "namespace copy_" + std::to_string(n++) + " {\n" + code + "}\n";
  }
  return all;
}

TEST(access_code, compiles_and_holds) {
  EXPECT_TRUE(compiles(program(false)));
  EXPECT_FALSE(compiles(program(true)));
}

TEST(access_code, writes_a_sequence_as_a_formula_and_the_rest_as_a_table) {
  EXPECT_NE(code_of({}, "t * 132 + 4").find("return lane * 132 + 4;"), std::string::npos);
  EXPECT_NE(code_of({{{"where", {"t > 7"}}}}, "t * 8").find("return lane * 8;"), std::string::npos);
  EXPECT_NE(code_of({}, "t / 2 * 4").find("byte_address[lane]"), std::string::npos);
  EXPECT_NE(code_of({}, "124 - t * 4").find("return 124 - lane * 4;"), std::string::npos);
}

}  // namespace
}  // namespace bankwise
