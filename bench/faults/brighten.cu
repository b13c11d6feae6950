// Brightens the pixels of an image. Each thread handles 32 pixels.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int threads = 16896, each = 32;

namespace before {
__global__ void brighten(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    out[k * threads + t] = in[k * threads + t] * 1.5f + 0.25f;
  }
}
}  // namespace before

namespace after {
__global__ void brighten(const float* __restrict__ in, float* __restrict__ out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    out[k * threads + t] = in[k * threads + t] * 1.5f + 0.25f;
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
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.5f; });
  float* out = filled<float>(threads * each, [](int) { return 0; });
  if (is_after)
    after::brighten<<<threads / 64, 64>>>(in, out);
  else
    before::brighten<<<threads / 64, 64>>>(in, out);
  printf("%.3e\n", checksum(out, threads * each));
  return cudaDeviceSynchronize() != cudaSuccess;
}
