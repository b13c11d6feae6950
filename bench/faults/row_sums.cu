// Sums each row of a matrix.
#include "host.cuh"

constexpr int rows = 67584, columns = 64;

namespace before {
__global__ void row_sums(const float* matrix, float* sums) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += matrix[row * columns + c];
  sums[row] = sum;
}
}  // namespace before

namespace after {
__global__ void row_sums(const float* matrix, float* sums) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += matrix[row * columns + c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) sums[row] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* matrix = filled<float>(rows * columns, [](int i) { return i % 11 * 0.25f; });
  float* sums = filled<float>(rows, [](int) { return 0; });
  if (is_after)
    after::row_sums<<<rows / 8, 256>>>(matrix, sums);
  else
    before::row_sums<<<rows / 256, 256>>>(matrix, sums);
  return print_sum(sums, rows);
}
