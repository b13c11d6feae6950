// Tests how GPUs are found by name, and how parameters are scaled for each GPU.
#include "timing/gpu.hpp"

#include "expr/names/gpu_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "timing/timed_gpu.hpp"

namespace bankwise::timing {
namespace {

TEST(Gpu, IsFoundByTheNamesThatPeopleWrite) {
  EXPECT_EQ(find_gpu("")->title, "H100 SXM");
  EXPECT_EQ(find_gpu("NVIDIA H100 80GB HBM3")->title, "H100 SXM");
  EXPECT_EQ(find_gpu("rtx-4090")->title, "RTX 4090");
  EXPECT_EQ(find_gpu("NVIDIA GeForce RTX 5090")->title, "RTX 5090");
  EXPECT_EQ(find_gpu("gtx9"), nullptr);
  EXPECT_EQ(find_gpu(std::string(1000, 'a')), nullptr);
}

TEST(Gpu, TitlesNameTheArchitecture) {
  for (const gpu_description& g : known_gpus()) {
    const auto name = usual_name(g.title);
    ASSERT_TRUE(name && *name) << g.title;
    EXPECT_EQ(**name, "sm_" + std::to_string(g.sm)) << g.title;
  }
}

TEST(Gpu, OfPeopleAreInTheList) {
  for (const char* name : {"RTX 3050",
                           "RTX 3060",
                           "RTX 3060 Ti",
                           "RTX 3070",
                           "RTX 3070 Ti",
                           "RTX 3080 Ti",
                           "RTX 3090 Ti",
                           "RTX 4060",
                           "RTX 4060 Ti",
                           "RTX 4070",
                           "NVIDIA GeForce RTX 4070 SUPER",
                           "RTX 4070 Ti",
                           "RTX 4080 Super",
                           "RTX 4090 D",
                           "RTX 5050",
                           "RTX 5060",
                           "RTX 5070",
                           "RTX 5070 Ti",
                           "Tesla T4",
                           "T1000",
                           "A2",
                           "A10",
                           "A16",
                           "A30",
                           "A40",
                           "RTX A2000",
                           "RTX A5000",
                           "GTX 1660",
                           "RTX 2060"})
    EXPECT_NE(find_gpu(name), nullptr) << name;
  // A laptop's GPU is another chip than the desktop GPU with the same number.
  EXPECT_EQ(find_gpu("RTX 4070 Laptop GPU"), nullptr);
  EXPECT_NE(read_timed_gpu("NVIDIA GeForce RTX 4070 Laptop GPU").error().message.find("power limit"),
            std::string::npos);
}

TEST(Gpu, TheH200HasFasterMemoryAlone) {
  const gpu_parameters h100 = parameters_of(*find_gpu("h100")), h200 = parameters_of(*find_gpu("h200"));
  EXPECT_EQ(h100.multiprocessors, h200.multiprocessors);
  EXPECT_EQ(h100.fp64_interval, h200.fp64_interval);
  EXPECT_NEAR(h200.dram_total * h200.sm_clock / (h100.dram_total * h100.sm_clock), 4814.0 / 3352, 0.01);
  // docs/explanation/time.md: the lower clock explains why other kernels take longer in microseconds.
  EXPECT_NEAR(h100.sm_clock / h200.sm_clock, 1.067, 0.001);
}

TEST(Gpu, L2AndDramKeepTheirTimeAtAnotherClock) {
  const gpu_parameters slow, fast = at_clock(slow, 2 * slow.sm_clock);
  EXPECT_EQ(fast.sm_clock, 2 * slow.sm_clock);
  EXPECT_DOUBLE_EQ(fast.dram_total, slow.dram_total / 2);
  EXPECT_DOUBLE_EQ(fast.l2_total, slow.l2_total / 2);
  EXPECT_DOUBLE_EQ(fast.update_clocks, 2 * slow.update_clocks);
  EXPECT_EQ(fast.shared_latency, slow.shared_latency);
  EXPECT_LT(fast.l2_latency, 2 * slow.l2_latency) << "a part of the latency is in the multiprocessor";
}

// Latencies of chains of loads on an H100. bankwise probe --timing measured them at two clock frequencies.
TEST(Gpu, LatenciesAtTwoClocksAreThoseOfAnH100) {
  gpu_parameters slow;
  slow.sm_clock = 1.59;
  slow.l2_latency = 252;
  slow.dram_latency = 573;
  const gpu_parameters fast = at_clock(slow, 1.98);
  EXPECT_NEAR(fast.l2_latency, 281.5, 1);
  EXPECT_NEAR(fast.dram_latency, 681, 1);
}

// An empty kernel of one block takes 2,506 clocks on an H200, and is active for 229 of them.
TEST(Gpu, AnH200LaunchesAsMeasured) { EXPECT_NEAR(parameters_of(*find_gpu("H200")).launch_cycles, 2506 - 229, 100); }

TEST(Gpu, SmallGpusComputeDoublesSlowly) {
  EXPECT_EQ(parameters_of(*find_gpu("L4")).fp64_interval, 64);
  EXPECT_EQ(parameters_of(*find_gpu("A100")).float_pipes, 1);
}

// gpu-benches: loads of an A100 at 1.41 GHz take 211 clocks from L2. An L40 keeps 92 of 96 MB, and an A100 half of its L2 for
// data that all multiprocessors read.
TEST(Gpu, PublishedNumbersReplaceScaledOnes) {
  const auto a100 = read_timed_gpu("A100@1.41");
  ASSERT_TRUE(a100);
  EXPECT_NEAR(a100->parameters.l2_latency, 211, 0.01);
  EXPECT_EQ(a100->title, "A100 80GB SXM at 1.410 GHz");
  EXPECT_NEAR(parameters_of(*find_gpu("L40")).l2_bytes, 92e6, 1e6);
  EXPECT_LT(parameters_of(*find_gpu("A100")).l2_bytes, 25e6);
  EXPECT_LT(parameters_of(*find_gpu("A40")).l2_own_bytes, 6e6);
  EXPECT_TRUE(is_published(*find_gpu("A40"), &gpu_parameters::dram_total));
  EXPECT_FALSE(is_published(*find_gpu("A10"), &gpu_parameters::dram_total));
}

// The memory units of Turing, GA102 and Ada serve 16 lanes per clock, those of an A100 32 lanes.
TEST(Gpu, SmallMultiprocessorsNeedTwoClocksForEachAccess) {
  for (const char* name : {"T4", "A40", "RTX 3090", "RTX 4090", "L4"})
    EXPECT_EQ(parameters_of(*find_gpu(name)).access_clocks, 2) << name;
  EXPECT_LE(parameters_of(*find_gpu("A100")).access_clocks, 1);
}

TEST(Gpu, GeForceSumsToFloatsAtHalfTheRate) {
  for (const char* name : {"RTX 2080 Ti", "RTX 3090", "RTX 4090", "RTX 5090"})
    EXPECT_EQ(parameters_of(*find_gpu(name)).float_sums, 2) << name;
  for (const char* name : {"RTX A6000", "A40", "L40", "RTX 6000 Ada", "RTX PRO 6000 Blackwell", "A100", "H100"})
    EXPECT_EQ(parameters_of(*find_gpu(name)).float_sums, 1) << name;
}

// L2 runs at its own clock, so its bytes per second are the same at every clock of the multiprocessors.
TEST(Gpu, L2HasTheBytesOfTheBoostClock) {
  const gpu_description& g = *find_gpu("L40");
  const gpu_parameters p = parameters_of(g);
  EXPECT_NEAR(p.l2_total * 128 / 176 * p.sm_clock / (g.l2_rate * g.multiprocessors * g.boost), 1, 0.001);
}

// DRAM's data pass L2, so L2 is not slower than DRAM, also if DRAM is faster than the H100's.
TEST(Gpu, L2TakesWhatDramSends) {
  for (const gpu_description& g : known_gpus()) {
    const gpu_parameters p = parameters_of(g);
    EXPECT_GE(p.l2_store_total, g.sm == 90 ? 0.9 * p.dram_total : p.dram_total) << g.name;
  }
}

// The parameters of the GPUs with Hopper's multiprocessors were fitted without saved shares.
TEST(Gpu, SharesAreSavedOnGpusThatWereNotFitted) {
  for (const gpu_description& g : known_gpus()) {
    const gpu_parameters p = parameters_of(g);
    EXPECT_EQ(p.load_saved, g.sm == 90 ? 0 : p.bulk_saved) << g.name;
    EXPECT_EQ(p.dram_queue_linear, g.sm == 90 ? 0 : 1) << g.name;
  }
}

struct published_name {
  std::string_view name, source;
};
constexpr published_name published_names[] = {
#define PUBLISHED(name, gigahertz, parameter, value, source) {name, source},
#include "timing/gpus.def"
};
TEST(Gpu, PublishedNumbersHaveAGpuAndASource) {
  const auto gpus = known_gpus();
  for (const published_name& p : published_names) {
    EXPECT_TRUE(std::any_of(gpus.begin(), gpus.end(), [&](const gpu_description& g) {
      return p.name == g.name || p.name == "sm_" + std::to_string(g.sm);
    })) << p.name;
    EXPECT_GT(p.source.size(), 10u);
  }
}

TEST(Gpu, WrongClocksAreErrors) {
  for (const char* name : {"A100@", "A100@0", "A100@1.41GHz", "A100@99", "A100@nan"})
    EXPECT_FALSE(read_timed_gpu(name)) << name;
  EXPECT_FALSE(read_timed_gpu("none@1.4"));
  EXPECT_DOUBLE_EQ(read_timed_gpu("A100@boost")->parameters.sm_clock, 1.41);
}

TEST(Gpu, OnlyTheH100WasMeasured) {
  for (const gpu_description& g : known_gpus()) {
    EXPECT_EQ(g.evidence == parameter_evidence::measured, g.title == "H100 SXM") << g.title;
    EXPECT_EQ(find_gpu(g.title), &g) << g.title;
  }
}

}  // namespace
}  // namespace bankwise::timing
