// Sums 64 values per thread.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int threads = 16896, each = 64;

namespace before {
__global__ void partial_sums(const float* in, float* sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < each; ++k) sum += in[k * threads + t];
  sums[t] = sum;
}
}  // namespace before

namespace after {
__global__ void partial_sums(const float* in, float* sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < each; ++k) sum += in[k * threads + t];
  sums[t] = sum;
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
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.5f; });
  float* sums = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::partial_sums<<<threads / 64, 64>>>(in, sums);
  else
    before::partial_sums<<<threads / 64, 64>>>(in, sums);
  printf("%.3e\n", checksum(sums, threads));
  return cudaDeviceSynchronize() != cudaSuccess;
}
