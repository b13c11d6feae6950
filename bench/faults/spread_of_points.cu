// Sums the squared distances from each point to the 2048 points of its block's set.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int blocks = 264, threads = 64, set = 2048;

namespace before {
__global__ void spread(const float* points, const float* sets, float* out) {
  __shared__ float s[set];
  for (int i = threadIdx.x; i < set; i += threads) s[i] = sets[blockIdx.x * set + i];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float x = points[t];
  float sum = 0;
  for (int k = 0; k < set; ++k) sum += (x - s[k]) * (x - s[k]);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void spread(const float* points, const float* sets, float* out) {
  __shared__ float s[set];
  for (int i = threadIdx.x; i < set; i += threads) s[i] = sets[blockIdx.x * set + i];
  __syncthreads();
  const int t = blockIdx.x * threads + threadIdx.x;
  const float x = points[t];
  float sum[4] = {};
  for (int k = 0; k < set; k += 4)
    for (int j = 0; j < 4; ++j) sum[j] += (x - s[k + j]) * (x - s[k + j]);
  out[t] = sum[0] + sum[1] + sum[2] + sum[3];
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
  float* points = filled<float>(blocks * threads, [](int i) { return i % 17 * 0.25f; });
  float* sets = filled<float>(blocks * set, [](int i) { return i % 23 * 0.25f; });
  float* out = filled<float>(blocks * threads, [](int) { return 0; });
  if (is_after)
    after::spread<<<blocks, threads>>>(points, sets, out);
  else
    before::spread<<<blocks, threads>>>(points, sets, out);
  printf("%.3e\n", checksum(out, blocks * threads));
  return cudaDeviceSynchronize() != cudaSuccess;
}
