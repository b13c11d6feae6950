// Each thread filters 64 samples of its own pattern of 16 values.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 1 << 18, threads = 64, size = 16;

namespace before {
__global__ void play_patterns(const float* in, float* out, int step) {
  __shared__ float values[threads][181];
  const int i = blockIdx.x * threads + threadIdx.x;
  float* pattern = values[threadIdx.x];
  for (int k = 0; k < size; ++k) pattern[k] = in[k * n + i];
  float level = 0;
  for (int k = 0; k < 64; ++k) level = 0.75f * level + 0.25f * pattern[k * step % size];
  out[i] = level;
}
}  // namespace before

namespace after {
__global__ void play_patterns(const float* in, float* out, int step) {
  __shared__ float values[threads][17];
  const int i = blockIdx.x * threads + threadIdx.x;
  float* pattern = values[threadIdx.x];
  for (int k = 0; k < size; ++k) pattern[k] = in[k * n + i];
  float level = 0;
  for (int k = 0; k < 64; ++k) level = 0.75f * level + 0.25f * pattern[k * step % size];
  out[i] = level;
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
  float* in = filled<float>(n * size, [](int i) { return i % 29; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::play_patterns<<<n / threads, threads>>>(in, out, 5);
  else
    before::play_patterns<<<n / threads, threads>>>(in, out, 5);
  printf("%.3e\n", checksum(out, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
