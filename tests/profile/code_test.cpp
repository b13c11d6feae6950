// Tests the code in a report. Every site has its instruction, its source line and its line of PTX.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cubin/elf_image.hpp"
#include "cubin/load_cubin.hpp"
#include "profile/code/code.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

const std::vector<code_line>& code_of(const kernel_code& c, const site& s) {
  for (const function_code& f : c.functions)
    if (f.name == s.function) return f.instructions;
  EXPECT_EQ(s.function, "");
  return c.instructions;
}

void expect_every_site(const test::kernel_run& run) {
  const kernel_code& c = run.whole.code.at(0);
  EXPECT_EQ(c.mangled, run.launch().mangled);
  ASSERT_FALSE(run.launch().sites.empty());
  for (const site& s : run.launch().sites) {
    const std::vector<code_line>& list = code_of(c, s);
    const auto at = std::find_if(list.begin(), list.end(), [&](const code_line& l) { return l.pc == s.pc; });
    ASSERT_NE(at, list.end()) << s.sass;
    EXPECT_EQ(at->sass.substr(0, at->sass.find(' ')), s.sass.substr(0, s.sass.find(' ')));
    ASSERT_GE(at->file, 0);
    EXPECT_EQ(c.files.at(static_cast<std::size_t>(at->file)), s.file);
    EXPECT_EQ(at->line, s.line);
    EXPECT_EQ(at->ptx_line, s.ptx_line);
    ASSERT_GE(s.ptx_line, 1u);
    // If the SASS instruction is a load, its PTX line is a load. If the SASS instruction is a store, its PTX line is a
    // store.
    const std::string& ptx = c.ptx.at(s.ptx_line - 1);
    if (s.sass.starts_with("LDS ") || s.sass.starts_with("STS ")) {
      EXPECT_NE(ptx.find(s.sass.starts_with("LDS ") ? "ld." : "st."), std::string::npos) << s.sass << "  " << ptx;
    }
  }
}

test::kernel_launch transpose() {
  return {.cubin = "examples/transpose.cubin",
          .kernel = "transpose_plain",
          .grid = {8, 8, 1},
          .block = {32, 8, 1},
          .arguments = {"out:f32[256*256]", "f32[256*256]=iota", "i32=256"}};
}

TEST(Code, HoldsEverySite) {
  for (const test::kernel_launch& what :
       {transpose(),
        {.cubin = "examples/gemm.cubin",
        .kernel = "gemm",
        .grid = {2, 2, 1},
        .block = {16, 16, 1},
        .arguments = {"out:f32[128*128]", "f32[128*64]=iota", "f32[64*128]=1", "i32=128", "i32=128", "i32=64"}},
        {.cubin = "examples/mma_tile.cubin",
        .kernel = "mma_plain",
        .block = {128, 1, 1},
        .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"}},
        {.cubin = "fuzz/corpus/cubin/linked.cubin", .kernel = "kernel", .arguments = {"f32[64]=iota"}}}) {
    const auto run = test::run_kernel(what);
    ASSERT_TRUE(run) << to_text(run.error());
    expect_every_site(*run);
  }
}

// The program is linked from two files. Each file has its own PTX text, and the function is in the second text.
TEST(Code, OfALinkedProgram) {
  const auto run =
      test::run_kernel({.cubin = "fuzz/corpus/cubin/linked.cubin", .kernel = "kernel", .arguments = {"f32[64]=iota"}});
  ASSERT_TRUE(run) << to_text(run.error());
  const kernel_code& c = run->whole.code.at(0);
  ASSERT_EQ(c.functions.size(), 1u);
  EXPECT_EQ(c.functions[0].name, "twice(float const*, int)");
  const site& in_function = run->launch().sites.back();
  EXPECT_EQ(in_function.function, c.functions[0].name);
  EXPECT_EQ(in_function.file.substr(in_function.file.rfind('/')), "/linked_function.cu");
  EXPECT_EQ(c.ptx.at(in_function.ptx_line - 1).substr(0, 6), "ld.f32");
}

TEST(Code, KeepsThePtxOfItsOwnKernel) {
  const auto run = test::run_kernel(transpose());
  ASSERT_TRUE(run) << to_text(run.error());
  std::size_t entries = 0;
  for (const std::string& line : run->whole.code.at(0).ptx)
    if (line.find(".entry ") != std::string::npos) {
      ++entries;
      EXPECT_NE(line.find("transpose_plain"), std::string::npos) << line;
    }
  EXPECT_EQ(entries, 1u);
}

// Returns the transpose after `change` has edited its PTX text.
template <class F>
kernel_code code_with(F change) {
  std::vector<std::byte> bytes = test::read_bytes(test::source_path("examples/transpose.cubin"));
  const auto elf = cubin::read_elf(bytes, "transpose.cubin");
  EXPECT_TRUE(elf);
  const cubin::elf_section* text = elf->find(".nv_debug_ptx_txt");
  const auto index = static_cast<std::size_t>(text - elf->sections.data());
  std::uint64_t headers = 0;
  std::memcpy(&headers, bytes.data() + 40, sizeof headers);    // e_shoff
  std::byte* size = bytes.data() + headers + index * 64 + 32;  // sh_size
  change(bytes.data() + text->offset, text->size, size);
  const auto p = cubin::load_cubin(bytes, "transpose.cubin");
  EXPECT_TRUE(p) << to_text(p.error());
  return describe_code(*p, p->kernels.front(), {});
}

TEST(Code, SurvivesDamagedPtxText) {
  const auto lines_in_use = [](const kernel_code& c) {
    return std::count_if(c.instructions.begin(), c.instructions.end(),
                         [](const code_line& l) { return l.ptx_line != 0; });
  };
  const kernel_code whole = code_with([](std::byte*, std::uint64_t, std::byte*) {});
  EXPECT_EQ(lines_in_use(whole), static_cast<std::ptrdiff_t>(whole.instructions.size()));

  // The PTX text has a single line without a line end, and no instruction belongs to this line.
  const kernel_code endless = code_with(
      [](std::byte* at, std::uint64_t size, std::byte*) { std::memset(at, 'x', static_cast<std::size_t>(size)); });
  EXPECT_EQ(lines_in_use(endless), 0);
  EXPECT_TRUE(endless.ptx.empty());

  // The PTX text has only line ends.
  const kernel_code empty_lines = code_with(
      [](std::byte* at, std::uint64_t size, std::byte*) { std::memset(at, 0, static_cast<std::size_t>(size)); });
  EXPECT_EQ(lines_in_use(empty_lines), lines_in_use(whole));
  for (const std::string& line : empty_lines.ptx) EXPECT_EQ(line, "");

  // The PTX text ends in the middle of a line, or is empty.
  for (const std::uint64_t cut : {1000, 0}) {
    const kernel_code c =
        code_with([&](std::byte*, std::uint64_t, std::byte* size) { std::memcpy(size, &cut, sizeof cut); });
    EXPECT_LT(lines_in_use(c), lines_in_use(whole));
    for (const code_line& l : c.instructions) EXPECT_LE(l.ptx_line, c.ptx.size());
  }
}

// A PTX text above the size limit is dropped. The kernel is still found.
TEST(Code, LeavesOutTooManyPtxLines) {
  std::vector<std::byte> bytes = test::read_bytes(test::source_path("examples/transpose.cubin"));
  const auto elf = cubin::read_elf(bytes, "transpose.cubin");
  ASSERT_TRUE(elf);
  const auto index = static_cast<std::size_t>(elf->find(".nv_debug_ptx_txt") - elf->sections.data());
  std::uint64_t headers = 0;
  std::memcpy(&headers, bytes.data() + 40, sizeof headers);
  const std::uint64_t offset = bytes.size(), size = std::uint64_t{5} << 20;
  std::memcpy(bytes.data() + headers + index * 64 + 24, &offset, sizeof offset);  // sh_offset
  std::memcpy(bytes.data() + headers + index * 64 + 32, &size, sizeof size);
  bytes.resize(bytes.size() + size);
  const auto p = cubin::load_cubin(bytes, "transpose.cubin");
  ASSERT_TRUE(p) << to_text(p.error());
  EXPECT_EQ(p->ptx_text, "");
  const kernel_code c = describe_code(*p, p->kernels.front(), {});
  EXPECT_FALSE(c.instructions.empty());
  EXPECT_TRUE(c.ptx.empty());
  for (const code_line& l : c.instructions) EXPECT_EQ(l.ptx_line, 0u);
}

}  // namespace
}  // namespace bankwise
