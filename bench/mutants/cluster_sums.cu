// The blocks of a cluster add their sums through the shared memory of the first one.
#include <cooperative_groups.h>

#include "../naive/host.cuh"

constexpr int threads = 64, blocks = 4;

__global__ void __cluster_dims__(blocks, 1, 1) cluster_sums(const int* in, int* out) {
  auto cluster = cooperative_groups::this_cluster();
  __shared__ int parts[blocks], sum;
  const int t = threadIdx.x, rank = cluster.block_rank();
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * threads + t]);
  __syncthreads();
  if (t == 0) *cluster.map_shared_rank(&parts[rank], 0) = sum;
  cluster.sync();
  if (rank == 0 && t == 0) {
    int total = 0;
    for (int b = 0; b < blocks; ++b) total += parts[b];
    out[blockIdx.x / blocks] = total;
  }
  const int other = *cluster.map_shared_rank(&sum, (rank + 1) % blocks);
  if (t == 1) out[gridDim.x / blocks + blockIdx.x] = other;
  cluster.sync();
}

int main() {
  const int clusters = 6, n = clusters * blocks * threads;
  int* in = filled<int>(n, [](int i) { return i % 17; });
  int* out;
  cudaMalloc(&out, clusters * (1 + blocks) * sizeof(int));
  cluster_sums<<<clusters * blocks, threads>>>(in, out);
  const int status = print_checksum(out, clusters * (1 + blocks));
  cudaFree(in);
  cudaFree(out);
  return status;
}
