// Sums 16 long rows. Each block sums one part of a row.
#include "host.cuh"

constexpr int rows = 16, columns = 131072;

namespace before {
__global__ void long_row_sums(const float* matrix, float* sums) {
  const int row = blockIdx.x, part = columns / gridDim.y;
  const float* from = matrix + row * columns + blockIdx.y * part;
  float sum = 0;
  for (int c = threadIdx.x; c < part; c += blockDim.x) sum += from[c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[row], sum);
}
}  // namespace before

namespace after {
__global__ void long_row_sums(const float* matrix, float* sums) {
  const int row = blockIdx.x, part = columns / gridDim.y;
  const float* from = matrix + row * columns + blockIdx.y * part;
  float sum = 0;
  for (int c = threadIdx.x; c < part; c += blockDim.x) sum += from[c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[row], sum);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* matrix = filled<float>(rows * columns, [](int i) { return i % 8 * 0.25f; });
  float* sums = filled<float>(rows, [](int) { return 0; });
  if (is_after)
    after::long_row_sums<<<dim3(rows, 32), 256>>>(matrix, sums);
  else
    before::long_row_sums<<<dim3(rows, 1), 256>>>(matrix, sums);
  return print_sum(sums, rows);
}
