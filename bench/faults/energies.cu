// Sums the squares of each block of 256 values.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int blocks = 4224, threads = 256;

namespace before {
__global__ void energies(const float* in, float* out) {
  __shared__ float square[threads];
  const float value = in[blockIdx.x * threads + threadIdx.x];
  square[threadIdx.x] = value * value;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < threads; ++i) sum += square[i];
    out[blockIdx.x] = sum;
  }
}
}  // namespace before

namespace after {
__global__ void energies(const float* in, float* out) {
  __shared__ float square[threads];
  const float value = in[blockIdx.x * threads + threadIdx.x];
  square[threadIdx.x] = value * value;
  for (int d = threads / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) square[threadIdx.x] += square[threadIdx.x + d];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = square[0];
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
  float* in = filled<float>(blocks * threads, [](int i) { return i % 9 * 0.5f; });
  float* out = filled<float>(blocks, [](int) { return 0; });
  if (is_after)
    after::energies<<<blocks, threads>>>(in, out);
  else
    before::energies<<<blocks, threads>>>(in, out);
  printf("%.3e\n", checksum(out, blocks));
  return cudaDeviceSynchronize() != cudaSuccess;
}
