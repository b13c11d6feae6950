// Builds a Fenwick tree of each block of 512 values.
#include "host.cuh"

constexpr int blocks = 4224, n = 512;

namespace before {
__device__ int place(int i) { return i; }
__global__ void fenwick_trees(const float* in, float* out) {
  __shared__ float s[n + n / 32];
  const int t = threadIdx.x;
  s[place(t)] = in[blockIdx.x * n + t];
  for (int d = 1; d < n; d *= 2) {
    __syncthreads();
    const int i = 2 * d * (t + 1) - 1;
    if (i < n) s[place(i)] += s[place(i - d)];
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[place(t)];
}
}  // namespace before

namespace after {
__device__ int place(int i) { return i + i / 32; }
__global__ void fenwick_trees(const float* in, float* out) {
  __shared__ float s[n + n / 32];
  const int t = threadIdx.x;
  s[place(t)] = in[blockIdx.x * n + t];
  for (int d = 1; d < n; d *= 2) {
    __syncthreads();
    const int i = 2 * d * (t + 1) - 1;
    if (i < n) s[place(i)] += s[place(i - d)];
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[place(t)];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(blocks * n, [](int i) { return i % 6 * 0.25f; });
  float* out = filled<float>(blocks * n, [](int) { return 0; });
  if (is_after)
    after::fenwick_trees<<<blocks, n>>>(in, out);
  else
    before::fenwick_trees<<<blocks, n>>>(in, out);
  return print_sum(out, blocks * n);
}
