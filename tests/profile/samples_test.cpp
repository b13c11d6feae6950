// Compares public programs with an H200's counts (data/sm_90/kernels.csv): kernels of NVIDIA/cuda-samples, with the
// programs' data if addresses depend on them, and the matrix products of siboehm/SGEMM_CUDA. scripts/build-samples
// makes their cubins; without them the tests are skipped.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "support/coverage.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/measured.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

struct sample {
  const char* program;  // as in the table; empty if it does not access shared memory, but its outputs are needed
  std::string source;   // its cubin has this name
  const char* kernel;
  std::array<std::uint32_t, 3> grid, block;
  std::uint32_t shared;
  std::vector<std::string> arguments;
  std::vector<std::string> keep{};  // names under which later launches read the first buffers
};

// The programs' own random numbers: rand() of glibc.
std::map<std::string, std::string> random_inputs() {
  std::srand(2001);
  std::vector<std::uint32_t> keys(1 << 20);
  for (std::uint32_t& k : keys) k = static_cast<std::uint32_t>(std::rand()) % 65536;
  std::srand(2009);
  std::string bytes(64 << 20, '\0');
  for (char& b : bytes) b = static_cast<char>(std::rand() % 256);
  return {{"keys", test::bytes_of(keys)}, {"bytes", std::move(bytes)}};
}

// Launches as the programs make them; the numbers in the buffers do not matter.
std::vector<sample> samples() {
  std::vector<sample> all;
  for (const char* kernel : {"copySharedMem", "transposeCoalesced", "transposeNoBankConflicts",
                             "transposeCoarseGrained", "transposeFineGrained", "transposeDiagonal"})
    all.push_back({"transpose",
                   "6_Performance/transpose/transpose.cu",
                   kernel,
                   {32, 32, 1},
                   {32, 16, 1},
                   0,
                   {"out:f32[1M]", "f32[1M]=iota", "i32=1024", "i32=1024"}});
  all.push_back({"matrixMul",
                 "0_Introduction/matrixMul/matrixMul.cu",
                 "MatrixMulCUDA<32>",
                 {20, 10, 1},
                 {32, 32, 1},
                 0,
                 {"out:f32[320*640]", "f32[320*320]=1", "f32[320*640]=0.01", "i32=320", "i32=640"}});
  const char* convolution = "2_Concepts_and_Techniques/convolutionSeparable/convolutionSeparable.cu";
  const std::vector<std::string> image = {"out:f32[3072*3072]", "f32[3072*3072]=1", "i32=3072", "i32=3072", "i32=3072"};
  all.push_back({"convolutionSeparable", convolution, "convolutionRowsKernel", {24, 768, 1}, {16, 4, 1}, 0, image});
  all.push_back({"convolutionSeparable", convolution, "convolutionColumnsKernel", {192, 48, 1}, {16, 8, 1}, 0, image});
  all.push_back({"fastWalshTransform",
                 "5_Domain_Specific/fastWalshTransform/fastWalshTransform.cu",
                 "fwtBatch1Kernel",
                 {4096, 1, 1},
                 {512, 1, 1},
                 8192,
                 {"out:f32[8M]", "f32[8M]=1", "i32=11"}});
  const char* scan = "2_Concepts_and_Techniques/scan/scan.cu";
  all.push_back({"scan",
                 scan,
                 "scanExclusiveShared",
                 {6656, 1, 1},
                 {256, 1, 1},
                 0,
                 {"out:u32[6656*1024]", "u32[6656*1024]=1", "u32=4"}});
  all.push_back({"scan",
                 scan,
                 "scanExclusiveShared2",
                 {26, 1, 1},
                 {256, 1, 1},
                 0,
                 {"out:u32[6656]", "u32[6656*1024]=1", "u32[6656*1024]=1", "u32=6656", "u32=2"}});
  all.push_back({"scan", scan, "uniformUpdate", {6656, 1, 1}, {256, 1, 1}, 0, {"u32[6656*1024]=1", "u32[6656]=1"}});
  const char* sort = "2_Concepts_and_Techniques/sortingNetworks/bitonicSort.cu";
  all.push_back({"sortingNetworks",
                 sort,
                 "bitonicSortShared",
                 {1024, 1, 1},
                 {512, 1, 1},
                 0,
                 {"out:u32[1M]", "out:u32[1M]", "u32[]=file:keys", "u32[1M]=iota", "u32=64", "u32=0"}});
  all.push_back({"sortingNetworks",
                 sort,
                 "bitonicSortShared1",
                 {1024, 1, 1},
                 {512, 1, 1},
                 0,
                 {"out:u32[1M]", "out:u32[1M]", "u32[]=file:keys", "u32[1M]=iota"},
                 {"keys 1", "values 1"}});
  all.push_back({"",
                 sort,
                 "bitonicMergeGlobal",
                 {2048, 1, 1},
                 {256, 1, 1},
                 0,
                 {"out:u32[1M]", "out:u32[1M]", "u32[]=file:keys 1", "u32[]=file:values 1", "u32=2048", "u32=2048",
                  "u32=1024", "u32=0"},
                 {"keys 2", "values 2"}});
  all.push_back(
      {"sortingNetworks",
       sort,
       "bitonicMergeShared",
       {1024, 1, 1},
       {512, 1, 1},
       0,
       {"out:u32[1M]", "out:u32[1M]", "u32[]=file:keys 2", "u32[]=file:values 2", "u32=2048", "u32=2048", "u32=0"}});
  const std::string histogram = "2_Concepts_and_Techniques/histogram/histogram";
  all.push_back({"histogram",
                 histogram + "64.cu",
                 "histogram64Kernel",
                 {4370, 1, 1},
                 {64, 1, 1},
                 0,
                 {"out:u32[4370*64]", "u8[]=file:bytes", "u32=4194304"},
                 {"partial"}});
  all.push_back({"histogram",
                 histogram + "64.cu",
                 "mergeHistogram64Kernel",
                 {64, 1, 1},
                 {256, 1, 1},
                 0,
                 {"out:u32[64]", "u32[]=file:partial", "u32=4370"}});
  all.push_back({"histogram",
                 histogram + "256.cu",
                 "histogram256Kernel",
                 {240, 1, 1},
                 {192, 1, 1},
                 0,
                 {"out:u32[240*256]", "u8[]=file:bytes", "u32=16777216"},
                 {"partial"}});
  all.push_back({"histogram",
                 histogram + "256.cu",
                 "mergeHistogram256Kernel",
                 {256, 1, 1},
                 {256, 1, 1},
                 0,
                 {"out:u32[256]", "u32[]=file:partial", "u32=240"}});
  all.push_back({"cudaTensorCoreGemm",
                 "3_CUDA_Features/cudaTensorCoreGemm/cudaTensorCoreGemm.cu",
                 "compute_gemm",
                 {132, 1, 1},
                 {256, 1, 1},
                 73728,
                 {"f16[16M]=1", "f16[16M]=2", "f32[16M]=3", "out:f32[16M]", "f32=1.1", "f32=1.2"}});
  all.push_back({"reduction",
                 "2_Concepts_and_Techniques/reduction/reduction_kernel.cu",
                 "reduce7<int, 256u, true>",
                 {64, 1, 1},
                 {256, 1, 1},
                 36,
                 {"i32[16M]=1", "out:i32[64]", "u32=16777216"}});
  return all;
}

// ./sgemm K, whose first launch multiplies 128 x 128 matrices in buffers for larger ones; sgemm.11 reads beyond them.
std::vector<sample> products() {
  const std::vector<std::string> arguments = {"i32=128",   "i32=128",   "i32=128", "f32=0.5",
                                              "f32[1M]=1", "f32[1M]=2", "f32=3",   "f32[1M]=4"};
  const auto product = [&](const char* program, const char* kernel, std::uint32_t blocks, std::uint32_t threads) {
    return sample{program, "src/runner.cu", kernel, {blocks, blocks, 1}, {threads, 1, 1}, 0, arguments};
  };
  return {product("sgemm.3", "sgemm_shared_mem_block<32>", 4, 1024),
          product("sgemm.4", "sgemm1DBlocktiling<64, 64, 8, 8>", 2, 512),
          product("sgemm.5", "sgemm2DBlocktiling<128, 128, 8, 8, 8>", 1, 256),
          product("sgemm.6", "sgemmVectorize<128, 128, 8, 8, 8>", 1, 256),
          product("sgemm.7", "sgemmResolveBankConflicts<128, 128, 8, 8, 8>", 1, 256),
          product("sgemm.9", "sgemmAutotuned<128, 128, 16, 8, 8>", 1, 256),
          product("sgemm.11", "sgemmDoubleBuffering<128, 256, 16, 128, 32, 1, 8, 8, 256>", 1, 256)};
}

void compare(const std::vector<sample>& all, const std::string& cubins, std::map<std::string, std::string> files) {
  std::map<std::string, std::vector<std::string>> measured;
  for (const auto& l : test::read_measured(test::source_path("data/sm_90/kernels.csv")))
    measured[l.program + " " + l.kernel] = l.rows;

  std::size_t rows = 0, launches = 0;
  for (const sample& s : all) {
    SCOPED_TRACE(s.kernel);
    const fs::path cubin = fs::absolute(cubins) / fs::path(s.source).filename().replace_extension(".cubin");
    const auto run = test::run_kernel({cubin.string(), s.kernel, s.grid, s.block, s.shared, s.arguments, files, 0});
    ASSERT_TRUE(run) << to_text(run.error());
    for (std::size_t i = 0; i < s.keep.size(); ++i) files[s.keep[i]] = run->buffers.at(i);
    if (*s.program == '\0') continue;
    const std::string name = std::string(s.program) + " " + run->launch().name;
    ASSERT_TRUE(measured.contains(name)) << name;
    EXPECT_EQ(test::rows_of(run->launch()), measured[name]);
    rows += measured[name].size();
    ++launches;
  }
  std::printf("%zu instructions of %zu launches: as the H200 counted\n", rows, launches);
}

class Samples : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(folder)) GTEST_SKIP() << "scripts/build-samples compiles what this test runs";
  }
  const std::string folder = test::source_path("build/samples");
};

TEST_F(Samples, CudaSamples) { compare(samples(), folder, random_inputs()); }

// Samples of launches that depend on their data, compared with complete launches: intervals at 90 %.
TEST_F(Samples, IntervalsOfSamplesHold) {
  test::coverage all;
  auto files = random_inputs();
  for (const sample& s : samples()) {
    SCOPED_TRACE(s.kernel);
    const fs::path cubin = fs::absolute(folder) / fs::path(s.source).filename().replace_extension(".cubin");
    const bool depends =
        s.source.find("sorting") != std::string::npos || s.source.find("histogram") != std::string::npos;
    if (!depends || !fs::exists(cubin)) continue;
    test::kernel_launch what{cubin.string(), s.kernel, s.grid, s.block, s.shared, s.arguments, files, 0};
    const auto whole = test::run_kernel(what);
    ASSERT_TRUE(whole) << to_text(whole.error());
    for (std::size_t i = 0; i < s.keep.size(); ++i) files[s.keep[i]] = whole->buffers.at(i);
    for (const std::uint64_t n : {4, 16, 64}) {
      if (n >= blocks_of(s.grid)) continue;
      what.ctas = n;
      const auto run = test::run_kernel(what);
      ASSERT_TRUE(run) << to_text(run.error());
      test::coverage one;
      one.add(whole->launch(), run->launch());
      std::cout << s.kernel << ", " << n << " blocks: " << one.text() << "\n";
      all.add(one);
    }
  }
  std::cout << "all: " << all.text() << "\n";
  EXPECT_GE(all.share(), 0.9);
}

TEST_F(Samples, MatrixProducts) { compare(products(), folder, {}); }

}  // namespace
}  // namespace bankwise
