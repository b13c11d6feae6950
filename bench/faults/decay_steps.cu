// Decays each value by its own number of steps.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 270336;

namespace before {
__global__ void decay_steps(const int* order, const int* steps, float* values) {
  const int i = order[blockIdx.x * blockDim.x + threadIdx.x], count = steps[i];
  float x = values[i];
#pragma unroll 1
  for (int k = 0; k < count; ++k) x = x * 0.96875f + 0.125f * rsqrtf(x);
  values[i] = x;
}
}  // namespace before

namespace after {
__global__ void decay_steps(const int* order, const int* steps, float* values) {
  const int i = order[blockIdx.x * blockDim.x + threadIdx.x], count = steps[i];
  float x = values[i];
#pragma unroll 1
  for (int k = 0; k < count; ++k) x = x * 0.96875f + 0.125f * rsqrtf(x);
  values[i] = x;
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
  std::vector<int> sorted(n);
  for (int i = 0; i < n; ++i) sorted[i] = i;
  const auto count = [](int i) { return i * 2654435761u >> 16 & 255; };
  if (is_after) std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return count(a) < count(b); });
  int* order = filled<int>(n, [&](int i) { return sorted[i]; });
  int* steps = filled<int>(n, count);
  float* values = filled<float>(n, [](int i) { return 2 + i % 31; });
  if (is_after)
    after::decay_steps<<<n / 256, 256>>>(order, steps, values);
  else
    before::decay_steps<<<n / 256, 256>>>(order, steps, values);
  printf("%.3e\n", checksum(values, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
