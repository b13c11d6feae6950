// Compares the dependences of accesses with the comments in tests/kernels/dependences.cu. If an access does not depend
// on data, different data must not change its counts.
#include "sass/flow/dependence.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "cubin/load.hpp"
#include "sass/isa.hpp"
#include "sass/print/print.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

std::string words_of(sass::inputs i) { return i.any() ? names_of(i) : "-"; }

// Returns the comments by line. A comment such as "address: data execution: -" is at the end of its line.
std::map<std::uint32_t, std::string> comments_of(const std::string& source) {
  std::map<std::uint32_t, std::string> all;
  std::istringstream lines(source);
  std::string line;
  for (std::uint32_t n = 1; std::getline(lines, line); ++n)
    if (const auto at = line.find("// address: "); at != std::string::npos) all[n] = line.substr(at + 3);
  return all;
}

TEST(Dependence, IsWhatTheSourceSays) {
  const auto contents = test::read_bytes(test::source_path("tests/kernels/dependences.cubin"));
  const auto p = cubin::load(contents, "dependences.cubin", 0);
  ASSERT_TRUE(p);
  const auto comments = comments_of(test::read_text(test::source_path("tests/kernels/dependences.cu")));
  ASSERT_GT(comments.size(), 25u);
  std::map<std::uint32_t, std::string> found;
  std::map<std::uint32_t, sass::dependence> sums;
  for (const cubin::kernel& k : p->kernels) {
    const cubin::code_section& section = p->sections[k.section];
    const sass::code_flow flow = sass::flow_of_code(section.bytes, sass::isa_of(p->sm), k.offset, section.address);
    const auto all = sass::dependences_of(flow, {k.param_base, cubin::parameter_bytes(k)});
    for (std::uint32_t n = 0; n < flow.nodes.size(); ++n) {
      const sass::instruction i = flow.instruction_at(n);
      if (i.info() == nullptr || sass::traits_of(i.info()->op).space != sass::space::shared) continue;
      const auto place = p->source_of(k.section, n * sass::instruction_bytes);
      ASSERT_TRUE(place) << k.name;
      const auto [at, is_new] = sums.try_emplace(place->outer_line, all[n]);
      at->second.address = at->second.address | all[n].address;
      at->second.execution = at->second.execution | all[n].execution;
    }
  }
  for (const auto& [line, d] : sums)
    found[line] = !d.known ? "address: ? execution: ?"
                           : "address: " + words_of(d.address) + " execution: " + words_of(d.execution);
  for (const auto& [line, words] : comments) EXPECT_EQ(found[line], words) << "line " << line;
  EXPECT_EQ(found.size(), comments.size());
}

}  // namespace
}  // namespace bankwise
