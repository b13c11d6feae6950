// Sums the weights of all items.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 67584;

namespace before {
__global__ void total_weight(const float* weight, float* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(total, weight[i]);
}
}  // namespace before

namespace after {
__global__ void total_weight(const float* weight, float* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = weight[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
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
  float* weight = filled<float>(n, [](int i) { return i % 11 * 0.25f; });
  float* total = filled<float>(1, [](int) { return 0; });
  if (is_after)
    after::total_weight<<<n / 256, 256>>>(weight, total);
  else
    before::total_weight<<<n / 256, 256>>>(weight, total);
  printf("%.3e\n", checksum(total, 1));
  return cudaDeviceSynchronize() != cudaSuccess;
}
