// Mixes the values of each warp in 64 rounds of exchange.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 540672, threads = 1024;

namespace before {
__global__ void warp_rotations(const float* in, float* out) {
  __shared__ float s[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  float x = in[i];
  for (int k = 1; k <= 64; ++k) {
    s[t] = x;
    __syncthreads();
    x = 0.5f * x + 0.25f * s[t / 32 * 32 + (t + k) % 32];
    __syncthreads();
  }
  out[i] = x;
}
}  // namespace before

namespace after {
__global__ void warp_rotations(const float* in, float* out) {
  __shared__ float s[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  float x = in[i];
  for (int k = 1; k <= 64; ++k) {
    s[t] = x;
    __syncwarp();
    x = 0.5f * x + 0.25f * s[t / 32 * 32 + (t + k) % 32];
    __syncwarp();
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
  float* in = filled<float>(n, [](int i) { return i % 19; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::warp_rotations<<<n / threads, threads>>>(in, out);
  else
    before::warp_rotations<<<n / threads, threads>>>(in, out);
  printf("%.3e\n", checksum(out, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
