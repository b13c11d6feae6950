// Tests which part of a long source line is shown.
#include "report/table/source_excerpt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace bankwise {
namespace {

const std::string transposes =
    "for (int j = 0; j < tile_side; j += rows_a_step) out[(ty + j) * n + tx] = tile[threadIdx.x][threadIdx.y + j];";

site with(const char* spelling) {
  site s;
  s.op.spelling = spelling;
  return s;
}

TEST(SourceExcerpt, KeepsAShortLine) {
  EXPECT_EQ(source_excerpt("x = tile[0];", with("ld.b32"), "", 40), "x = tile[0];");
}

TEST(SourceExcerpt, CutsAroundTheAccess) {
  EXPECT_EQ(source_excerpt(transposes, with("ld.b32"), "", 45), "... tx] = tile[threadIdx.x][threadIdx.y + j];");
  EXPECT_EQ(source_excerpt(transposes, with("st.b32"), "", 30), "...out[(ty + j) * n + tx] =...");
  // If the array's name is known, the name takes precedence over the operation of the instruction.
  EXPECT_EQ(source_excerpt("a[i * 4 + 3] = 2 * b[i * 100 + 7] + 3 * c[i * 100 + 7];", with("ld.b32"), "c", 25),
            "... + 3 * c[i * 100 + 7];");
}

TEST(SourceExcerpt, FindsTheArrayOfAnAtomic) {
  const std::string line = "if (threadIdx.x < something_long_that_fills_it) atomicAdd(&bin[in[i] % 16 * 16], 1);";
  EXPECT_NE(source_excerpt(line, with("red.b32"), "", 40).find("bin[in[i]"), std::string::npos);
}

TEST(SourceExcerpt, NeverExceedsTheWidth) {
  const std::string odd =
      "\xc3\xa4\xc3\xb6\xc3\xbc = [[[]]]==[x] = \xc3\xa4[" + std::string(200, '[') + "\xc3\xa4\xc3\xa4";
  for (std::size_t width = 1; width < 300; ++width)
    for (const char* op : {"ld.b32", "st.b32", "red.b32"})
      for (const std::string& line : {odd, transposes, std::string()})
        EXPECT_LE(display_width(source_excerpt(line, with(op), "tile", width)), std::max<std::size_t>(width, 3))
            << width;
}

}  // namespace
}  // namespace bankwise
