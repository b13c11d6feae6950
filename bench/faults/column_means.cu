// Computes the mean of each column of a matrix.
#include <cstdio>
#include <cstring>
#include <vector>

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
  float* matrix = filled<float>(rows * columns, [](int i) { return i % 19 * 0.25f; });
  float* means = filled<float>(columns, [](int) { return 0; });
  if (is_after)
    after::column_means<<<columns / 32, rows>>>(matrix, means);
  else
    before::column_means<<<columns, rows>>>(matrix, means);
  printf("%.3e\n", checksum(means, columns));
  return cudaDeviceSynchronize() != cudaSuccess;
}
