// Tests the number of blocks on a multiprocessor with examples that were computed by hand. occupancy_header_test
// compares this number with NVIDIA's own computation.
#include "cubin/occupancy.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "bankwise/arch.hpp"
#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

// The example in the CUDA guide, "Multiprocessor Level". On 6.x, a kernel has 64 registers and blocks of 512 threads.
// Two blocks are resident, and take 2 * 512 * 64 registers. With 65 registers, only one block is resident.
TEST(Occupancy, RegistersAsTheGuideCountsThem) {
  EXPECT_EQ(blocks_per_multiprocessor("sm_61", {512, 64, 0}), (occupancy{2, limit::registers}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_61", {512, 65, 0}), (occupancy{1, limit::registers}));
}

// The numbers come from the CUDA guide, sections "Shared Memory" for compute capabilities 8.x and 9.0. The system
// reserves 1 KiB for each block. A block may use 163, 99 or 227 KiB, depending on the GPU.
TEST(Occupancy, TheSystemTakesOneKibOfEachBlock) {
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {128, 0, 227 * 1024}), (occupancy{1, limit::shared}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {128, 0, 227 * 1024 + 1}), (occupancy{0, limit::shared}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_80", {128, 0, 40 * 1024}), (occupancy{4, limit::shared}));  // 4 * 41 = 164
  EXPECT_EQ(blocks_per_multiprocessor("sm_80", {128, 0, 40 * 1024 + 1}), (occupancy{3, limit::shared}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_86", {128, 0, 24 * 1024}), (occupancy{4, limit::shared}));  // 4 * 25 = 100
  EXPECT_EQ(blocks_per_multiprocessor("sm_61", {128, 0, 48 * 1024}),
            (occupancy{2, limit::shared}));  // this GPU reserves no shared memory
  EXPECT_EQ(blocks_per_multiprocessor("sm_61", {128, 0, 48 * 1024 + 1}), (occupancy{0, limit::shared}));
}

TEST(Occupancy, TheExampleOfTheHeader) {
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {256, 64, 33 * 1024}), (occupancy{4, limit::registers}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {256, 32, 33 * 1024}), (occupancy{6, limit::shared}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {256, 32, 0}), (occupancy{8, limit::threads}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {32, 32, 0}), (occupancy{32, limit::blocks}));
}

TEST(Occupancy, WhatCannotLaunchHasNoBlock) {
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {0, 0, 0}), (occupancy{0, limit::threads}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {1025, 0, 0}), (occupancy{0, limit::threads}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {1024, 65, 0}), (occupancy{0, limit::registers}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {32, 256, 0}), (occupancy{0, limit::registers}));
  EXPECT_EQ(blocks_per_multiprocessor("sm_90", {32, 0, 0xffffffff}), (occupancy{0, limit::shared}));
}

TEST(Occupancy, RowsAreFoundByEveryNameOfTheirArchitecture) {
  EXPECT_EQ(find_multiprocessor("sm_90a"), find_multiprocessor("sm_90"));
  EXPECT_EQ(find_multiprocessor("sm_103f")->name, "sm_103");
  EXPECT_EQ(find_multiprocessor("sm_37.8")->name, "sm_37");
  for (const char* name : {"", "sm_", "sm_9", "90", "sm_900", "sm_90aa", "a", ".8"})
    EXPECT_EQ(blocks_per_multiprocessor(name, {32, 0, 0}), std::nullopt) << name;
}

TEST(Occupancy, OfEveryArchitectureSinceKepler) {
  for (const arch& a : archs) {
    const std::string_view family = a.family;
    EXPECT_EQ(find_multiprocessor(a.name) == nullptr, family == "Tesla" || family == "Fermi") << a.name;
  }
}

// data/sm_90/occupancy.csv.zst has the answers of the CUDA runtime on an H200.
TEST(Occupancy, WhatAnH200Answered) {
  std::istringstream rows(test::read_zstd(test::source_path("data/sm_90/occupancy.csv.zst")));
  std::string line;
  std::getline(rows, line);
  int compared = 0;
  while (std::getline(rows, line)) {
    resources r;
    std::uint32_t blocks = 0;
    char comma = 0;
    std::istringstream(line) >> r.registers_a_thread >> comma >> r.threads >> comma >> r.shared_bytes >> comma >>
        blocks;
    ASSERT_EQ(blocks_per_multiprocessor("sm_90", r)->blocks, blocks) << line;
    ++compared;
  }
  EXPECT_EQ(compared, 20960);
}

}  // namespace
}  // namespace bankwise::cubin
