// Every instruction of the shipped cubins and of the probes, printed as nvdisasm prints it. data/sm_90/nvdisasm.txt.zst
// has each encoding once, "file kernel pc text" (tests/disassembly_rows.py); schedules are not printed and do not count.
#include <gtest/gtest.h>

#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "cubin/program.hpp"
#include "sass/print.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

constexpr const char* files[] = {
    "examples/gemm.cubin",
    "examples/histogram.cubin",
    "examples/mma_tile.cubin",
    "examples/reduction.cubin",
    "examples/stencil.cubin",
    "examples/transpose.cubin",
    "probes.cubin",
    "tests/kernels/faults.cubin",
    "tests/kernels/forms.cubin",
};

cubin::program load(const std::string& file) {
  std::vector<std::byte> bytes;
  if (file == "probes.cubin") {
    const std::string text = test::read_zstd(test::source_path("data/sm_90/probes.cubin.zst"));
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes.assign(first, first + text.size());
  } else {
    bytes = test::read_bytes(test::source_path(file));
  }
  auto p = cubin::load_cubin(bytes, file);
  EXPECT_TRUE(p) << to_text(p.error());
  return p ? std::move(*p) : cubin::program{};
}

// What the spelling depends on, but for branches, which depend on the pc too.
std::pair<std::uint64_t, std::uint64_t> encoding_of(const sass::instruction& i) {
  constexpr std::uint64_t schedule = ((std::uint64_t{1} << 17) - 1) << (105 - 64);
  return {i.low, i.high & ~schedule};
}

TEST(Disassembly, EveryInstructionPrintsAsNvdisasmPrintsIt) {
  std::map<std::string, cubin::program> programs;
  std::map<std::string, const cubin::code_section*> sections;
  for (const char* file : files) {
    programs[file] = load(file);
    for (const cubin::code_section& s : programs[file].sections) sections[file + s.name] = &s;
  }

  std::set<std::pair<std::uint64_t, std::uint64_t>> compared;
  std::istringstream rows(test::read_zstd(test::source_path("data/sm_90/nvdisasm.txt.zst")));
  std::string file, section, pc_text, expected;  // the section without ".text."
  while (rows >> file >> section >> pc_text && std::getline(rows >> std::ws, expected)) {
    std::uint64_t pc = 0;
    std::from_chars(pc_text.data(), pc_text.data() + pc_text.size(), pc, 16);
    const std::string where = file + ", " + section + " at 0x" + pc_text;
    const auto code = sections.find(file + ".text." + section);
    ASSERT_TRUE(code != sections.end() && pc + cubin::instruction_bytes <= code->second->bytes.size()) << where;
    const sass::instruction i = sass::load_instruction(code->second->bytes.data() + pc);
    EXPECT_EQ(sass::to_text_with_reuse(i, pc), expected) << where << ": " << hex(i.high, 16) << hex(i.low, 16);
    compared.insert(encoding_of(i));
  }

  for (const auto& [name, program] : programs)
    for (const cubin::code_section& s : program.sections)
      for (std::size_t pc = 0; pc + cubin::instruction_bytes <= s.bytes.size(); pc += cubin::instruction_bytes) {
        const sass::instruction i = sass::load_instruction(s.bytes.data() + pc);
        ASSERT_TRUE(compared.contains(encoding_of(i)))
            << name << ", " << s.name << " at 0x" << hex(pc) << " has no row";
      }
}

}  // namespace
}  // namespace bankwise
