// Adds a multiple of one vector to another in a loop over the grid.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 1 << 20;

namespace before {
__global__ void axpy(const float* x, float* y, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}
}  // namespace before

namespace after {
__global__ void axpy(const float* x, float* y, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
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
  float* x = filled<float>(n, [](int i) { return i % 9 * 0.5f; });
  float* y = filled<float>(n, [](int i) { return i % 4; });
  if (is_after)
    after::axpy<<<1056, 256>>>(x, y, 2.0f);
  else
    before::axpy<<<16, 256>>>(x, y, 2.0f);
  printf("%.3e\n", checksum(y, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
