// Each thread keeps the last four values of its own series in shared memory.
#include "../host.cuh"

constexpr int n = 405504, threads = 256, kept = 4, rounds = 64;

namespace before {
__global__ void private_ring(const float* in, float* out) {
  __shared__ float ring[kept][threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  for (int k = 0; k < kept; ++k) ring[k][t] = in[i] * k;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    __syncthreads();
    sum += ring[k % kept][t];
    __syncthreads();
    ring[k % kept][t] = 0.5f * sum;
  }
  out[i] = sum;
}
}  // namespace before

namespace after {
__global__ void private_ring(const float* in, float* out) {
  __shared__ float ring[kept][threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  for (int k = 0; k < kept; ++k) ring[k][t] = in[i] * k;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    sum += ring[k % kept][t];
    ring[k % kept][t] = 0.5f * sum;
  }
  out[i] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n, [](int i) { return i % 19 * 0.125f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::private_ring<<<n / threads, threads>>>(in, out);
  else
    before::private_ring<<<n / threads, threads>>>(in, out);
  return print_sum(out, n);
}
