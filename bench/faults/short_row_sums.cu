// Sums rows of 32 values. Each block has one warp and handles 64 rows.
#include <cstdio>
#include <cstring>
#include <vector>

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
  float* in = filled<float>(blocks * each * columns, [](int i) { return i % 9 * 0.25f; });
  float* sums = filled<float>(blocks * each, [](int) { return 0; });
  if (is_after)
    after::short_row_sums<<<blocks, columns>>>(in, sums);
  else
    before::short_row_sums<<<blocks, columns>>>(in, sums);
  printf("%.3e\n", checksum(sums, blocks * each));
  return cudaDeviceSynchronize() != cudaSuccess;
}
