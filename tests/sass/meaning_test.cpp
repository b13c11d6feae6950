// Tests the table of instructions that were not measured. All instructions that are not in the table occur in the
// kernels of data/sm_90, whose results a GPU computed.
#include "sass/meaning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "sass/instruction.hpp"
#include "support/files.hpp"

namespace bankwise::sass {
namespace {

// Returns the opcodes of all kernels that a GPU executed.
std::set<opcode> opcodes_of_probes() {
  std::set<opcode> found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(test::source_path("data/sm_90"))) {
    const std::string path = file.path().string();
    if (!path.ends_with(".cubin.zst")) continue;
    const std::string bytes = test::read_zstd(path);
    const auto p = cubin::load_cubin(bytes_of(bytes), path);
    EXPECT_TRUE(p) << path;
    if (!p || isa_of(p->sm) != isa::hopper) continue;
    for (const cubin::code_section& s : p->sections)
      for (std::size_t at = 0; at + instruction_bytes <= s.bytes.size(); at += instruction_bytes)
        if (const auto* row = load_instruction(s.bytes.data() + at, isa::hopper).info()) found.insert(row->op);
  }
  return found;
}

TEST(Meaning, MeasuredInstructionsAreThoseOfTheProbes) {
  const std::set<opcode> probed = opcodes_of_probes();
  EXPECT_GT(probed.size(), 150u);
  std::set<opcode> seen;
  for (const opcode_info& row : all_rows()) {
    if (row.first > isa::hopper || row.last < isa::hopper || !seen.insert(row.op).second) continue;
    EXPECT_EQ(meaning_of(row.op) == meaning::measured, probed.contains(row.op))
        << mnemonic(row) << ": a row of the table in src/sass/meaning.cpp is missing, or is not needed";
  }
}

TEST(Meaning, InstructionsThatHopperDoesNotHaveAreNotMeasured) {
  EXPECT_EQ(meaning_of(opcode::FFMA2), meaning::documented);
  EXPECT_EQ(meaning_of(opcode::UFADD), meaning::assumed);
  EXPECT_EQ(meaning_of(opcode::LDS), meaning::measured);
  EXPECT_STREQ(name_of(meaning::assumed), "assumed");
  EXPECT_STREQ(name_of(meaning::documented), "documented");
  EXPECT_STREQ(name_of(meaning::measured), "measured");
}

TEST(Meaning, EveryInstructionHasAMnemonic) {
  for (const opcode_info& row : all_rows())
    EXPECT_FALSE(mnemonic(row).empty()) << row.format << ": a report would list an instruction without a name";
}

}  // namespace
}  // namespace bankwise::sass
