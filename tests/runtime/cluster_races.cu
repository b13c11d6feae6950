// Kernels whose blocks access each other's shared memory, in order and not: cluster_races NAME
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;
constexpr int blocks = 4, threads = 64;

enum order { whole, split, none, too_late };

__device__ void wait(order o) {
  auto cluster = cg::this_cluster();
  if (o == whole) cluster.sync();
  if (o == none) __syncthreads();
}

// Each block writes a word to its neighbour, which reads it.
template <order before>
__global__ void __cluster_dims__(blocks) send(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ int x[threads];
  const int t = threadIdx.x, next = (cluster.block_rank() + 1) % blocks;
  x[t] = 0;
  cluster.sync();
  if (before == too_late) cluster.barrier_arrive();
  cluster.map_shared_rank(x, next)[t] = t;
  if (before == split) cluster.barrier_arrive();
  if (before == split || before == too_late) cluster.barrier_wait();
  wait(before);
  out[blockIdx.x * threads + t] = x[t];
  cluster.sync();
}

// Each block reads a word of its neighbour, which then overwrites it.
template <order before>
__global__ void __cluster_dims__(blocks) fetch(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ int x[threads];
  const int t = threadIdx.x, next = (cluster.block_rank() + 1) % blocks;
  x[t] = t;
  cluster.sync();
  out[blockIdx.x * threads + t] = cluster.map_shared_rank(x, next)[t];
  wait(before);
  x[t] = -1;
  cluster.sync();
}

// All blocks count in the memory of the first one, and its threads read the sum.
template <order before>
__global__ void __cluster_dims__(blocks) count(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, 0), 1);
  wait(before);
  if (cluster.block_rank() == 0) out[threadIdx.x] = sum;
  cluster.sync();
}

// The first block reads the memory of the others, which may then end.
template <order after>
__global__ void __cluster_dims__(blocks) read_late(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ int x[threads];
  x[threadIdx.x] = threadIdx.x;
  cluster.sync();
  if (cluster.block_rank() == 0)
    for (int b = 1; b < blocks; ++b) out[threadIdx.x] = cluster.map_shared_rank(x, b)[threadIdx.x];
  wait(after);
  if (after == too_late)
    for (int i = 0; i < 100; ++i) __syncthreads();
  if (cluster.block_rank() != 0) out[threads + threadIdx.x] = x[threadIdx.x];
}

// Half of the threads of a block write to bytes next to those of the other block.
__global__ void __cluster_dims__(2) bytes(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ char x[2 * threads];
  const int t = threadIdx.x;
  cluster.sync();
  cluster.map_shared_rank(x, 0)[2 * t + cluster.block_rank()] = t;
  cluster.sync();
  if (cluster.block_rank() == 0) out[t] = x[2 * t] + x[2 * t + 1];
}

// Both blocks add to the sums of both. Without a barrier, a block may add before the other one has set its sum to 0.
template <class T, order before>
__global__ void __cluster_dims__(2) add(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ T sum;
  if (threadIdx.x == 0) sum = 0;
  wait(before);
  atomicAdd(&sum, T(1));
  atomicAdd(cluster.map_shared_rank(&sum, 1 - cluster.block_rank()), T(1));
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Only one warp waits for the cluster, and the others for this warp.
__global__ void __cluster_dims__(2) one_waits(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ int x[threads];
  cluster.sync();
  cluster.map_shared_rank(x, 1 - cluster.block_rank())[threadIdx.x] = threadIdx.x;
  cluster.barrier_arrive();
  if (threadIdx.x < 32) cluster.barrier_wait();
  __syncthreads();
  out[blockIdx.x * threads + threadIdx.x] = x[threadIdx.x];
}

// A flag in global memory orders the blocks.
__device__ __noinline__ void await(volatile int* flag) {
  while (*flag == 0) __nanosleep(10);
  __threadfence();
}
__global__ void __cluster_dims__(2) flag(int* out) {
  auto cluster = cg::this_cluster();
  __shared__ int x;
  cluster.sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    *cluster.map_shared_rank(&x, 1) = 7;
    __threadfence();
    *(volatile int*)out = 1;
  }
  if (threadIdx.x == 0 && blockIdx.x == 1) {
    await(out);
    out[1] = *(volatile int*)&x;
  }
  cluster.sync();
}

int main(int argc, char** argv) {
  struct {
    const char* name;
    void (*kernel)(int*);
  } cases[] = {{"send", send<whole>},
               {"send_split", send<split>},
               {"send_none", send<none>},
               {"send_too_late", send<too_late>},
               {"fetch", fetch<whole>},
               {"fetch_none", fetch<none>},
               {"count", count<whole>},
               {"count_none", count<none>},
               {"read_late", read_late<whole>},
               {"read_ended", read_late<none>},
               {"read_before_end", read_late<too_late>},
               {"bytes", bytes},
               {"add", add<int, whole>},
               {"add_none", add<int, none>},
               {"add_floats", add<float, whole>},
               {"add_floats_none", add<float, none>},
               {"one_waits", one_waits},
               {"flag", flag}};
  int* out;
  cudaMalloc(&out, 64 * threads * sizeof(int));
  cudaMemset(out, 0, 64 * threads * sizeof(int));
  for (const auto& c : cases)
    if (argc > 1 && std::strcmp(c.name, argv[1]) == 0) c.kernel<<<2 * blocks, threads>>>(out);
  const cudaError_t failed = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(failed));
  return failed != cudaSuccess;
}
