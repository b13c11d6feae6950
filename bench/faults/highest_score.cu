// Finds the highest of all scores, which are positive.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 67584;

namespace before {
__device__ void store_max(float* best, float score) {
  int old = __float_as_int(*best);
  while (__int_as_float(old) < score) {
    const int seen = atomicCAS(reinterpret_cast<int*>(best), old, __float_as_int(score));
    if (seen == old) break;
    old = seen;
  }
}
__global__ void highest_score(const float* score, float* best) {
  store_max(best, score[blockIdx.x * blockDim.x + threadIdx.x]);
}
}  // namespace before

namespace after {
__device__ void store_max(float* best, float score) { atomicMax(reinterpret_cast<int*>(best), __float_as_int(score)); }
__global__ void highest_score(const float* score, float* best) {
  store_max(best, score[blockIdx.x * blockDim.x + threadIdx.x]);
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
  float* score = filled<float>(n, [](int i) { return 1 + (i * 2654435761u >> 8); });
  float* best = filled<float>(1, [](int) { return 0; });
  if (is_after)
    after::highest_score<<<n / 256, 256>>>(score, best);
  else
    before::highest_score<<<n / 256, 256>>>(score, best);
  printf("%.3e\n", checksum(best, 1));
  return cudaDeviceSynchronize() != cudaSuccess;
}
