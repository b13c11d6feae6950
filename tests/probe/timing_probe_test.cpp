// Tests the parameters that the probe finds on a simulated GPU with known clocks, and the text of its kernels.
#include "gpu/probe/timing/timing_probe.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "base/format.hpp"
#include "base/system/scratch_folder.hpp"
#include "gpu/probe/kernels.hpp"
#include "gpu/probe/timing/timing_contribution.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"

namespace bankwise::probe {
namespace {

// The clocks of a launch: a constant for its start and end, and a number for each round.
class invented_gpu final : public gpu {
 public:
  explicit invented_gpu(const char* name, unsigned sm = 90) {
    facts_.name = name;
    facts_.sm = sm;
    facts_.driver = 13000;
    facts_.multiprocessors = 100;
    facts_.shared_bytes_per_block = 232448;
    facts_.memory_khz = 2'000'000;
    facts_.memory_bits = 4096;
    facts_.l2_bytes = 40 << 20;
  }
  const gpu_facts& facts() const override { return facts_; }
  cuda::context context() const override { return nullptr; }
  result<done> load(const std::string& ptx, unsigned) override {
    text_ = ptx;
    return done{};
  }
  result<cuda::pointer> allocate(std::size_t) override { return cuda::pointer{4096}; }
  result<cuda::pointer> allocate_host(std::size_t) override { return cuda::pointer{1} << 32; }
  // Reads an access: its mask, and the addresses of its lanes.
  result<done> write(cuda::pointer, const void* from, std::size_t) override {
    std::uint32_t words[3];
    std::memcpy(words, from, sizeof words);
    apart_ = words[2] - words[1];
    return done{};
  }
  result<done> read(void* to, cuda::pointer, std::size_t bytes) override {
    if (last_.starts_with("latency_")) {
      // The chain around the access takes 4 clocks, the access takes 20 clocks, and each further wavefront takes 3
      // clocks.
      const std::uint64_t clocks = chained_instructions * (last_ == empty_chain ? 4 : apart_ > 4 ? 24 + 7 * 3 : 24);
      for (std::size_t i = 0; i < bytes / 8; ++i) std::memcpy(static_cast<char*>(to) + 8 * i, &clocks, 8);
      return done{};
    }
    const auto clocks = static_cast<std::uint64_t>(700 + static_cast<double>(rounds_) * round());
    const block_times t{5000, 5000 + clocks, 1'000'000, 1'000'000 + clocks / 2};  // at 2 GHz
    for (std::size_t i = 0; i < bytes / sizeof t; ++i) std::memcpy(static_cast<char*>(to) + i * sizeof t, &t, sizeof t);
    return done{};
  }
  result<done> launch(const std::string& name, unsigned blocks, unsigned threads, unsigned,
                      const std::vector<std::uint64_t>& parameters) override {
    EXPECT_NE(text_.find(" " + name + "("), std::string::npos) << name;
    last_ = name;
    blocks_ = blocks;
    threads_ = threads;
    if (parameters.size() == 6) {
      rounds_ = parameters[2];
      a_ = parameters[3];
      in_host_ = parameters[0] > 4096;
    }
    return done{};
  }
  result<done> wait() override { return done{}; }

 private:
  double round() const {
    const double warps = threads_ / 32.0, all = static_cast<double>(blocks_) * threads_;
    const std::map<std::string, double> of_kernel = {
        {"chain_shuffle", 23.0 * chained},
        {"chain_constant", 31.0 * chained},
        {"barriers", (17 + 3 * warps) * chained},
        {"pipe_float", piped * warps / 4},
        {"pipe_double", 32.0 * piped * warps / 4},
        {"pipe_integer", 2.0 * piped * warps / 4},
        {"pipe_special", 4.0 * piped * warps / 4},
        {"pipe_shuffle", 2.0 * piped * warps},
        {"pipe_tensor", 8.0 * piped * warps / 4},
        {"pipe_address", 5.0 * 32},
        {"pipe_tags", 8.0 * 16 * warps},
        {"chase_l1", 40.0 * chained},
        {"pipe_match", 12.0 * piped * warps},
        {"chase_l2", (in_host_ ? 2000.0 : 300.0) * chained},
        {"stream_read", all * streamed * 16 /
                            (in_host_       ? 25.0
                             : blocks_ == 1 ? 64.0
                                            : 3200.0)},
        {"stream_write", all * streamed * 16 / (in_host_ ? 30.0 : 2000)},
        {"swap_loop", blocks_ * static_cast<double>(a_) * (a_ == 1 ? 600 : 1200)},
        {"count_same", 16.0 * 32 * 1500},
        {"stream_write_word", all * streamed * 32 / 1000},
        {"gather", all * gathered / 50},
        {"gather_halves", all / 8 * gathered * 64 / 2000},
        {"add_same", 16.0 * 48 * blocks_ * warps},
        {"add_same_float", 16.0 * 96 * blocks_ * warps},
        {"swap_words", 16.0 * 12 * blocks_ * warps},
        {"add_random", all * gathered / 40}};
    const auto at = of_kernel.find(last_);
    return at == of_kernel.end() ? 100 : at->second;
  }
  gpu_facts facts_;
  std::string text_, last_;
  std::uint32_t apart_ = 0;
  unsigned blocks_ = 1, threads_ = 32;
  std::uint64_t rounds_ = 1, a_ = 0;
  bool in_host_ = false;
};

const timing::file_parameter& row_of(const timing::parameter_file& f, std::string_view name) {
  for (const timing::file_parameter& r : f.rows)
    if (r.row->name == name) return r;
  ADD_FAILURE() << name;
  return f.rows.front();
}

timing::parameter_file measured(const char* name, unsigned sm = 90) {
  invented_gpu on(name, sm);
  auto f =
      measure_parameters(on, [](std::uint64_t done, std::uint64_t total, std::string_view) { EXPECT_LT(done, total); });
  EXPECT_TRUE(f) << to_text(f.error());
  return *f;
}

TEST(TimingProbe, FindsTheClocksOfAnInventedGpu) {
  const timing::parameter_file f = measured("NVIDIA X1");
  EXPECT_EQ(f.sm, 90u);
  EXPECT_NEAR(f.running_clock, 2, 0.01);
  const std::map<std::string, double> expected = {{"shared_latency", 20},
                                                  {"wavefront_latency", 3},
                                                  {"shuffle_latency", 23},
                                                  {"constant_latency", 31},
                                                  {"barrier_latency", 17},
                                                  {"barrier_interval", 3},
                                                  {"float_pipes", 2},
                                                  {"fp64_interval", 32},
                                                  {"integer_interval", 2},
                                                  {"special_interval", 4},
                                                  {"shuffle_wavefronts", 2},
                                                  {"tensor_halves", 256},
                                                  {"address_interval", 5},
                                                  {"l1_tags", 4},
                                                  {"l1_latency", 40},
                                                  {"l2_latency", 300},
                                                  {"update_clocks", 1.5},
                                                  {"update_float_clocks", 3},
                                                  {"update_swap_clocks", 3},
                                                  {"update_total", 40},
                                                  {"multiprocessors", 100},
                                                  {"l2_store_total", 2000},
                                                  {"l2_partial_total", 1000},
                                                  {"match_wavefronts", 12},
                                                  {"dram_peak", 1024},
                                                  {"swap_turn", 600},
                                                  {"swap_lanes", 1200 / std::pow(3200, 0.7)},
                                                  {"host_latency", 2000},
                                                  {"host_read_total", 25},
                                                  {"host_write_total", 30},
                                                  {"host_update_clocks", 1500}};
  for (const auto& [name, value] : expected) {
    EXPECT_NEAR(row_of(f, name).value, value, 0.01 * value) << name;
    EXPECT_EQ(row_of(f, name).evidence, timing::parameter_evidence::measured) << name;
  }
  // L2 delivers 25 lines or 50 sectors per clock. So a request counts as 64 bytes in addition to its sectors.
  EXPECT_NEAR(row_of(f, "l2_request").value, 64, 1);
  EXPECT_NEAR(row_of(f, "l2_total").value, 25 * (128 + 64), 60);
  EXPECT_NEAR(row_of(f, "l2_port").value, 0.5 * (128 + 64), 2);
}

TEST(TimingProbe, SaysWhatItAssumes) {
  const timing::parameter_file f = measured("NVIDIA X1");
  EXPECT_EQ(f.rows.size(), timing::parameter_rows().size() - 1);  // warm caches are an option, not a row
  EXPECT_EQ(row_of(f, "branch_redirect").evidence, timing::parameter_evidence::assumed);
  EXPECT_EQ(row_of(f, "l1_bytes").evidence, timing::parameter_evidence::published);
  EXPECT_EQ(row_of(f, "l2_dirty_bytes").source, "scaled from the H100 SXM");
  for (const timing::file_parameter& r : f.rows) EXPECT_FALSE(timing::refused(*r.row, r.value)) << r.row->name;
  const std::string table = parameter_table(f);
  EXPECT_NE(table.find("assumed"), std::string::npos);
  EXPECT_TRUE(table.starts_with("NVIDIA X1, sm_90, at 2.00 GHz: "));
}

TEST(TimingProbe, UsesTheBaseClockOfAKnownGpu) {
  const timing::parameter_file unknown = measured("NVIDIA X1"), known = measured("NVIDIA H200");
  EXPECT_NEAR(row_of(unknown, "sm_clock").value, 2, 0.01);
  EXPECT_EQ(row_of(known, "sm_clock").value, 1.5);
  EXPECT_EQ(row_of(known, "sm_clock").evidence, timing::parameter_evidence::published);
  // Both GPUs move the same number of bytes per second.
  EXPECT_NEAR(row_of(known, "dram_total").value * 1.5, row_of(unknown, "dram_total").value * 2, 30);
}

// The kernels that a GPU lacks are not launched, and what is measured is enough for a contribution.
TEST(TimingProbe, MeasuresEnoughOnEachArchitecture) {
  for (const auto& [name, sm] : {std::pair{"Tesla V100-SXM2-16GB", 70u},
                                 {"Tesla T4", 75u},
                                 {"NVIDIA A100-SXM4-80GB", 80u},
                                 {"NVIDIA GeForce RTX 3090", 86u},
                                 {"NVIDIA L4", 89u},
                                 {"NVIDIA B200", 100u},
                                 {"NVIDIA GeForce RTX 5090", 120u},
                                 {"NVIDIA GB10", 121u}}) {
    const timing::parameter_file f = measured(name, sm);
    EXPECT_EQ(f.driver, 13000u);
    EXPECT_FALSE(f.version.empty());
    const auto packed = pack_parameters(to_csv(f), "gpu.csv");
    ASSERT_TRUE(packed) << to_text(packed.error());
    EXPECT_EQ(contribution_of(*packed, "").driver, 13000u);
  }
}

TEST(TimingKernels, AreCompiledForAllArchitectures) {
  const char* const ptxas = std::getenv("PTXAS");
  if (ptxas == nullptr || *ptxas == '\0') GTEST_SKIP() << "there is no ptxas on this machine";
  const scratch_folder scratch;
  for (const unsigned sm : {75u, 80u, 89u, 90u, 100u, 120u}) {
    const std::string base = scratch.path() + "/" + std::to_string(sm);
    std::ofstream(base + ".ptx") << kernel_text(sm) << timing_kernels(sm);
    const std::string command = formatted("'{}' -arch={} '{}.ptx' -o '{}.cubin'", ptxas, target_name(sm), base, base);
    EXPECT_EQ(std::system(command.c_str()), 0) << sm;
  }
}

}  // namespace
}  // namespace bankwise::probe
