// Tests the sentence about the meaning of a kernel's instructions: how well this meaning is known. Also tests the
// numbers in the sentence.
#include "report/sections/dependence_report.hpp"

#include <gtest/gtest.h>

#include "cubin/load_cubin.hpp"
#include "emulate/counting/counting.hpp"
#include "profile/code/meanings.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

using sass::meaning;

TEST(DependenceReport, NamesTheInstructionsThatNobodyMeasured) {
  EXPECT_EQ(meaning_sentence({}), "");
  EXPECT_EQ(meaning_sentence({.instructions = 58}), "all 58 instructions behave as measured on a GPU");
  EXPECT_EQ(meaning_sentence({58, {{"FADD2", meaning::documented, 2, false}}}),
            "56 of 58 instructions behave as measured on a GPU, FADD2 as documented; no count depends on the "
            "unmeasured instruction");
  EXPECT_EQ(meaning_sentence({58, {{"FADD2", meaning::documented, 2, true}}}),
            "56 of 58 instructions behave as measured on a GPU, FADD2 as documented; counts may depend on the "
            "unmeasured instruction");
  EXPECT_EQ(
      meaning_sentence({9, {{"FADD2", meaning::documented, 1, false}, {"UFADD", meaning::assumed, 1, true}}}),
      "7 of 9 instructions behave as measured on a GPU, FADD2 as documented, UFADD as assumed; counts may depend on "
      "UFADD");
  EXPECT_EQ(
      meaning_sentence({9,
                        {{"A", meaning::assumed, 1, false},
                         {"B", meaning::assumed, 1, false},
                         {"C", meaning::assumed, 1, false},
                         {"D", meaning::assumed, 1, false},
                         {"E", meaning::assumed, 1, false}}}),
      "4 of 9 instructions behave as measured on a GPU, A, B, C, D and 1 more as assumed; no count depends on the "
      "unmeasured instructions");
}

// With `knows_flow` false, any part of the code may affect the counts.
code_meaning meaning_of(const std::string& file, const std::string& kernel, bool knows_flow = true) {
  const std::string bytes = test::read_text(test::source_path(file));
  const auto p = cubin::load_cubin(bytes_of(bytes), file);
  EXPECT_TRUE(p) << file;
  launch_report l;
  for (const cubin::kernel& k : p->kernels)
    if (k.name.find(kernel) != std::string::npos)
      add_meaning(l, *p, k,
                  knows_flow ? emulate::code_to_count(*p, k, emulate::told_global::yes).needed : sass::slice{});
  return l.meaning;
}

TEST(DependenceReport, AKernelOfHopperIsMeasured) {
  const code_meaning m = meaning_of("examples/transpose.cubin", "transpose_plain");
  EXPECT_GT(m.instructions, 30u);
  EXPECT_TRUE(m.unmeasured.empty()) << meaning_sentence(m);
  EXPECT_EQ(measured_of(m), m.instructions);
}

// Turing's IMNMX limits a loop, so the counts depend on this instruction. If the control flow is not known, the counts
// may depend on all instructions.
TEST(DependenceReport, TellsWhatCountsDependOn) {
  const code_meaning loop = meaning_of("examples/published/block_reduce.cubin", "block_reduce");
  ASSERT_EQ(loop.unmeasured.size(), 1u);
  EXPECT_EQ(loop.unmeasured[0].name, "IMNMX");
  EXPECT_TRUE(loop.unmeasured[0].counted_on);
  for (const unmeasured_instruction& one :
       meaning_of("examples/published/product.cubin", "product_xor", false).unmeasured)
    EXPECT_TRUE(one.counted_on) << one.name;
}

}  // namespace
}  // namespace bankwise
