// Lookups in a loaded program.
#include "cubin/program.hpp"

#include <gtest/gtest.h>

#include "cubin/load_cubin.hpp"
#include "cubin/names/kernel_names.hpp"
#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

program transpose() {
  return *load_cubin(test::read_bytes(test::source_path("examples/transpose.cubin")), "transpose.cubin");
}

TEST(Program, AnAddressLeadsToItsSection) {
  const program p = transpose();
  for (std::uint32_t n = 0; n < p.sections.size(); ++n) {
    EXPECT_EQ(p.section_at(p.sections[n].address), n);
    EXPECT_EQ(p.section_at(p.sections[n].address + p.sections[n].bytes.size() - 1), n);
  }
  EXPECT_EQ(p.section_at(0), std::nullopt);
}

TEST(Program, AnInstructionLeadsToItsLines) {
  const program p = transpose();
  const kernel& k = **find_kernel(p, "transpose_plain");
  const auto lines = p.ptx_lines();
  std::size_t placed = 0;
  for (std::uint64_t pc = k.offset; pc < k.offset + k.code_bytes; pc += instruction_bytes) {
    const auto place = p.source_of(k.section, pc);
    const auto frames = p.frames_of(k.section, pc);
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().function, k.full_name);
    if (!place) continue;
    ++placed;
    EXPECT_TRUE(place->outer_file.ends_with("transpose.cu")) << place->outer_file;
    EXPECT_TRUE(place->outer_line >= 12 && place->outer_line <= 19) << place->outer_line;  // of transpose_plain
    EXPECT_LE(p.ptx_line_of(k.section, pc), lines.size());
  }
  EXPECT_GT(placed, 10u);
}

}  // namespace
}  // namespace bankwise::cubin
