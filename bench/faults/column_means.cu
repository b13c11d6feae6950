// Computes the mean of each column of a matrix.
#include "host.cuh"

constexpr int rows = 256, columns = 8448;

namespace before {
__global__ void column_means(const float* matrix, float* means) {
  __shared__ float part[8];
  float sum = matrix[threadIdx.x * columns + blockIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < 8; ++w) sum += part[w];
  means[blockIdx.x] = sum / rows;
}
}  // namespace before

namespace after {
__global__ void column_means(const float* matrix, float* means) {
  __shared__ float part[8][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = blockIdx.x * 32 + lane;
  float sum = 0;
  for (int r = warp; r < rows; r += 8) sum += matrix[r * columns + column];
  part[warp][lane] = sum;
  __syncthreads();
  if (warp > 0) return;
  for (int w = 1; w < 8; ++w) sum += part[w][lane];
  means[column] = sum / rows;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* matrix = filled<float>(rows * columns, [](int i) { return i % 19 * 0.25f; });
  float* means = filled<float>(columns, [](int) { return 0; });
  if (is_after)
    after::column_means<<<columns / 32, rows>>>(matrix, means);
  else
    before::column_means<<<columns, rows>>>(matrix, means);
  return print_sum(means, columns);
}
