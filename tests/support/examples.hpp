// The kernels of examples/: a launch of each kernel, and a check with the CPU's results.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/kernel_run.hpp"
#include "support/numbers.hpp"

namespace bankwise::test {

struct example {
  kernel_launch launch;
  std::function<void(const kernel_run&)> check;  // argument 0 of the launch is the output
};

inline example transpose(const std::string& kernel) {
  const std::vector<float> in = small_numbers(256 * 256, 1);
  return {{.cubin = "examples/transpose.cubin",
           .kernel = kernel,
           .grid = {8, 8, 1},
           .block = {32, 8, 1},
           .arguments = {"out:f32[256*256]", "f32[]=file:in", "i32=256"},
           .files = {{"in", bytes_of(in)}}},
          [in](const kernel_run& run) {
            const auto out = run.buffer<float>(0);
            for (std::size_t r = 0; r < 256; ++r)
              for (std::size_t c = 0; c < 256; ++c) ASSERT_EQ(out[c * 256 + r], in[r * 256 + c]) << r << ", " << c;
          }};
}

inline example gemm() {
  const std::size_t m = 128, n = 128, k = 64;
  const std::vector<float> a = small_numbers(m * k, 1), b = small_numbers(k * n, 2);
  return {{.cubin = "examples/gemm.cubin",
           .kernel = "gemm",
           .grid = {2, 2, 1},
           .block = {16, 16, 1},
           .arguments = {"out:f32[128*128]", "f32[]=file:a", "f32[]=file:b", "i32=128", "i32=128", "i32=64"},
           .files = {{"a", bytes_of(a)}, {"b", bytes_of(b)}}},
          [=](const kernel_run& run) {
            const auto c = run.buffer<float>(0);
            for (std::size_t i = 0; i < m; ++i)
              for (std::size_t j = 0; j < n; ++j) {
                float sum = 0;
                for (std::size_t x = 0; x < k; ++x) sum += a[i * k + x] * b[x * n + j];
                ASSERT_EQ(c[i * n + j], sum) << i << ", " << j;
              }
          }};
}

inline example histogram(const std::string& kernel, bool weighted) {
  std::vector<unsigned char> in(4096);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 37 + i / 64);
  return {{.cubin = "examples/histogram.cubin",
           .kernel = kernel,
           .grid = {4, 1, 1},
           .block = {256, 1, 1},
           .arguments = {"out:u32[256]", "u8[]=file:in", "i32=4096"},
           .files = {{"in", bytes_of(in)}}},
          [=](const kernel_run& run) {
            std::vector<unsigned> expected(256);
            for (const unsigned char value : in) expected[weighted ? value % 16 * 16 : value] += weighted ? value : 1u;
            EXPECT_EQ(run.buffer<unsigned>(0), expected);
          }};
}

inline example mma(const std::string& kernel) {
  const std::size_t side = 64;
  const std::vector<float> a = small_numbers(side * side, 4), b = small_numbers(side * side, 5);
  return {{.cubin = "examples/mma_tile.cubin",
           .kernel = kernel,
           .block = {128, 1, 1},
           .arguments = {"out:f32[64*64]", "f16[]=file:a", "f16[]=file:b"},
           .files = {{"a", bytes_of(to_half(a))}, {"b", bytes_of(to_half(b))}}},
          [=](const kernel_run& run) {
            const auto c = run.buffer<float>(0);
            for (std::size_t i = 0; i < side; ++i)
              for (std::size_t j = 0; j < side; ++j) {
                float sum = 0;
                for (std::size_t k = 0; k < side; ++k) sum += a[i * side + k] * b[j * side + k];
                ASSERT_EQ(c[i * side + j], sum) << i << ", " << j;
              }
          }};
}

inline example reduction(const std::string& kernel) {
  const std::vector<float> in = small_numbers(2000, 3);
  return {{.cubin = "examples/reduction.cubin",
           .kernel = kernel,
           .grid = {8, 1, 1},
           .block = {256, 1, 1},
           .arguments = {"out:f32[8]", "f32[]=file:in", "i32=2000"},
           .files = {{"in", bytes_of(in)}}},
          [=](const kernel_run& run) {
            std::vector<float> sums(8);
            for (std::size_t i = 0; i < in.size(); ++i) sums[i / 256] += in[i];
            EXPECT_EQ(run.buffer<float>(0), sums);
          }};
}

inline example stencil() {
  const int n = 2000, radius = 4;
  const std::vector<float> in = small_numbers(n, 6);
  return {{.cubin = "examples/stencil.cubin",
           .kernel = "stencil",
           .grid = {16, 1, 1},
           .block = {128, 1, 1},
           .shared = 544,
           .arguments = {"out:f32[2000]", "f32[]=file:in", "i32=2000", "i32=4"},
           .files = {{"in", bytes_of(in)}}},
          [=](const kernel_run& run) {
            const auto out = run.buffer<float>(0);
            for (int i = 0; i < n; ++i) {
              float sum = 0;
              for (int j = -radius; j <= radius; ++j)
                if (i + j >= 0 && i + j < n)
                  sum += in[static_cast<std::size_t>(i + j)] * static_cast<float>(radius + 1 - std::abs(j));
              ASSERT_EQ(out[static_cast<std::size_t>(i)], sum) << i;
            }
          }};
}

inline std::vector<example> all_examples() {
  return {transpose("transpose_plain"),
          transpose("transpose_padded"),
          transpose("transpose_swizzled"),
          transpose("transpose_vectorised"),
          gemm(),
          histogram("histogram_shared", false),
          histogram("histogram_weighted", true),
          mma("mma_plain"),
          mma("mma_swizzled"),
          reduction("reduce_interleaved"),
          reduction("reduce_sequential"),
          stencil()};
}

// Returns the report of a small transpose.
inline report small_transpose(const char* kernel = "transpose_plain") {
  auto run = run_kernel({.cubin = "examples/transpose.cubin",
                         .kernel = kernel,
                         .grid = {2, 2, 1},
                         .block = {32, 8, 1},
                         .arguments = {"out:f32[4096]", "f32[4096]=iota", "i32=64"}});
  EXPECT_TRUE(run) << to_text(run.error());
  return std::move(run->whole);
}

// Returns the same report with source lines, whose text is "line N;".
inline report transposed(const char* kernel = "transpose_plain") {
  report r = small_transpose(kernel);
  for (site& s : r.launches[0].sites) s.text = "line " + std::to_string(s.line) + ";";
  return r;
}

}  // namespace bankwise::test
