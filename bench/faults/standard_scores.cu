// Sums the squared standard scores of 64 values per thread, which are in shared memory.
#include "host.cuh"

constexpr int blocks = 1056, threads = 256, set = 64;

namespace before {
__global__ void standard_scores(const float* in, const float* deviation, float* out) {
  __shared__ float s[set];
  if (threadIdx.x < set) s[threadIdx.x] = in[blockIdx.x * set + threadIdx.x];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float sigma = deviation[t];
  float sum = 0;
  for (int k = 0; k < set; ++k) sum += s[k] / sigma * (s[k] / sigma);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void standard_scores(const float* in, const float* deviation, float* out) {
  __shared__ float s[set];
  if (threadIdx.x < set) s[threadIdx.x] = in[blockIdx.x * set + threadIdx.x];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float scale = 1 / deviation[t];
  float sum = 0;
  for (int k = 0; k < set; ++k) sum += s[k] * scale * (s[k] * scale);
  out[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(blocks * set, [](int i) { return i % 23 * 0.25f; });
  float* deviation = filled<float>(blocks * threads, [](int i) { return 1 + i % 9 * 0.125f; });
  float* out = filled<float>(blocks * threads, [](int) { return 0; });
  if (is_after)
    after::standard_scores<<<blocks, threads>>>(in, deviation, out);
  else
    before::standard_scores<<<blocks, threads>>>(in, deviation, out);
  return print_sum(out, blocks * threads);
}
