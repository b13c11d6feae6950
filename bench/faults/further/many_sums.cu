// Adds up 48 products of each pair of values. A limit of 32 registers makes the compiler spill the sums.
#include "../host.cuh"

constexpr int blocks = 264, threads = 256, rounds = 64, sums = 48, n = blocks * threads;

__device__ void add_all(const float* value, float* out) {
  const int t = blockIdx.x * threads + threadIdx.x;
  float sum[sums] = {};
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    const float x = value[(k * threads + t) % n], y = value[(k + t) % n];
    for (int i = 0; i < sums; ++i) sum[i] = sum[i] * y + (x + i) * (i % 2 ? x : y);
  }
  float all = 0;
  for (int i = 0; i < sums; ++i) all += sum[i] * (i + 1);
  out[t] = all;
}

namespace before {
__global__ void __launch_bounds__(threads, 8) many_sums(const float* value, float* out) { add_all(value, out); }
}  // namespace before

namespace after {
__global__ void many_sums(const float* value, float* out) { add_all(value, out); }
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* value = filled<float>(n, [](int i) { return i % 16 * 0.03125f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::many_sums<<<blocks, threads>>>(value, out);
  else
    before::many_sums<<<blocks, threads>>>(value, out);
  return print_sum(out, n);
}
