// Tests which parameters determine the addresses of the accesses in tests/kernels/reductions.cu.
#include "sass/flow/pointers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "sass/isa.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

// Returns the parameters that determine the addresses of the kernel's accesses with this opcode.
std::vector<std::set<std::size_t>> parameters_of(const std::string& name, sass::opcode op) {
  const auto contents = test::read_bytes(test::source_path("tests/kernels/reductions.cubin"));
  const auto p = cubin::load(contents, "reductions.cubin", 0);
  if (!p) return {};
  const auto found = cubin::find_kernel(*p, name);
  if (!found) return {};
  const cubin::kernel& k = **found;
  const cubin::code_section& section = p->sections[k.section];
  const sass::code_flow flow = sass::flow_of_code(section.bytes, sass::isa_of(p->sm), k.offset, section.address);
  EXPECT_TRUE(flow.complete) << name;
  std::vector<std::set<std::size_t>> all;
  for (const std::uint32_t n : flow.order) {
    if (flow.nodes[n].op != op) continue;
    const sass::pointer_sources from = sass::pointer_sources_of(flow, n);
    EXPECT_FALSE(from.unknown) << name;
    std::set<std::size_t> of_this;
    for (const sass::constant_word& w : from.words)
      for (std::size_t i = 0; i < k.params.size(); ++i) {
        const std::uint64_t begin = k.param_base + k.params[i].offset;
        if (w.bank == 0 && w.offset >= begin && w.offset < begin + k.params[i].bytes) of_this.insert(i);
      }
    all.push_back(std::move(of_this));
  }
  return all;
}

using found = std::vector<std::set<std::size_t>>;

TEST(Pointers, AreNotThoseOfLoadedNumbers) {
  // The addresses in `bins` depend on a parameter. The address of the variable `total` does not.
  const found bins = parameters_of("histogram", sass::opcode::REDG);
  EXPECT_NE(std::find(bins.begin(), bins.end(), std::set<std::size_t>{0}), bins.end());
  for (const std::set<std::size_t>& one : bins) EXPECT_TRUE(one.empty() || one == std::set<std::size_t>{0});
  for (const std::set<std::size_t>& one : parameters_of("histogram", sass::opcode::LDG))
    EXPECT_TRUE(one.contains(1) && !one.contains(0));
}
TEST(Pointers, EndAtLoadedPointers) {
  const found all = parameters_of("scatters", sass::opcode::REDG_F);
  ASSERT_FALSE(all.empty());
  for (const std::set<std::size_t>& one : all) EXPECT_FALSE(one.contains(0));
}
TEST(Pointers, FollowBranches) {
  // `integers` gets the parameters of the sums of words and 64-bit words. `floats` gets the parameters of the sums of
  // doubles and floats.
  std::set<std::size_t> integers, floats;
  for (const auto& one : parameters_of("reduces", sass::opcode::REDG)) integers.insert(one.begin(), one.end());
  for (const auto& one : parameters_of("reduces", sass::opcode::REDG_F)) floats.insert(one.begin(), one.end());
  EXPECT_TRUE(integers.contains(0) && integers.contains(3) && !integers.contains(1) && !integers.contains(2) &&
              !integers.contains(4));
  EXPECT_TRUE(floats.contains(1) && floats.contains(2) && !floats.contains(0) && !floats.contains(3) &&
              !floats.contains(4));
}

}  // namespace
}  // namespace bankwise
