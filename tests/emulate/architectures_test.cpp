// Runs the kernels of examples/, compiled for other architectures. Expects the results of the CPU and of sm_90's code,
// and the costs by each architecture's own rule. examples/sm_80/ has the code for sm_80. Code for other architectures
// needs nvcc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <vector>

#include "bankwise/arch.hpp"
#include "base/system/scratch_folder.hpp"
#include "cubin/architectures.hpp"
#include "report/json/read_report.hpp"
#include "report/json/write_report.hpp"
#include "support/examples.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

using test::all_examples;
using test::example;

std::string name_of(const example& e) {
  const std::string stem = fs::path(e.launch.cubin).stem();
  return stem.substr(0, stem.find('.'));
}

// Runs the kernels of examples/ whose cubins are in `folder`, and returns the number of kernels.
unsigned run_all(const std::string& folder, const std::string& arch) {
  unsigned ran = 0;
  for (example e : all_examples()) {
    const std::string cubin = folder + "/" + name_of(e) + ".cubin";
    if (!fs::exists(cubin)) continue;
    SCOPED_TRACE(arch + ", " + e.launch.kernel);
    const auto reference = test::run_kernel(e.launch);
    e.launch.cubin = cubin;
    const auto run = test::run_kernel(e.launch);
    EXPECT_TRUE(reference) << to_text(reference.error());
    EXPECT_TRUE(run) << to_text(run.error());
    if (!run || !reference) continue;
    e.check(*run);
    EXPECT_EQ(run->buffers, reference->buffers);
    EXPECT_EQ(run->whole.arch, arch);
    EXPECT_EQ(run->whole.on.name, arch);
    EXPECT_FALSE(run->launch().sites.empty());
    for (const site& s : run->launch().sites) EXPECT_NE(s.rule.level, evidence::measured) << s.sass;
    ++ran;
  }
  return ran;
}

test::kernel_launch on_ampere(const char* kernel, std::uint32_t threads, std::vector<std::string> arguments) {
  return {.cubin = "tests/kernels/ampere/mbarriers.cubin",
          .kernel = kernel,
          .block = {threads, 1, 1},
          .arguments = std::move(arguments)};
}

// Before sm_90, loads poll the state of an mbarrier, and the phase bit must flip as ptxas's code expects.
TEST(Architectures, CompletesPhasesOfMbarriersBeforeHopper) {
  test::kernel_launch rows = on_ampere("reverses", 128, {"i32[640]=iota", "out:i32[640]", "i32=5"});
  rows.wanted = {.uninitialised = true, .races = true};
  test::kernel_launch copies = on_ampere("copies", 128, {"i32[128]=iota", "out:i32[128]"});
  copies.wanted = rows.wanted;
  for (const test::kernel_launch& launch : {rows, copies}) {
    const auto done = test::run_kernel(launch);
    ASSERT_TRUE(done) << to_text(done.error());
    EXPECT_TRUE(done->launch().hazards.empty());
    EXPECT_TRUE(read_report(to_json(done->whole), "report.json"));
    const auto out = done->buffer<std::int32_t>(1);
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(static_cast<std::size_t>(out[i]), i / 128 * 128 + 127 - i % 128) << launch.kernel;
  }
  rows.kernel = "races";
  const auto raced = test::run_kernel(rows);
  ASSERT_TRUE(raced) << to_text(raced.error());
  EXPECT_FALSE(raced->launch().hazards.empty());
}

TEST(Architectures, DropsArrivalsBeforeHopper) {
  const auto done = test::run_kernel(on_ampere("drops", 64, {"out:u32[32]"}));
  ASSERT_TRUE(done) << to_text(done.error());
  std::vector<std::uint32_t> pending = done->buffer<std::uint32_t>(0), expected(32);
  std::sort(pending.begin(), pending.end());
  std::iota(expected.begin(), expected.end(), 1u);
  EXPECT_EQ(pending, expected);
}

// Blocks on a B200 see different multiprocessor numbers. Some of these numbers are too high for an H100.
TEST(Architectures, NumbersTheMultiprocessorsOfTheGpu) {
  const std::uint32_t count = cubin::multiprocessors_of(100);
  EXPECT_GT(count, cubin::multiprocessors_of(90));
  const auto done = test::run_kernel({.cubin = "tests/kernels/blackwell/multiprocessors.cubin",
                                      .kernel = "stores_number",
                                      .grid = {2 * count, 1, 1},
                                      .arguments = {"out:u32[" + std::to_string(2 * count) + "]"}});
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<std::uint32_t> out = done->buffer<std::uint32_t>(0);
  for (std::uint32_t block = 0; block < 2 * count; ++block) EXPECT_EQ(out[block], block % count);
}

TEST(Architectures, Sm80ComputesTheSame) {
  EXPECT_EQ(run_all(test::source_path("examples/sm_80"), "sm_80"), all_examples().size());
}

// The transposes of 32 x 32 words make the same accesses on sm_80 as on sm_90, so the conflicts cost the same.
TEST(Architectures, Sm80CostsTheSameWhereTheCodeIsTheSame) {
  for (example e : all_examples()) {
    if (name_of(e) != "transpose") continue;
    SCOPED_TRACE(e.launch.kernel);
    const auto hopper = test::run_kernel(e.launch);
    e.launch.cubin = test::source_path("examples/sm_80/transpose.cubin");
    const auto ampere = test::run_kernel(e.launch);
    ASSERT_TRUE(hopper && ampere);
    EXPECT_EQ(hopper->launch().sum.wavefronts, ampere->launch().sum.wavefronts);
    EXPECT_EQ(hopper->launch().sum.ideal, ampere->launch().sum.ideal);
  }
}

class Compiled : public testing::TestWithParam<const char*> {};

TEST_P(Compiled, ComputesTheSame) {
  const std::string nvcc = BANKWISE_NVCC, arch = GetParam();
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is not installed on this machine";
  if (std::system(("'" + nvcc + "' --list-gpu-code | grep -qx " + arch).c_str()) != 0)
    GTEST_SKIP() << "this nvcc does not compile for " << arch;
  const scratch_folder scratch;
  // cp.async needs sm_80 or later.
  std::vector<std::string> names = {"transpose", "histogram"};
  if (arch != "sm_75") names.emplace_back("mma_tile");
  for (const std::string& name : names) {
    const std::string line = "'" + nvcc + "' -arch=" + arch + " -cubin -lineinfo -o '" + scratch.path() + "/" + name +
                             ".cubin' '" + test::source_path("examples/" + name + ".cu") + "'";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
  }
  EXPECT_EQ(run_all(scratch.path(), arch), arch == "sm_75" ? 6u : 8u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Compiled,
                         testing::Values("sm_75", "sm_86", "sm_87", "sm_89", "sm_100", "sm_103", "sm_110", "sm_120",
                                         "sm_121"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace bankwise
