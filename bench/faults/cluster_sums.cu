// Adds each point to the sums of its cluster.
#include "host.cuh"

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

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* x = filled<float>(points, [](int i) { return i % 11 * 0.25f; });
  float* y = filled<float>(points, [](int i) { return i % 13 * 0.25f; });
  int* cluster = filled<int>(points, [](int i) { return i * 2654435761u >> 29; });
  float* sums = filled<float>(2 * clusters, [](int) { return 0; });
  if (is_after)
    after::cluster_sums<<<points / 256, 256>>>(x, y, cluster, sums);
  else
    before::cluster_sums<<<points / 256, 256>>>(x, y, cluster, sums);
  return print_sum(sums, 2 * clusters);
}
