// Finds the column of the largest value of each row.
#include <cstdio>
#include <cstring>
#include <vector>

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

template <class T, class F>
T* filled(int n, F value) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i) host[i] = value(i);
  T* device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
double checksum(const T* device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(host[i]) * (1 + i % 7);
  return sum;
}

int main(int argc, char** argv) {
  const bool is_after = argc > 1 && !strcmp(argv[1], "after");
  float* matrix = filled<float>(rows * columns, [](int i) { return i * 37 % 1009; });
  int* peaks = filled<int>(rows, [](int) { return 0; });
  if (is_after)
    after::row_peaks<<<rows, columns>>>(matrix, peaks);
  else
    before::row_peaks<<<rows, columns>>>(matrix, peaks);
  printf("%.3e\n", checksum(peaks, rows));
  return cudaDeviceSynchronize() != cudaSuccess;
}
