// Computes the distance of each point from the origin.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int points = 1 << 21;

namespace before {
__global__ void distances(const float* x, const float* y, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}
}  // namespace before

namespace after {
__global__ void distances(const float* x, const float* y, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
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
  float* x = filled<float>(points, [](int i) { return i % 9 * 0.5f; });
  float* y = filled<float>(points, [](int i) { return i % 4 + 1; });
  float* out = filled<float>(points, [](int) { return 0; });
  if (is_after)
    after::distances<<<points / 256, 256>>>(x, y, out);
  else
    before::distances<<<points / 32, 32>>>(x, y, out);
  printf("%.3e\n", checksum(out, points));
  return cudaDeviceSynchronize() != cudaSuccess;
}
