// Each thread runs its own delay line of eight values in shared memory.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 270336, threads = 512, delay = 8;

namespace before {
__global__ void own_queues(const float* in, float* out) {
  __shared__ float line[delay][threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  const float x = in[i];
  for (int k = 0; k < delay; ++k) line[k][t] = x + k;
  float y = x;
  for (int k = 0; k < 128; ++k) {
    y = 0.5f * y + 0.25f * line[k % delay][t];
    __syncthreads();
    line[k % delay][t] = y;
    __syncthreads();
  }
  out[i] = y;
}
}  // namespace before

namespace after {
__global__ void own_queues(const float* in, float* out) {
  __shared__ float line[delay][threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  const float x = in[i];
  for (int k = 0; k < delay; ++k) line[k][t] = x + k;
  float y = x;
  for (int k = 0; k < 128; ++k) {
    y = 0.5f * y + 0.25f * line[k % delay][t];
    line[k % delay][t] = y;
  }
  out[i] = y;
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
    after::own_queues<<<n / threads, threads>>>(in, out);
  else
    before::own_queues<<<n / threads, threads>>>(in, out);
  printf("%.3e\n", checksum(out, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
