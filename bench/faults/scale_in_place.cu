// Scales a vector in place in a loop over the grid.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 16896 * 64;

namespace before {
__global__ void scale_in_place(float* x, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] = a * x[i];
  }
}
}  // namespace before

namespace after {
__global__ void scale_in_place(float* x, float a) {
  float4* x4 = reinterpret_cast<float4*>(x);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 v = x4[i];
    x4[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
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
  float* x = filled<float>(n, [](int i) { return i % 29; });
  if (is_after)
    after::scale_in_place<<<264, 64>>>(x, 1.5f);
  else
    before::scale_in_place<<<264, 64>>>(x, 1.5f);
  printf("%.3e\n", checksum(x, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
