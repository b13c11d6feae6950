// Sums the squared standard scores of 64 values per thread, which are in shared memory.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int blocks = 1056, threads = 256, set = 64;

namespace before {
__global__ void standard_scores(const float* in, const float* deviation, float* out) {
  __shared__ float s[set];
  if (threadIdx.x < set) s[threadIdx.x] = in[blockIdx.x * set + threadIdx.x];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float sigma = deviation[t];
  float sum = 0;
  for (int k = 0; k < set; ++k) sum += s[k] / sigma * (s[k] / sigma);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void standard_scores(const float* in, const float* deviation, float* out) {
  __shared__ float s[set];
  if (threadIdx.x < set) s[threadIdx.x] = in[blockIdx.x * set + threadIdx.x];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float scale = 1 / deviation[t];
  float sum = 0;
  for (int k = 0; k < set; ++k) sum += s[k] * scale * (s[k] * scale);
  out[t] = sum;
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
  float* in = filled<float>(blocks * set, [](int i) { return i % 23 * 0.25f; });
  float* deviation = filled<float>(blocks * threads, [](int i) { return 1 + i % 9 * 0.125f; });
  float* out = filled<float>(blocks * threads, [](int) { return 0; });
  if (is_after)
    after::standard_scores<<<blocks, threads>>>(in, deviation, out);
  else
    before::standard_scores<<<blocks, threads>>>(in, deviation, out);
  printf("%.3e\n", checksum(out, blocks * threads));
  return cudaDeviceSynchronize() != cudaSuccess;
}
