// Sums the squared distances from each point to the 2048 points of its block's set.
#include "host.cuh"

constexpr int blocks = 264, threads = 64, set = 2048;

namespace before {
__global__ void spread(const float* points, const float* sets, float* out) {
  __shared__ float s[set];
  for (int i = threadIdx.x; i < set; i += threads) s[i] = sets[blockIdx.x * set + i];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float x = points[t];
  float sum = 0;
  for (int k = 0; k < set; ++k) sum += (x - s[k]) * (x - s[k]);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void spread(const float* points, const float* sets, float* out) {
  __shared__ float s[set];
  for (int i = threadIdx.x; i < set; i += threads) s[i] = sets[blockIdx.x * set + i];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float x = points[t];
  float sum[4] = {};
  for (int k = 0; k < set; k += 4)
    for (int j = 0; j < 4; ++j) sum[j] += (x - s[k + j]) * (x - s[k + j]);
  out[t] = sum[0] + sum[1] + sum[2] + sum[3];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* points = filled<float>(blocks * threads, [](int i) { return i % 17 * 0.25f; });
  float* sets = filled<float>(blocks * set, [](int i) { return i % 23 * 0.25f; });
  float* out = filled<float>(blocks * threads, [](int) { return 0; });
  if (is_after)
    after::spread<<<blocks, threads>>>(points, sets, out);
  else
    before::spread<<<blocks, threads>>>(points, sets, out);
  return print_sum(out, blocks * threads);
}
