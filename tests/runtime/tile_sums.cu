// Tiles of two lanes insert keys into a hash table, and end their searches after different numbers of steps. Then each
// warp adds up what its lanes have inserted: its lanes meet at shuffles while they are on different paths.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
constexpr int keys = 400, slots = 512, empty = -1;

__device__ unsigned place(int key) { return key * 2654435761u >> 23 & ~1u; }

__device__ bool insert(int* table, int key, cg::thread_block_tile<2> tile) {
  for (unsigned at = place(key);; at = (at + 2) % slots) {
    const int slot = at + tile.thread_rank();
    for (;;) {
      const int seen = *static_cast<volatile int*>(table + slot);
      if (tile.any(seen == key)) return false;
      const unsigned free = tile.ballot(seen == empty);
      if (free == 0) break;
      const int first = __ffs(free) - 1;
      int result = 0;
      if (tile.thread_rank() == first) {
        const int old = atomicCAS(table + slot, empty, key);
        result = old == empty ? 1 : old == key ? 2 : 0;
      }
      switch (tile.shfl(result, first)) {
        case 1: return true;
        case 2: return false;
        default: continue;
      }
    }
  }
}

__global__ void insert_all(int* table, unsigned long long* count) {
  const auto tile = cg::tiled_partition<2>(cg::this_thread_block());
  unsigned long long mine = 0;
  for (int key = (blockIdx.x * blockDim.x + threadIdx.x) / 2; key < keys; key += gridDim.x * blockDim.x / 2)
    if (insert(table, key, tile) && tile.thread_rank() == 0) ++mine;
  for (int d = 1; d < 32; d *= 2) {
    const unsigned long long other = __shfl_down_sync(~0u, mine, d);
    mine += threadIdx.x % 32 + d < 32 ? other : 0;
  }
  if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}

int main() {
  int* table;
  unsigned long long *count, inserted;
  cudaMalloc(&table, slots * sizeof(int));
  cudaMalloc(&count, sizeof inserted);
  cudaMemset(table, 0xff, slots * sizeof(int));
  for (int round = 0; round < 2; ++round) {
    cudaMemset(count, 0, sizeof inserted);
    insert_all<<<7, 128>>>(table, count);
    cudaMemcpy(&inserted, count, sizeof inserted, cudaMemcpyDeviceToHost);
    printf("round %d: %llu keys inserted\n", round, inserted);
  }
}
