// Tests how the PTX in a cubin is read.
#include "cubin/ptx_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

TEST(PtxText, OfACubinAndOfOneThatIsLinkedFromTwo) {
  for (const auto& [file, linked] :
       {std::pair{"examples/transpose.cubin", false}, {"fuzz/corpus/cubin/linked.cubin", true}}) {
    const auto bytes = test::read_bytes(test::source_path(file));
    const auto elf = read_elf(bytes, file);
    ASSERT_TRUE(elf) << to_text(elf.error());
    EXPECT_EQ(is_linked(*elf), linked) << file;
    auto lines = read_line_table(*elf, ".nv_debug_line_sass", file);
    ASSERT_TRUE(lines) << to_text(lines.error());
    const std::string text = join_ptx_texts(*elf, *lines);
    EXPECT_NE(text.find(".entry "), std::string::npos);
    EXPECT_EQ(text.back(), '\0');
    // Every line number in the table is a line of the text.
    const auto count = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\0'));
    std::uint32_t last = 0;
    for (const auto& [section, rows] : lines->by_section)
      for (const line_row& row : rows) last = std::max(last, row.line);
    EXPECT_GT(last, 0u);
    EXPECT_LE(last, count) << file;
  }
}

TEST(PtxText, OfNothingIsEmptyAndChangesNoLine) {
  elf_image none;
  line_table lines;
  lines.files = {""};
  lines.by_section[1] = {{.pc = 0, .line = 7}};
  EXPECT_EQ(join_ptx_texts(none, lines), "");
  EXPECT_EQ(lines.by_section[1][0].line, 7u);
  EXPECT_FALSE(is_linked(none));
}

}  // namespace
}  // namespace bankwise::cubin
