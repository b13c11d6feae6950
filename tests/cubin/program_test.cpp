// Tests lookups in a loaded program.
#include "cubin/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cubin/kernel_names.hpp"
#include "cubin/load_cubin.hpp"
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

// As measured on an H100, the driver's addresses are multiples of 256 bytes.
TEST(Program, EachVariableHasAnAddressOfItsOwn) {
  int variables = 0, strings = 0;
  for (const char* file : {"global_forms", "dependences", "endless", "faults", "printing"}) {
    const auto p =
        load_cubin(test::read_bytes(test::source_path(std::string("tests/kernels/") + file + ".cubin")), file);
    ASSERT_TRUE(p) << file;
    std::uint64_t end = 0;
    std::vector<variable> sorted;
    for (const variable& v : p->variables)
      if (!v.bank) sorted.push_back(v);
    std::sort(sorted.begin(), sorted.end(), [](const variable& a, const variable& b) { return a.address < b.address; });
    for (const variable& v : sorted) {
      ++variables;
      EXPECT_EQ(v.address % 256, 0u) << file << " " << v.name;
      EXPECT_GE(v.address, end) << file << " " << v.name;
      end = v.address + v.bytes;
      const auto segment = std::find_if(p->data.begin(), p->data.end(), [&](const data_segment& d) {
        return d.address <= v.address && v.address + v.bytes <= d.address + d.bytes;
      });
      ASSERT_NE(segment, p->data.end()) << file << " " << v.name;
      if (!v.name.starts_with("$str") || segment->init.empty()) continue;
      ++strings;  // a string of printf or assert: text that ends with a zero byte
      const std::uint64_t at = v.address - segment->address;
      ASSERT_LE(at + v.bytes, segment->init.size());
      EXPECT_NE(segment->init[at], std::byte{0}) << v.name;
      EXPECT_EQ(segment->init[at + v.bytes - 1], std::byte{0}) << v.name;
    }
  }
  EXPECT_GE(variables, 5);
  EXPECT_GE(strings, 1);
}

}  // namespace
}  // namespace bankwise::cubin
