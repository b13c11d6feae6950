// Tests kernels that Triton compiled (examples/triton/). The costs equal the counts of an H100 (data/sm_90/triton.csv).
// The results equal the results of an H100 bit for bit, unless a kernel uses an approximation of MUFU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/float_bits.hpp"
#include "base/text.hpp"
#include "support/files.hpp"
#include "support/launch_table.hpp"
#include "support/measured.hpp"

namespace bankwise {
namespace {

using test::kernel_run;
using floats = std::vector<float>;

// Computes the same checksum as zlib.crc32.
std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t sum = ~0u;
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

floats floats_of(const kernel_run& run, std::size_t argument) {
  floats out;
  for (const std::uint16_t half : run.buffer<std::uint16_t>(argument)) out.push_back(float_of_half(half));
  return out;
}

// --- kernels with exp, division or square root, computed on the CPU row by row ---

floats softmax(const kernel_run& run) {
  floats out = run.buffer<float>(1);
  for (std::size_t row = 0; row < out.size(); row += 1000) {
    const float top = *std::max_element(&out[row], &out[row] + 1000);
    double sum = 0;
    for (std::size_t i = row; i < row + 1000; ++i) sum += out[i] = std::exp(out[i] - top);
    for (std::size_t i = row; i < row + 1000; ++i) out[i] = static_cast<float>(out[i] / sum);
  }
  return out;
}

floats layer_norm(const kernel_run& run) {
  floats out = run.buffer<float>(1);
  const floats weight = run.buffer<float>(2), bias = run.buffer<float>(3);
  for (std::size_t row = 0; row < out.size(); row += 1000) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < 1000; ++i) mean += out[row + i] / 1000.0;
    for (std::size_t i = 0; i < 1000; ++i) variance += std::pow(out[row + i] - mean, 2) / 1000;
    for (std::size_t i = 0; i < 1000; ++i)
      out[row + i] = static_cast<float>((out[row + i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i]);
  }
  return out;
}

floats attention(const kernel_run& run) {
  constexpr std::size_t n = 128, d = 64;
  const floats q = floats_of(run, 1), k = floats_of(run, 2), v = floats_of(run, 3);
  floats out(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> p(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t x = 0; x < d; ++x) p[j] += q[i * d + x] * k[j * d + x] * 0.125;
      p[j] = std::exp(p[j]);
    }
    double sum = 0;
    for (const double one : p) sum += one;
    for (std::size_t x = 0; x < d; ++x) {
      double y = 0;
      for (std::size_t j = 0; j < n; ++j) y += p[j] / sum * v[j * d + x];
      out[i * d + x] = static_cast<float>(y);
    }
  }
  return out;
}

struct approximate {
  std::string_view kernel;
  floats (*expected)(const kernel_run& run);
  float relative;  // relative error; larger for attention, because attention rounds its weights to halves
};
constexpr approximate approximates[] = {
    {"softmax", softmax, 1e-5f}, {"layer_norm", layer_norm, 1e-4f}, {"attention", attention, 2e-3f}};

TEST(Triton, KernelsComputeAndCostWhatTheH100Showed) {
  const auto measured = test::read_measured(test::source_path("data/sm_90/triton.csv"));
  const auto launches = test::read_launches("examples/triton");
  ASSERT_EQ(measured.size(), launches.size());
  int misread = 0;
  for (std::size_t n = 0; n < launches.size(); ++n) {
    SCOPED_TRACE(launches[n].program);
    const auto run = test::run_kernel(launches[n].launch);
    ASSERT_TRUE(run) << to_text(run.error());
    const auto rows = test::rows_of(run->launch());
    ASSERT_EQ(rows.size(), measured[n].rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Nsight Compute assumes that the predicate P0 of a cp.async is false, so the source page shows no reads.
      const std::string& sass = run->launch().sites[i].sass;
      const bool is_misread = sass.starts_with("LDGSTS") && sass.ends_with(", P0") && rows[i] != measured[n].rows[i];
      misread += is_misread;
      EXPECT_TRUE(is_misread || rows[i] == measured[n].rows[i]) << rows[i] << "\n" << measured[n].rows[i];
    }

    const auto a = std::find_if(std::begin(approximates), std::end(approximates),
                                [&](const approximate& x) { return x.kernel == launches[n].launch.kernel; });
    if (a == std::end(approximates)) {
      EXPECT_EQ(hex(crc32(run->buffers[0]), 8), launches[n].more.at(1));
      continue;
    }
    const floats got = run->buffer<float>(0), expected = a->expected(*run);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], expected[i], std::max(1.f, std::fabs(expected[i])) * a->relative) << "at " << i;
  }
  EXPECT_EQ(misread, 2);
}

}  // namespace
}  // namespace bankwise
