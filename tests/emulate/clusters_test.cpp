// Tests blocks of a cluster: they run together, access each other's shared memory, and report errors.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "emulate/memory/tensor_map.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::fault_kind;

constexpr const char* cubin = "tests/kernels/clusters.cubin";

TEST(Clusters, PassValuesAround) {
  constexpr int blocks = 12, rounds = 5, size = 4;
  std::vector<int> expected(blocks * 32);
  for (int i = 0; i < blocks * 32; ++i) expected[i] = i / 32 * 100 + i % 32;
  for (int r = 0; r < rounds; ++r) {
    const std::vector<int> before = expected;
    for (int i = 0; i < blocks * 32; ++i) {
      const int block = i / 32, next = block / size * size + (block + 1) % size;
      expected[i] += before[next * 32 + i % 32];
    }
  }
  for (const unsigned threads : {1u, 3u})
    for (const std::uint64_t seed : {0, 1, 2}) {
      const auto run = test::run_kernel({.cubin = cubin,
                                         .kernel = "passes_around",
                                         .grid = {blocks, 1, 1},
                                         .arguments = {"out:i32[384]", "i32=" + std::to_string(rounds)},
                                         .threads = threads,
                                         .seed = seed});
      ASSERT_TRUE(run) << to_text(run.error());
      EXPECT_EQ(run->buffer<int>(0), expected);
    }
}

TEST(Clusters, OfEverySizeHandATokenOn) {
  for (const std::uint32_t size : {2u, 3u, 8u, 16u}) {
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = "spins",
                                       .grid = {2 * size, 1, 1},
                                       .arguments = {"out:i32[32]"},
                                       .cluster = {size, 1, 1}});
    ASSERT_TRUE(run) << to_text(run.error());
    for (std::uint32_t i = 0; i < 2 * size; ++i)
      EXPECT_EQ(run->buffer<int>(0)[i], static_cast<int>(i % size == 0 ? size : i % size)) << size;
  }
}

TEST(Clusters, OfTheSampleRunWhole) {
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "passes_around",
                                     .grid = {400, 1, 1},
                                     .arguments = {"out:i32[12800]", "i32=1"},
                                     .ctas = 10});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->launch().ctas_executed, 8u);
}

// The blocks of a cluster run at the same time. So each block clears its mailbox before a different block writes to the
// mailbox.
TEST(Clusters, RunSideBySide) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/blackwell/mailboxes.cubin",
                                     .kernel = "fills_mailboxes",
                                     .grid = {8, 1, 1},
                                     .block = {1, 1, 1},
                                     .arguments = {"f32=0.25", "out:u32[8]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->buffer<std::uint32_t>(1), (std::vector<std::uint32_t>{103, 100, 101, 102, 103, 100, 101, 102}));
}

TEST(Clusters, WhatAnotherBlockWroteIsNotUninitialised) {
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "writes_next",
                                     .grid = {4, 1, 1},
                                     .arguments = {"out:i32[128]"},
                                     .wanted = {.uninitialised = true, .races = true}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_TRUE(run->launch().hazards.empty());
}

struct mistake {
  const char* kernel;
  std::vector<std::string> arguments;
  fault_kind kind;
  const char* says;
};

class ClusterMistakes : public testing::TestWithParam<mistake> {};

TEST_P(ClusterMistakes, AreFaultsThatSayWhere) {
  const mistake& m = GetParam();
  fault_kind kind = fault_kind::none;
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = m.kernel,
                                     .grid = {4, 1, 1},
                                     .arguments = m.arguments,
                                     .cluster = {2, 1, 1},
                                     .fault = &kind});
  ASSERT_FALSE(run);
  EXPECT_EQ(kind, m.kind) << to_text(run.error());
  EXPECT_NE(to_text(run.error()).find(m.says), std::string::npos) << to_text(run.error());
}

// An H200 reports the same kinds of faults for the first four launches.
INSTANTIATE_TEST_SUITE_P(
    Of, ClusterMistakes,
    testing::Values(
        mistake{"reads_rank",
                {"out:i32[1]", "i32=2"},
                fault_kind::launch_failure,
                "in block 2 of the cluster, but the cluster has only 2"},
        mistake{"reads_with_lds", {"out:i32[1]"}, fault_kind::illegal_instruction, "only the thread's own block"},
        mistake{"reads_past_end", {"out:i32[32]"}, fault_kind::launch_failure, "has 1,028 bytes of shared memory"},
        mistake{"outlives", {"out:i32[1]"}, fault_kind::launch_failure, "has ended"},
        mistake{
            "waits_for_ever", {"out:i32[1]"}, fault_kind::deadlock, "wait for other lanes of the warp, which never arrive"},
        mistake{"arrives_twice", {"out:i32[1]"}, fault_kind::deadlock, "arrives twice"}),
    [](const auto& m) { return std::string(m.param.kernel); });

TEST(Clusters, OfImpossibleSizesAreRefused) {
  const auto refusal = [](std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> cluster, const char* kernel) {
    fault_kind kind = fault_kind::none;
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = kernel,
                                       .grid = grid,
                                       .arguments = {"out:i32[64]"},
                                       .cluster = cluster,
                                       .fault = &kind});
    EXPECT_FALSE(run);
    EXPECT_EQ(kind, fault_kind::invalid_cluster);
    return run ? std::string() : to_text(run.error());
  };
  EXPECT_NE(refusal({5, 1, 1}, {2, 1, 1}, "spins").find("multiple"), std::string::npos);
  EXPECT_NE(refusal({34, 1, 1}, {17, 1, 1}, "spins").find("at most 16"), std::string::npos);
  EXPECT_NE(refusal({4, 1, 1}, {2, 0, 1}, "spins").find("at most"), std::string::npos);
  EXPECT_NE(refusal({8, 1, 1}, {4, 1, 1}, "writes_next").find("compiled for clusters of 2,1,1"), std::string::npos);
}

// --- a tensor map as an argument; the buffer of the previous argument is at the first possible address ---

std::string argument_of(const emulate::tensor_map& map) {
  const emulate::tensor_map_words words = encode(map);
  std::string text = "bytes=";
  for (const std::uint32_t w : words)
    for (unsigned byte = 0; byte < 4; ++byte) text += hex(w >> 8 * byte & 0xff, 2);
  return text;
}
emulate::tensor_map small_map() {
  emulate::tensor_map map;
  map.address = emulate::allocation_base;
  map.dimensions = 2;
  map.type = emulate::tensor_type::s32;
  map.size = {12, 2};
  map.stride = {4, 48};
  map.box = {8, 2};
  map.element_stride = {1, 1};
  return map;
}
result<test::kernel_run> load_box(const std::string& map, int x, int misaligned, fault_kind* kind = nullptr) {
  return test::run_kernel(
      {.cubin = cubin,
       .kernel = "loads_box",
       .arguments = {"i32[24]=iota", map, "i32=" + std::to_string(x), "i32=" + std::to_string(misaligned)},
       .fault = kind});
}

TEST(TensorCopies, FillWhatIsOutside) {
  const auto run = load_box(argument_of(small_map()), 8, 0);
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<int> out = run->buffer<int>(0), expected{8, 9, 10, 11, 0, 0, 0, 0, 20, 21, 22, 23, 0, 0, 0, 0};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
}

TEST(TensorCopies, SayWhatIsWrong) {
  const auto says = [](const std::string& map, int x, int misaligned, fault_kind expected) {
    fault_kind kind = fault_kind::none;
    const auto run = load_box(map, x, misaligned, &kind);
    EXPECT_FALSE(run);
    EXPECT_EQ(kind, expected);
    return run ? std::string() : to_text(run.error());
  };
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(contains(says("bytes=" + std::string(256, '0'), 0, 0, fault_kind::illegal_instruction),
                       "as a tensor map, but the object is not a tensor map"));
  EXPECT_TRUE(contains(says(argument_of(small_map()), 1, 0, fault_kind::illegal_instruction), "multiple of 16 bytes"));
  EXPECT_TRUE(contains(says(argument_of(small_map()), 0, 64, fault_kind::misaligned_address), "multiple of 128"));
  emulate::tensor_map other = small_map();
  other.size[1] = 3;
  other.box[1] = 3;
  EXPECT_TRUE(contains(says(argument_of(other), 0, 0, fault_kind::illegal_address), "the end of argument 1"));
  other = small_map();
  other.dimensions = 1;
  EXPECT_TRUE(contains(says(argument_of(other), 0, 0, fault_kind::illegal_instruction), "but the tensor map has 1 dimension"));
}

}  // namespace
}  // namespace bankwise
