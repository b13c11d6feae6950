// Builds a Fenwick tree of each block of 512 values.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int blocks = 4224, n = 512;

namespace before {
__device__ int place(int i) { return i; }
__global__ void fenwick_trees(const float* in, float* out) {
  __shared__ float s[n + n / 32];
  const int t = threadIdx.x;
  s[place(t)] = in[blockIdx.x * n + t];
  for (int d = 1; d < n; d *= 2) {
    __syncthreads();
    const int i = 2 * d * (t + 1) - 1;
    if (i < n) s[place(i)] += s[place(i - d)];
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[place(t)];
}
}  // namespace before

namespace after {
__device__ int place(int i) { return i + i / 32; }
__global__ void fenwick_trees(const float* in, float* out) {
  __shared__ float s[n + n / 32];
  const int t = threadIdx.x;
  s[place(t)] = in[blockIdx.x * n + t];
  for (int d = 1; d < n; d *= 2) {
    __syncthreads();
    const int i = 2 * d * (t + 1) - 1;
    if (i < n) s[place(i)] += s[place(i - d)];
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[place(t)];
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
  float* in = filled<float>(blocks * n, [](int i) { return i % 6 * 0.25f; });
  float* out = filled<float>(blocks * n, [](int) { return 0; });
  if (is_after)
    after::fenwick_trees<<<blocks, n>>>(in, out);
  else
    before::fenwick_trees<<<blocks, n>>>(in, out);
  printf("%.3e\n", checksum(out, blocks * n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
