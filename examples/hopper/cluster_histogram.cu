// Counts 1,024 values in the shared memory of a cluster: each block has a part of the bins, and counts into all parts.
//
//     bankwise run cluster_histogram.cu -k cluster_histogram --grid 8 --cluster 4 --block 128 --arg out:u32[1024] \
//         --arg u32[16384]=iota --arg i32=16384
#include <cooperative_groups.h>

#include "../check.cuh"

constexpr int bins = 1024, most_blocks = 8;

__global__ void cluster_histogram(unsigned* counts, const unsigned* in, int n) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ unsigned part[bins];
  const int blocks = cluster.num_blocks(), own = bins / blocks;
  for (int i = threadIdx.x; i < own; i += blockDim.x) part[i] = 0;
  cluster.sync();  // no block counts before the bins of all blocks are zero
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned value = in[i] % bins;
    atomicAdd(cluster.map_shared_rank(part, value / own) + value % own, 1u);
  }
  cluster.sync();  // no block ends while other blocks count
  const int first = cluster.block_rank() * own;
  for (int i = threadIdx.x; i < own; i += blockDim.x) atomicAdd(&counts[first + i], part[i]);
}

int main() {
  const int n = 16384;
  std::vector<unsigned> in(n), expected(bins);
  for (int i = 0; i < n; ++i) ++expected[(in[i] = i * 37 + i / 64) % bins];
  const gpu_buffer<unsigned> from(in);
  bool right = true;
  for (unsigned blocks = 1; blocks <= most_blocks; blocks *= 2) {
    const gpu_buffer<unsigned> to(bins);
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {blocks, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = 8;
    config.blockDim = 128;
    config.attrs = &cluster;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, cluster_histogram, to.get(), static_cast<const unsigned*>(from.get()), n));
    right &= report_result("cluster_histogram", to.host() == expected);
  }
  return right ? 0 : 1;
}
