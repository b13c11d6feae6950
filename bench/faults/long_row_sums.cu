// Sums 16 long rows. Each block sums one part of a row.
#include <cstdio>
#include <cstring>
#include <vector>

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
  float* matrix = filled<float>(rows * columns, [](int i) { return i % 8 * 0.25f; });
  float* sums = filled<float>(rows, [](int) { return 0; });
  if (is_after)
    after::long_row_sums<<<dim3(rows, 32), 256>>>(matrix, sums);
  else
    before::long_row_sums<<<dim3(rows, 1), 256>>>(matrix, sums);
  printf("%.3e\n", checksum(sums, rows));
  return cudaDeviceSynchronize() != cudaSuccess;
}
