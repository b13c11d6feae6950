// Applies another function to each of four interleaved channels.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 540672;

namespace before {
__global__ void four_channels(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float x = in[i];
  switch (i % 4) {
    case 0:
      for (int k = 0; k < 16; ++k) x = sqrtf(x + k);
      break;
    case 1:
      for (int k = 0; k < 16; ++k) x = logf(x + k + 2);
      break;
    case 2:
      for (int k = 0; k < 16; ++k) x = expf(-x);
      break;
    default:
      for (int k = 0; k < 16; ++k) x = 1 / (x + k);
  }
  out[i] = x;
}
}  // namespace before

namespace after {
__global__ void four_channels(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t / 128 * 128 + t % 32 * 4 + t / 32 % 4;
  float x = in[i];
  switch (i % 4) {
    case 0:
      for (int k = 0; k < 16; ++k) x = sqrtf(x + k);
      break;
    case 1:
      for (int k = 0; k < 16; ++k) x = logf(x + k + 2);
      break;
    case 2:
      for (int k = 0; k < 16; ++k) x = expf(-x);
      break;
    default:
      for (int k = 0; k < 16; ++k) x = 1 / (x + k);
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
  float* in = filled<float>(n, [](int i) { return 0.5f + i % 37 / 37.0f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::four_channels<<<n / 256, 256>>>(in, out);
  else
    before::four_channels<<<n / 256, 256>>>(in, out);
  printf("%.3e\n", checksum(out, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
