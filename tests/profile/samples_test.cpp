// Compares public programs with the counts of an H200 (data/sm_90/kernels.csv): kernels of NVIDIA/cuda-samples, and the
// matrix products of siboehm/SGEMM_CUDA. If addresses depend on data, the test uses the data of the program.
// scripts/build-samples makes the cubins. Without the cubins, the tests are skipped.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "base/text.hpp"
#include "support/coverage.hpp"
#include "support/files.hpp"
#include "support/launch_table.hpp"
#include "support/measured.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

// Returns the random numbers that the programs generate with glibc's rand().
std::map<std::string, std::string> random_inputs() {
  std::srand(2001);
  std::vector<std::uint32_t> keys(1 << 20);
  for (std::uint32_t& k : keys) k = static_cast<std::uint32_t>(std::rand()) % 65536;
  std::srand(2009);
  std::string bytes(64 << 20, '\0');
  for (char& b : bytes) b = static_cast<char>(std::rand() % 256);
  return {{"keys", test::bytes_of(keys)}, {"bytes", std::move(bytes)}};
}

// The launches of the programs. The values in the buffers do not matter. A launch without a program does not access
// shared memory, but later launches need its outputs. The first launch of ./sgemm K multiplies 128 x 128 matrices in
// buffers for larger matrices, because sgemm.11 reads beyond the matrices.
struct sample {
  std::string program;
  test::kernel_launch launch;
  std::vector<std::string> keep;  // names by which later launches read the first buffers
  bool is_product = false;        // of siboehm/SGEMM_CUDA
  bool depends_on_data = false;
};
std::vector<sample> samples(const std::string& cubins) {
  std::vector<sample> all;
  for (test::launch_row& row : test::read_launches("tests/profile/samples")) {
    sample s{row.program, std::move(row.launch), {}};
    const std::string& source = row.more.at(0);
    s.launch.cubin = fs::absolute(fs::path(cubins) / (source + ".cubin")).string();
    if (!row.more.at(1).empty())
      for (const std::string_view name : split(row.more[1], ' ')) s.keep.emplace_back(name);
    s.is_product = source == "runner";
    s.depends_on_data = source == "bitonicSort" || source.starts_with("histogram");
    all.push_back(std::move(s));
  }
  return all;
}

void compare(const std::string& cubins, bool products, std::map<std::string, std::string> files) {
  std::map<std::string, std::vector<std::string>> measured;
  for (const auto& l : test::read_measured(test::source_path("data/sm_90/kernels.csv")))
    measured[l.program + " " + l.kernel] = l.rows;

  std::size_t rows = 0, launches = 0;
  for (sample& s : samples(cubins)) {
    if (s.is_product != products) continue;
    SCOPED_TRACE(s.launch.kernel);
    s.launch.files = files;
    const auto run = test::run_kernel(s.launch);
    ASSERT_TRUE(run) << to_text(run.error());
    for (std::size_t i = 0; i < s.keep.size(); ++i) files[s.keep[i]] = run->buffers.at(i);
    if (s.program.empty()) continue;
    const std::string name = s.program + " " + run->launch().name;
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
    if (!fs::exists(folder)) GTEST_SKIP() << "the cubins of this test are missing: run scripts/build-samples";
  }
  const std::string folder = test::source_path("build/samples");
};

TEST_F(Samples, CudaSamples) { compare(folder, false, random_inputs()); }

// Compares samples with complete launches. The costs of these launches depend on the data. The intervals have a
// confidence of 90 %.
TEST_F(Samples, IntervalsOfSamplesHold) {
  test::coverage all;
  auto files = random_inputs();
  for (sample& s : samples(folder)) {
    test::kernel_launch& what = s.launch;
    SCOPED_TRACE(what.kernel);
    if (!s.depends_on_data || !fs::exists(what.cubin)) continue;
    what.files = files;
    const auto whole = test::run_kernel(what);
    ASSERT_TRUE(whole) << to_text(whole.error());
    for (std::size_t i = 0; i < s.keep.size(); ++i) files[s.keep[i]] = whole->buffers.at(i);
    for (const std::uint64_t n : {4, 16, 64}) {
      if (n >= blocks_of(what.grid)) continue;
      what.ctas = n;
      const auto run = test::run_kernel(what);
      ASSERT_TRUE(run) << to_text(run.error());
      test::coverage one;
      one.add(whole->launch(), run->launch());
      std::cout << what.kernel << ", " << n << " blocks: " << one.text() << "\n";
      all.add(one);
    }
  }
  std::cout << "all: " << all.text() << "\n";
  EXPECT_GE(all.share(), 0.9);
}

TEST_F(Samples, MatrixProducts) { compare(folder, true, {}); }

}  // namespace
}  // namespace bankwise
