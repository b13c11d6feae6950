// Sums 64 values per thread.
#include "host.cuh"

constexpr int threads = 16896, each = 64;

namespace before {
__global__ void partial_sums(const float* in, float* sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < each; ++k) sum += in[k * threads + t];
  sums[t] = sum;
}
}  // namespace before

namespace after {
__global__ void partial_sums(const float* in, float* sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < each; ++k) sum += in[k * threads + t];
  sums[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.5f; });
  float* sums = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::partial_sums<<<threads / 64, 64>>>(in, sums);
  else
    before::partial_sums<<<threads / 64, 64>>>(in, sums);
  return print_sum(sums, threads);
}
