// Ages two materials, which alternate from element to element.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 270336, steps = 64;

namespace before {
__global__ void two_materials(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float x = in[i];
  if (i % 2 == 0) {
    for (int k = 0; k < steps; ++k) x = x * 0.75f + rsqrtf(x + 1);
  } else {
    for (int k = 0; k < steps; ++k) x = 0.5f * x + __expf(-x);
  }
  out[i] = x;
}
}  // namespace before

namespace after {
__global__ void two_materials(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t / 64 * 64 + t % 32 * 2 + t / 32 % 2;
  float x = in[i];
  if (i % 2 == 0) {
    for (int k = 0; k < steps; ++k) x = x * 0.75f + rsqrtf(x + 1);
  } else {
    for (int k = 0; k < steps; ++k) x = 0.5f * x + __expf(-x);
  }
  out[i] = x;
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
  float* in = filled<float>(n, [](int i) { return i % 19 / 19.0f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::two_materials<<<n / 256, 256>>>(in, out);
  else
    before::two_materials<<<n / 256, 256>>>(in, out);
  printf("%.3e\n", checksum(out, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
