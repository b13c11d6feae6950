// Divides each row by the sum of its absolute values. One thread of a block computes the sum, or all of them together.
#include "../host.cuh"

constexpr int rows = 1056, columns = 1024, threads = 256;

namespace before {
__global__ void scale_rows(float* value) {
  __shared__ float row[columns];
  __shared__ float sum;
  float* const own = value + blockIdx.x * columns;
  for (int c = threadIdx.x; c < columns; c += threads) row[c] = own[c];
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0;
    for (int c = 0; c < columns; ++c) s += fabsf(row[c]);
    sum = s;
  }
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += threads) own[c] = row[c] / sum;
}
}  // namespace before

namespace after {
__global__ void scale_rows(float* value) {
  __shared__ float row[columns];
  __shared__ float sums[threads / 32];
  float* const own = value + blockIdx.x * columns;
  float s = 0;
  for (int c = threadIdx.x; c < columns; c += threads) s += fabsf(row[c] = own[c]);
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < threads / 32; ++w) sum += sums[w];
  for (int c = threadIdx.x; c < columns; c += threads) own[c] = row[c] / sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* value = filled<float>(rows * columns, [](int i) { return i % 17 - 8.f; });
  if (is_after)
    after::scale_rows<<<rows, threads>>>(value);
  else
    before::scale_rows<<<rows, threads>>>(value);
  return print_sum(value, rows * columns);
}
