// Sums each row of a matrix.
#include <cstdio>
#include <cstring>
#include <vector>

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
  float* matrix = filled<float>(rows * columns, [](int i) { return i % 11 * 0.25f; });
  float* sums = filled<float>(rows, [](int) { return 0; });
  if (is_after)
    after::row_sums<<<rows / 8, 256>>>(matrix, sums);
  else
    before::row_sums<<<rows / 256, 256>>>(matrix, sums);
  printf("%.3e\n", checksum(sums, rows));
  return cudaDeviceSynchronize() != cudaSuccess;
}
