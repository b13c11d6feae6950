// Finds the column of the largest value of each row.
#include "host.cuh"

constexpr int rows = 2112, columns = 128;

namespace before {
__global__ void row_peaks(const float* matrix, int* peaks) {
  __shared__ float row[columns];
  row[threadIdx.x] = matrix[blockIdx.x * columns + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    int best = 0;
    for (int c = 1; c < columns; ++c)
      if (row[c] > row[best]) best = c;
    peaks[blockIdx.x] = best;
  }
}
}  // namespace before

namespace after {
__global__ void row_peaks(const float* matrix, int* peaks) {
  __shared__ float row[columns];
  row[threadIdx.x] = matrix[blockIdx.x * columns + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    int best = threadIdx.x;
    for (int c = best + 32; c < columns; c += 32)
      if (row[c] > row[best]) best = c;
    for (int d = 16; d > 0; d /= 2) {
      const int other = __shfl_xor_sync(~0u, best, d);
      if (row[other] > row[best] || (row[other] == row[best] && other < best)) best = other;
    }
    if (threadIdx.x == 0) peaks[blockIdx.x] = best;
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* matrix = filled<float>(rows * columns, [](int i) { return i * 37 % 1009; });
  int* peaks = filled<int>(rows, [](int) { return 0; });
  if (is_after)
    after::row_peaks<<<rows, columns>>>(matrix, peaks);
  else
    before::row_peaks<<<rows, columns>>>(matrix, peaks);
  return print_sum(peaks, rows);
}
