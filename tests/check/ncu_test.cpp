// Tests that `bankwise compare` reads real output of Nsight Compute. tests/ncu/h100_*.csv come from Nsight Compute
// 2025.3 on an H100, for two of NVIDIA's samples, with some columns removed. data/sm_90/kernels.csv comes from an H200,
// for the same kernels on another day.
#include <gtest/gtest.h>

#include "check/comparison.hpp"
#include "check/measured.hpp"
#include "support/files.hpp"

namespace bankwise::check {
namespace {

result<std::vector<measured_launch>> read(const std::string& file) {
  return read_measured(test::read_text(test::source_path(file)), file);
}

// Returns the rows of the H200's table: one row for each executed instruction that accesses shared memory.
std::vector<measured_row> matrix_mul_on_an_h200() {
  const auto all = read("data/sm_90/kernels.csv");
  EXPECT_TRUE(all) << to_text(all.error());
  for (const measured_launch& l : *all)
    if (bare_name(l.kernel) == "MatrixMulCUDA") return l.rows;
  ADD_FAILURE() << "kernels.csv has no row for MatrixMulCUDA";
  return {};
}

void expect_the_same(const measured_launch& launch) {
  const std::vector<measured_row> known = matrix_mul_on_an_h200();
  ASSERT_EQ(known.size(), 42u);
  EXPECT_EQ(bare_name(launch.kernel), "MatrixMulCUDA");
  std::size_t counted = 0;
  for (const measured_row& r : launch.rows) counted += r.wavefronts != 0;
  EXPECT_EQ(counted, known.size());
  for (const measured_row& k : known) {
    const auto at = std::find_if(launch.rows.begin(), launch.rows.end(), [&](const auto& r) { return r.pc == k.pc; });
    ASSERT_NE(at, launch.rows.end()) << *k.pc;
    EXPECT_NE(at->sass.find(k.sass), std::string::npos) << at->sass << " for " << k.sass;
    EXPECT_EQ(at->executed, k.executed) << k.sass;
    EXPECT_EQ(at->lanes, k.lanes) << k.sass;
    EXPECT_EQ(at->wavefronts, k.wavefronts) << k.sass;
    EXPECT_EQ(at->ideal, k.ideal) << k.sass;
  }
}

// ncu prints the table of each launch twice. The field after the name of the kernel is empty.
TEST(NsightCompute, InstructionsStandThereOnce) {
  const auto all = read("tests/ncu/h100_sass.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  ASSERT_EQ(all->size(), 1u);
  expect_the_same(all->front());
}

// Each source line is followed by its instructions, some of which are repeated. "..." separates instructions that are
// not adjacent.
TEST(NsightCompute, InstructionsBelowTheirLines) {
  const auto all = read("tests/ncu/h100_cuda_sass.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  ASSERT_EQ(all->size(), 1u);
  expect_the_same(all->front());
  for (const measured_row& r : all->front().rows)
    if (r.sass.find("STS [R6]") != std::string::npos) {
      EXPECT_EQ(r.file, "matrixMul.cu");
      EXPECT_EQ(r.line, 101u);
    }
}

// The second row contains units, not counts.
TEST(NsightCompute, CountersOfLaunches) {
  const auto all = read("tests/ncu/h100_raw.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  ASSERT_EQ(all->size(), 3u);
  const measured_launch& first = all->front();
  EXPECT_EQ(first.grid, (std::array<std::uint32_t, 3>{20, 10, 1}));
  EXPECT_EQ(first.block, (std::array<std::uint32_t, 3>{32, 32, 1}));
  EXPECT_EQ(first.metrics.at("memory_l1_wavefronts_shared"), 3'200'000u);
  EXPECT_EQ(first.metrics.at("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"), 132'957u);
  EXPECT_EQ(first.metrics.at("smsp__sass_inst_executed_op_shared_ld.sum"), 2'560'000u);
  EXPECT_FALSE(first.metrics.contains("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"));
}

TEST(NsightCompute, KernelsWithoutSharedMemoryHaveNoColumnsForIt) {
  const auto alone = read("tests/ncu/h100_no_shared.csv");
  ASSERT_TRUE(alone) << to_text(alone.error());
  EXPECT_FALSE(alone->front().counts_wavefronts);  // its sectors: sectors_test
  const auto both = read_measured(test::read_text(test::source_path("tests/ncu/h100_no_shared.csv")) +
                                      test::read_text(test::source_path("tests/ncu/h100_sass.csv")),
                                  "both.csv");
  ASSERT_TRUE(both) << to_text(both.error());
  ASSERT_EQ(both->size(), 2u);
  EXPECT_EQ(bare_name(both->back().kernel), "MatrixMulCUDA");
}

TEST(NsightCompute, TheDetailsPageHasNoCounts) { EXPECT_FALSE(read("tests/ncu/h100_details.csv")); }

// Makes a report from the measured launch: its instructions with the measured counts.
report predicted() {
  report r;
  launch_report l;
  l.kernel = "void MatrixMulCUDA<32>(float*, float*, float*, int, int)";
  l.name = "MatrixMulCUDA";
  l.grid = {20, 10, 1};
  l.block = {32, 32, 1};
  for (const measured_row& row : matrix_mul_on_an_h200()) {
    site s;
    s.pc = static_cast<decltype(s.pc)>(*row.pc);
    s.sass = row.sass;
    const bool store = row.sass.find("STS") != std::string::npos;
    s.op.op = store ? st(4) : row.sass.find(".128") != std::string::npos ? ld(16) : ld(4);
    s.executed = *row.executed;
    s.lanes = *row.lanes;
    s.wavefronts = row.wavefronts;
    s.ideal = *row.ideal;
    l.sites.push_back(std::move(s));
  }
  r.launches.push_back(std::move(l));
  return r;
}

// Counters of the pipe are higher than the sum over the accesses. Other instructions are delayed in the pipe, or are
// counted with the accesses.
TEST(NsightCompute, WhatOthersTakeIsNoDifference) {
  const auto all = read("tests/ncu/h100_raw.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  comparison c = compare(predicted(), *all);
  EXPECT_EQ(c.different, 0u);
  EXPECT_EQ(c.attributed, 4u);
  EXPECT_EQ(c.equal, 8u);
  // If a counter is too high, and counts of instructions also differ, the comparison reports a difference.
  report wrong = predicted();
  wrong.launches[0].sites[0].wavefronts += 5;
  c = compare(wrong, *all);
  EXPECT_GE(c.different, 2u);
}

// The report contains two counts: by the model of the source page, and by the rule of the hardware.
TEST(NsightCompute, TheModelOfTheSourcePageIsNoDifference) {
  const auto all = read("tests/ncu/h100_sass.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  report r = predicted();
  site& first = r.launches[0].sites[0];
  first.ncu_wavefronts = first.wavefronts;
  first.ncu_ideal = first.ideal;
  first.wavefronts /= 2;
  comparison c = compare(r, *all);
  EXPECT_EQ(c.different, 0u);
  EXPECT_EQ(c.by_page, 1u);
  EXPECT_EQ(c.equal, 41u);
  first.ncu_wavefronts += 1;
  c = compare(r, *all);
  EXPECT_EQ(c.different, 1u);
  EXPECT_EQ(c.by_page, 0u);
}

// A recording may miss some executions. Then counts that are too low are not a difference.
TEST(NsightCompute, ALowerBoundIsNoDifference) {
  const auto all = read("tests/ncu/h100_sass.csv");
  ASSERT_TRUE(all) << to_text(all.error());
  report r = predicted();
  site& first = r.launches[0].sites[0];
  first.executed_at_least = true;
  const std::uint64_t measured = first.executed;
  for (const auto& [executed, different] : {std::pair{measured - 1, 0u}, {measured, 0u}, {measured + 1, 1u}}) {
    first.executed = executed;
    EXPECT_EQ(compare(r, *all).different, different);
  }
  first.executed_at_least = false;
  first.executed = measured - 1;
  EXPECT_EQ(compare(r, *all).different, 1u);
}

}  // namespace
}  // namespace bankwise::check
