// Tests the source lines of instructions.
#include "cubin/line_table.hpp"

#include <gtest/gtest.h>

#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

struct loaded {
  std::vector<std::byte> bytes = test::read_bytes(test::source_path("examples/transpose.cubin"));
  elf_image elf = *read_elf(bytes, "transpose.cubin");
};

TEST(LineTable, EveryInstructionHasALineOfItsSource) {
  const loaded l;
  const auto t = read_line_table(l.elf, ".debug_line", "transpose.cubin");
  ASSERT_TRUE(t) << to_text(t.error());
  ASSERT_FALSE(t->by_section.empty());
  for (const auto& [section, rows] : t->by_section)
    for (std::uint64_t pc = 0; pc < l.elf.sections[section].bytes.size(); pc += 16) {
      const line_row* row = t->find(section, pc);
      ASSERT_NE(row, nullptr) << pc;
      EXPECT_LE(row->pc, pc);
      EXPECT_EQ(t->find_innermost(section, pc)->pc, row->pc);
      EXPECT_TRUE(row->file == 0 || row->line > 0);
    }
  EXPECT_EQ(t->find(99999, 0), nullptr);
}

TEST(LineTable, PathsThatAreNotAsciiAreThoseOfTheirFiles) {
  EXPECT_EQ(source_path("/a/\\303", "251.cu"), "/a/\u00e9.cu");
  EXPECT_EQ(source_path("/a/b\\303", "251c.cu"), "/a/b\u00e9c.cu");
  EXPECT_EQ(source_path("/\\303\\251/x", "k.cu"), "/\u00e9/x/k.cu");
  EXPECT_EQ(source_path("/a/\\344\\270", "255.cu"), "/a/\u4e2d.cu");
  EXPECT_EQ(source_path("/a", "251.cu"), "/a/251.cu");
  EXPECT_EQ(source_path("/a/\\377", "251.cu"), "/a/\\377/251.cu");  // not UTF-8
  EXPECT_EQ(source_path("", "k.cu"), "k.cu");
}

TEST(LineTable, ThatIsMissingIsEmpty) {
  const loaded l;
  const auto t = read_line_table(l.elf, ".debug_nothing", "transpose.cubin");
  ASSERT_TRUE(t);
  EXPECT_TRUE(t->by_section.empty());
}

TEST(LineTable, ThatIsCutIsAnErrorOrShorter) {
  loaded l;
  for (elf_section& s : l.elf.sections) {
    if (s.name != ".debug_line") continue;
    const byte_span whole = s.bytes;
    std::size_t errors = 0;
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      s.bytes = whole.first(bytes);
      const auto t = read_line_table(l.elf, ".debug_line", "cut.cubin");
      if (t) continue;
      ++errors;
      EXPECT_EQ(t.error().where.file, "cut.cubin");
    }
    EXPECT_GT(errors, whole.size() / 2);
  }
}

}  // namespace
}  // namespace bankwise::cubin
