// Adds each point to the sums of its cluster.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int points = 67584, clusters = 8;

namespace before {
__global__ void cluster_sums(const float* x, const float* y, const int* cluster, float* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, c = cluster[i];
  atomicAdd(&sums[2 * c], x[i]);
  atomicAdd(&sums[2 * c + 1], y[i]);
}
}  // namespace before

namespace after {
__global__ void cluster_sums(const float* x, const float* y, const int* cluster, float* sums) {
  __shared__ float part[2 * clusters];
  if (threadIdx.x < 2 * clusters) part[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x, c = cluster[i];
  atomicAdd(&part[2 * c], x[i]);
  atomicAdd(&part[2 * c + 1], y[i]);
  __syncthreads();
  if (threadIdx.x < 2 * clusters) atomicAdd(&sums[threadIdx.x], part[threadIdx.x]);
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
  float* x = filled<float>(points, [](int i) { return i % 11 * 0.25f; });
  float* y = filled<float>(points, [](int i) { return i % 13 * 0.25f; });
  int* cluster = filled<int>(points, [](int i) { return i * 2654435761u >> 29; });
  float* sums = filled<float>(2 * clusters, [](int) { return 0; });
  if (is_after)
    after::cluster_sums<<<points / 256, 256>>>(x, y, cluster, sums);
  else
    before::cluster_sums<<<points / 256, 256>>>(x, y, cluster, sums);
  printf("%.3e\n", checksum(sums, 2 * clusters));
  return cudaDeviceSynchronize() != cudaSuccess;
}
