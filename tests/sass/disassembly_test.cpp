// Prints every instruction of the probes and of the cubins in the tree. The text must equal the output of nvdisasm.
// data/sm_90/nvdisasm.txt.zst has each encoding once, as "file kernel pc text" (tests/sass/disassembly_rows.py).
// Schedules are not printed and not compared.
//
// For other architectures, data/sm_80/nvdisasm.txt.zst and similar files have rows with their encodings.
//
//     BANKWISE_NVDISASM=FOLDER disassembly_test     prints how many rows of FOLDER/nvdisasm_sm_80.txt[.gz] etc. agree
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "sass/print/print.hpp"
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
    "examples/triton/attention.cubin",
    "examples/triton/attention_8_warps.cubin",
    "examples/triton/cumsum.cubin",
    "examples/triton/histogram.cubin",
    "examples/triton/layer_norm.cubin",
    "examples/triton/matmul_f16.cubin",
    "examples/triton/matmul_f16_stages.cubin",
    "examples/triton/matmul_f32.cubin",
    "examples/triton/matmul_tf32.cubin",
    "examples/triton/softmax.cubin",
    "examples/triton/sort.cubin",
    "examples/triton/transpose_f16.cubin",
    "examples/triton/transpose_f32.cubin",
    "examples/tutorial/ldmatrix.cubin",
    "examples/tutorial/transpose.cubin",
    "examples/tutorial/wide.cubin",
    "barriers.cubin",
    "probes.cubin",
    "wgmma.cubin",
};

// Returns the files listed above, and all cubins of tests/kernels.
std::vector<std::string> disassembled() {
  std::vector<std::string> all(std::begin(files), std::end(files));
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("tests/kernels")))
    if (entry.path().extension() == ".cubin") all.push_back("tests/kernels/" + entry.path().filename().string());
  return all;
}

// A name without a folder means a file in data/sm_90.
cubin::program load(const std::string& file) {
  std::vector<std::byte> bytes;
  if (file.find('/') == std::string::npos) {
    const std::string text = test::read_zstd(test::source_path("data/sm_90/" + file + ".zst"));
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes.assign(first, first + text.size());
  } else {
    bytes = test::read_bytes(test::source_path(file));
  }
  auto p = cubin::load_cubin(bytes, file);
  EXPECT_TRUE(p) << to_text(p.error());
  return p ? std::move(*p) : cubin::program{};
}

// Returns the part of an encoding that determines its text. The text of a branch also depends on its pc.
std::pair<std::uint64_t, std::uint64_t> encoding_of(const sass::instruction& i) {
  constexpr std::uint64_t schedule = ((std::uint64_t{1} << 17) - 1) << (105 - 64);
  return {i.low, i.high & ~schedule};
}

TEST(Disassembly, EveryInstructionPrintsAsNvdisasmPrintsIt) {
  std::map<std::string, cubin::program> programs;
  std::map<std::string, const cubin::code_section*> sections;
  for (const std::string& file : disassembled()) {
    programs[file] = load(file);
    for (const cubin::code_section& s : programs[file].sections) sections[file + s.name] = &s;
  }

  std::set<std::pair<std::uint64_t, std::uint64_t>> compared;
  std::istringstream rows(test::read_zstd(test::source_path("data/sm_90/nvdisasm.txt.zst")));
  std::string file, section, pc_text, expected;  // `section` is the section's name without ".text."
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
            << name << ", " << s.name << " at 0x" << hex(pc) << " has no row in the list of nvdisasm's output";
      }
}

// --- other architectures: "high low pc<tab>text" ---

struct agreement {
  std::size_t rows = 0, equal = 0;
  // for each mnemonic: how many rows differ, and the first row that differs
  std::map<std::string, std::pair<std::size_t, std::string>> different;
};

agreement compare(const std::string& rows, unsigned sm) {
  agreement a;
  std::istringstream lines(rows);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    std::istringstream head(line.substr(0, tab));
    sass::instruction i;
    std::uint64_t pc = 0;
    if (tab == std::string::npos || !(head >> std::hex >> i.high >> i.low >> pc)) continue;
    i.set = sass::isa_of(sm);
    const std::string expected = line.substr(tab + 1), got = sass::to_text_with_reuse(i, pc, sm);
    ++a.rows;
    if (got == expected) {
      ++a.equal;
      continue;
    }
    const std::size_t guard = expected.starts_with('@') ? expected.find(' ') + 1 : 0;
    auto& [count, first] = a.different[expected.substr(guard, expected.find_first_of(". ", guard) - guard)];
    if (count++ == 0) first = got + ", but nvdisasm has " + expected + ": " + hex(i.high, 16) + hex(i.low, 16);
  }
  return a;
}

// Returns the number after "sm_", such as 80 in data/sm_80/nvdisasm.txt.zst.
unsigned sm_in(const std::string& file) {
  unsigned sm = 0;
  const std::size_t at = file.rfind("sm_");
  if (at != std::string::npos) std::from_chars(file.data() + at + 3, file.data() + file.size(), sm);
  return sm;
}

// For sm_90, the rows include code of cubins that are not in the tree: clusters, tensor copies, a GEMM of CUTLASS.
TEST(Disassembly, EncodingsPrintAsNvdisasmPrintsThem) {
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("data"))) {
    const bool is_sm_90 = entry.path().filename() == "sm_90";
    const std::string file = entry.path().string() + (is_sm_90 ? "/encodings.txt.zst" : "/nvdisasm.txt.zst");
    if (!std::filesystem::exists(file)) continue;
    const agreement a = compare(test::read_zstd(file), sm_in(file));
    EXPECT_GT(a.rows, 0u) << file;
    for (const auto& [name, rest] : a.different)
      ADD_FAILURE() << file << ": " << rest.first << " rows of " << name << " differ: " << rest.second;
  }
}

}  // namespace
}  // namespace bankwise
