// Tests that lanes enter a straight run only at its first instruction, and leave it only after its last.
#include "sass/flow/straight_runs.hpp"

#include <gtest/gtest.h>

#include <map>

#include "cubin/load.hpp"
#include "sass/isa.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

void check(const sass::code_flow& flow, const std::string& name) {
  const sass::straight_runs runs(flow);
  std::map<std::uint32_t, std::size_t> times;
  std::map<std::uint32_t, std::vector<std::uint32_t>> from;
  for (const std::uint32_t n : flow.order)
    for (const std::uint32_t to : flow.nodes[n].next) from[to].push_back(n);
  for (std::size_t k = 0; k < runs.size(); ++k)
    for (std::size_t i = 0; i < runs[k].size(); ++i) {
      const std::uint32_t n = runs[k][i];
      ++times[n];
      ASSERT_EQ(runs.of(n), k) << name;
      const bool is_last = i + 1 == runs[k].size();
      ASSERT_EQ(runs.is_last(n), is_last) << name;
      if (!is_last) {
        ASSERT_EQ(flow.nodes[n].next, std::vector<std::uint32_t>{runs[k][i + 1]}) << name;
      }
      if (i != 0) {
        ASSERT_EQ(from[n], std::vector<std::uint32_t>{runs[k][i - 1]}) << name;
      }
      // A run is as long as possible.
      if (!is_last || flow.nodes[n].next.size() != 1) continue;
      const std::uint32_t next = flow.nodes[n].next[0];
      ASSERT_TRUE(next == flow.entry || from[next].size() > 1 || next == runs[k].front()) << name;
    }
  ASSERT_EQ(times.size(), flow.order.size()) << name;
  for (const std::uint32_t n : flow.order) ASSERT_EQ(times[n], 1u) << name;
}

TEST(StraightRuns, HaveOneEntryAndOneExit) {
  std::size_t kernels = 0;
  for (const char* file :
       {"tests/kernels/diverging.cubin", "tests/kernels/reductions.cubin", "tests/kernels/endless.cubin",
        "tests/kernels/recursion.cubin", "tests/kernels/switch_table.cubin", "examples/gemm.cubin"}) {
    const auto contents = test::read_bytes(test::source_path(file));
    const auto p = cubin::load(contents, file, 0);
    ASSERT_TRUE(p) << file;
    for (const cubin::kernel& k : p->kernels) {
      const cubin::code_section& section = p->sections[k.section];
      check(sass::flow_of_code(section.bytes, sass::isa_of(p->sm), k.offset, section.address), k.name);
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 10u);
}

TEST(StraightRuns, OfNoCodeAreNone) { EXPECT_EQ(sass::straight_runs(sass::code_flow()).size(), 0u); }

}  // namespace
}  // namespace bankwise
