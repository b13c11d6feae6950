// Adds the 512 probabilities of each block, which are given as logarithms.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int blocks = 2112, threads = 512;

namespace before {
__global__ void block_log_sums(const float* in, float* sums) {
  __shared__ float s[threads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * threads + t];
  for (int d = 1; d < threads; d *= 2) {
    __syncthreads();
    if (t % (2 * d) == 0) s[t] = fmaxf(s[t], s[t + d]) + log1pf(expf(-fabsf(s[t] - s[t + d])));
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
}  // namespace before

namespace after {
__global__ void block_log_sums(const float* in, float* sums) {
  __shared__ float s[threads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * threads + t];
  for (int d = threads / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] = fmaxf(s[t], s[t + d]) + log1pf(expf(-fabsf(s[t] - s[t + d])));
  }
  if (t == 0) sums[blockIdx.x] = s[0];
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
  float* in = filled<float>(blocks * threads, [](int i) { return i * 37 % 1009 * 0.01f; });
  float* sums = filled<float>(blocks, [](int) { return 0; });
  if (is_after)
    after::block_log_sums<<<blocks, threads>>>(in, sums);
  else
    before::block_log_sums<<<blocks, threads>>>(in, sums);
  printf("%.3e\n", checksum(sums, blocks));
  return cudaDeviceSynchronize() != cudaSuccess;
}
