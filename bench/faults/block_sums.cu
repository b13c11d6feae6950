// Sums each block of 1024 values.
#include "host.cuh"

constexpr int blocks = 2112, threads = 512;

namespace before {
__global__ void block_sums(const float* in, float* sums) {
  __shared__ float part[2 * threads];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 2 * threads + t];
  part[t + threads] = in[blockIdx.x * 2 * threads + threads + t];
  for (int d = 1; d <= threads; d *= 2) {
    __syncthreads();
    if (2 * d * t < 2 * threads) part[2 * d * t] += part[2 * d * t + d];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
}  // namespace before

namespace after {
__global__ void block_sums(const float* in, float* sums) {
  __shared__ float part[2 * threads];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 2 * threads + t];
  part[t + threads] = in[blockIdx.x * 2 * threads + threads + t];
  for (int d = threads; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) part[t] += part[t + d];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(blocks * 2 * threads, [](int i) { return i % 21 * 0.25f; });
  float* sums = filled<float>(blocks, [](int) { return 0; });
  if (is_after)
    after::block_sums<<<blocks, threads>>>(in, sums);
  else
    before::block_sums<<<blocks, threads>>>(in, sums);
  return print_sum(sums, blocks);
}
