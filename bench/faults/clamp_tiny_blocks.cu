// Clamps values to a range.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 1 << 19;

namespace before {
__global__ void clamp_values(const float* in, float* out, float low, float high) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fminf(fmaxf(in[i], low), high);
}
}  // namespace before

namespace after {
__global__ void clamp_values(const float* in, float* out, float low, float high) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fminf(fmaxf(in[i], low), high);
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
  float* in = filled<float>(n, [](int i) { return i % 50; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::clamp_values<<<n / 256, 256>>>(in, out, 5, 30);
  else
    before::clamp_values<<<n / 8, 8>>>(in, out, 5, 30);
  printf("%.3e\n", checksum(out, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
