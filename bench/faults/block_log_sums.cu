// Adds the 512 probabilities of each block, which are given as logarithms.
#include "host.cuh"

constexpr int blocks = 2112, threads = 512;

namespace before {
__global__ void block_log_sums(const float* in, float* sums) {
  __shared__ float s[threads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * threads + t];
  for (int d = 1; d < threads; d *= 2) {
    __syncthreads();
    if (t % (2 * d) == 0) s[t] = fmaxf(s[t], s[t + d]) + log1pf(expf(-fabsf(s[t] - s[t + d])));
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
}  // namespace before

namespace after {
__global__ void block_log_sums(const float* in, float* sums) {
  __shared__ float s[threads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * threads + t];
  for (int d = threads / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] = fmaxf(s[t], s[t + d]) + log1pf(expf(-fabsf(s[t] - s[t + d])));
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(blocks * threads, [](int i) { return i * 37 % 1009 * 0.01f; });
  float* sums = filled<float>(blocks, [](int) { return 0; });
  if (is_after)
    after::block_log_sums<<<blocks, threads>>>(in, sums);
  else
    before::block_log_sums<<<blocks, threads>>>(in, sums);
  return print_sum(sums, blocks);
}
