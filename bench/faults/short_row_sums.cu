// Sums rows of 32 values. Each block has one warp and handles 64 rows.
#include "host.cuh"

constexpr int blocks = 2112, each = 64, columns = 32;

namespace before {
__global__ void short_row_sums(const float* in, float* sums) {
  __shared__ float s[columns];
  const int t = threadIdx.x;
  for (int row = blockIdx.x * each; row < (blockIdx.x + 1) * each; ++row) {
    s[t] = in[row * columns + t];
    for (int d = columns / 2; d > 0; d /= 2) {
      __syncthreads();
      if (t < d) s[t] += s[t + d];
    }
    if (t == 0) sums[row] = s[0];
  }
}
}  // namespace before

namespace after {
__global__ void short_row_sums(const float* in, float* sums) {
  const int t = threadIdx.x;
  for (int row = blockIdx.x * each; row < (blockIdx.x + 1) * each; ++row) {
    float sum = in[row * columns + t];
    for (int d = columns / 2; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (t == 0) sums[row] = sum;
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(blocks * each * columns, [](int i) { return i % 9 * 0.25f; });
  float* sums = filled<float>(blocks * each, [](int) { return 0; });
  if (is_after)
    after::short_row_sums<<<blocks, columns>>>(in, sums);
  else
    before::short_row_sums<<<blocks, columns>>>(in, sums);
  return print_sum(sums, blocks * each);
}
