// Helpers of the drivers of attention kernels: small inputs that are always the same, attention in double precision on
// the host, and a comparison. Q, K, V and O are [batch][row][head][dim].
//
//   attention_case c{2, 100, 260, 4, 2, 64, true};
//   std::vector<float> q = numbers(c.q_size(), 1), ...;
//   check("name", attention(c, q, k, v), o, 0.01);
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

struct attention_case {
  int batch, rows, keys, heads, kv_heads, dim;
  bool causal;
  std::size_t q_size() const { return std::size_t(batch) * rows * heads * dim; }
  std::size_t kv_size() const { return std::size_t(batch) * keys * kv_heads * dim; }
};

inline void require(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(e));
  std::exit(2);
}

// Returns multiples of 1/16 between -1 and 1. Every 16-bit float type can represent these numbers.
inline std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
  std::vector<float> out(count);
  for (float& x : out) {
    seed = seed * 1664525u + 1013904223u;
    x = float(int(seed >> 27) - 16) / 16;
  }
  return out;
}

template <typename T>
T* on_device(const std::vector<float>& values) {
  std::vector<T> converted;
  for (const float v : values) converted.push_back(T(v));
  T* device = nullptr;
  require(cudaMalloc(&device, converted.size() * sizeof(T)));
  require(cudaMemcpy(device, converted.data(), converted.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
T* zeros_on_device(std::size_t count) {
  T* device = nullptr;
  require(cudaMalloc(&device, count * sizeof(T)));
  require(cudaMemset(device, 0, count * sizeof(T)));
  return device;
}

template <typename T>
std::vector<float> from_device(const T* device, std::size_t count) {
  std::vector<T> read(count);
  require(cudaDeviceSynchronize());
  require(cudaMemcpy(read.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  std::vector<float> out;
  for (const T& v : read) out.push_back(float(v));
  return out;
}

// Returns softmax(scale Q K^T) V. The causal mask aligns the last row with the last key, as FlashAttention since
// version 2.1. If lse is not null, lse gets the logarithm of each row's sum, [batch][head][row].
inline std::vector<double> attention(const attention_case& c, const std::vector<float>& q, const std::vector<float>& k,
                                     const std::vector<float>& v, std::vector<double>* lse = nullptr) {
  std::vector<double> out(c.q_size());
  if (lse != nullptr) lse->assign(std::size_t(c.batch) * c.heads * c.rows, 0);
  const double scale = 1 / std::sqrt(double(c.dim));
  for (int b = 0; b < c.batch; ++b)
    for (int h = 0; h < c.heads; ++h)
      for (int i = 0; i < c.rows; ++i) {
        const int kv = h / (c.heads / c.kv_heads);
        const int last = c.causal ? i + c.keys - c.rows : c.keys - 1;
        const float* qi = &q[((std::size_t(b) * c.rows + i) * c.heads + h) * c.dim];
        double* oi = &out[((std::size_t(b) * c.rows + i) * c.heads + h) * c.dim];
        std::vector<double> weights;
        double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int j = 0; j <= last; ++j) {
          const float* kj = &k[((std::size_t(b) * c.keys + j) * c.kv_heads + kv) * c.dim];
          double dot = 0;
          for (int d = 0; d < c.dim; ++d) dot += double(qi[d]) * kj[d];
          weights.push_back(dot * scale);
          greatest = std::fmax(greatest, weights.back());
        }
        for (double& w : weights) sum += w = std::exp(w - greatest);
        for (int j = 0; j <= last; ++j) {
          const float* vj = &v[((std::size_t(b) * c.keys + j) * c.kv_heads + kv) * c.dim];
          for (int d = 0; d < c.dim; ++d) oi[d] += weights[std::size_t(j)] / sum * vj[d];
        }
        if (lse != nullptr) (*lse)[(std::size_t(b) * c.heads + h) * c.rows + i] = greatest + std::log(sum);
      }
  return out;
}

// Prints the largest difference, and returns whether this difference is small enough.
inline bool check(const std::string& name, const std::vector<double>& expected, const std::vector<float>& got,
                  double allowed) {
  double greatest = expected.size() == got.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < expected.size() && i < got.size(); ++i) {
    const double off = std::fabs(expected[i] - got[i]);
    if (!(off <= greatest)) greatest = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
  }
  const bool near = greatest <= allowed;
  std::printf("%s: %zu values, largest difference %.2g, %.2g allowed: %s\n", name.c_str(), expected.size(), greatest,
              allowed, near ? "PASSED" : "FAILED");
  return near;
}
