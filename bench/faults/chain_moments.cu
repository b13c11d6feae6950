// Computes 24 moments of the values along a chain through a table.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int chains = 540672, steps = 16, table_size = 1 << 20;

namespace before {
__global__ void chain_moments(const int* next, const float* value, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float moment[24] = {};
  for (int k = 0, at = i % table_size; k < steps; ++k, at = next[at]) {
    const float x = value[at];
    float power = 1;
#pragma unroll
    for (int m = 0; m < 24; ++m) moment[m] += power *= x;
  }
  float sum = 0;
#pragma unroll
  for (int m = 0; m < 24; ++m) sum += moment[m] * moment[23 - m];
  out[i] = sum;
}
}  // namespace before

namespace after {
__global__ void chain_moments(const int* next, const float* value, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float moment[24] = {};
  for (int k = 0, at = i % table_size; k < steps; ++k, at = next[at]) {
    const float x = value[at];
    float power = 1;
#pragma unroll
    for (int m = 0; m < 24; ++m) moment[m] += power *= x;
  }
  float sum = 0;
#pragma unroll
  for (int m = 0; m < 24; ++m) sum += moment[m] * moment[23 - m];
  out[i] = sum;
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
  int* next = filled<int>(table_size, [](int i) { return (i + 65536 * 5 + 32) % table_size; });
  float* value = filled<float>(table_size, [](int i) { return 0.5f + i % 64 / 128.0f; });
  float* out = filled<float>(chains, [](int) { return 0; });
  if (is_after)
    after::chain_moments<<<chains / 256, 256>>>(next, value, out);
  else
    before::chain_moments<<<chains / 1024, 1024>>>(next, value, out);
  printf("%.3e\n", checksum(out, chains));
  return cudaDeviceSynchronize() != cudaSuccess;
}
