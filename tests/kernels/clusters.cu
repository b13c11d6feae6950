// Clusters whose blocks cooperate, and clusters with errors.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// In each round, a block adds the value of the next block.
__global__ void __cluster_dims__(4, 1, 1) passes_around(int* out, int rounds) {
  const auto cluster = cg::this_cluster();
  __shared__ int value[32];
  value[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    cluster.sync();
    const int next = *cluster.map_shared_rank(&value[threadIdx.x], (cluster.block_rank() + 1) % 4);
    cluster.sync();
    value[threadIdx.x] += next;
  }
  out[blockIdx.x * 32 + threadIdx.x] = value[threadIdx.x];
}

// The last block hands a token back. The first block waits for the token in its own shared memory.
__global__ void spins(int* out) {
  const auto cluster = cg::this_cluster();
  __shared__ volatile int token;
  token = 0;
  cluster.sync();
  const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
  if (threadIdx.x == 0) {
    if (rank != 0)
      while (token == 0) {
      }
    *cluster.map_shared_rank(const_cast<int*>(&token), (rank + 1) % blocks) = token + 1;
    if (rank == 0)
      while (token < 2) {
      }
    out[blockIdx.x] = token;
  }
  cluster.sync();
}

__global__ void reads_rank(int* out, int rank) {
  __shared__ int value;
  value = 7;
  cg::this_cluster().sync();
  unsigned at;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(&value)), "r"(rank));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(*out) : "r"(at));
  cg::this_cluster().sync();
}

// Accesses the next block's memory with an instruction that only reaches the block's own memory.
__global__ void reads_with_lds(int* out) {
  __shared__ int value;
  value = 7;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(*out) : "r"(shared_address(&value) ^ 1u << 24));
}

__global__ void reads_past_end(int* out) {
  __shared__ int value;
  value = 7;
  cg::this_cluster().sync();
  out[threadIdx.x] = cg::this_cluster().map_shared_rank(&value, cg::this_cluster().block_rank() ^ 1)[4096];
  cg::this_cluster().sync();
}

__global__ void outlives(int* out) {
  __shared__ int value;
  value = 7;
  int* other = cg::this_cluster().map_shared_rank(&value, 1);
  cg::this_cluster().sync();
  if (cg::this_cluster().block_rank() == 1) return;
  cg::this_cluster().sync();
  *out = *other;
}

__global__ void waits_for_ever(int* out) {
  __shared__ int value;
  value = 0;
  if (cg::this_cluster().block_rank() == 1 && threadIdx.x < 16) asm volatile("barrier.sync 3, 64;");
  cg::this_cluster().sync();
  *out = value;
}

__global__ void arrives_twice(int* out) {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;");
  *out = 1;
}

// Values that a block writes into the next block's shared memory count as initialised in that block.
__global__ void __cluster_dims__(2, 1, 1) writes_next(int* out) {
  const auto cluster = cg::this_cluster();
  __shared__ int value[32];
  cluster.sync();
  cluster.map_shared_rank(value, cluster.block_rank() ^ 1)[threadIdx.x] = threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = value[31 - threadIdx.x];
}

struct alignas(64) tensor_map {
  char bytes[128];
};

// Loads a box of 8 x 2 floats. An argument moves the destination to an unaligned address.
__global__ void loads_box(int* out, const __grid_constant__ tensor_map map, int x, int misaligned) {
  __shared__ alignas(1024) int box[64];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned at = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(at));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 64;" ::"r"(at));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, 0}], [%3];" ::"r"(
            shared_address(box) + misaligned),
        "l"(&map), "r"(x), "r"(at));
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::"r"(at));
  if (threadIdx.x < 16) out[threadIdx.x] = box[threadIdx.x];
}
