// A hash table in which tiles of two lanes search. The 16 tiles of a warp vote at the same time, and end their searches
// after different numbers of steps.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
constexpr int keys = 400, slots = 512, empty = -1;

__device__ unsigned place(int key) { return key * 2654435761u >> 23 & ~1u; }

// Returns the slot of the key, and inserts the key if it is not in the table.
__device__ int find_or_insert(int* table, int key, cg::thread_block_tile<2> tile) {
  for (unsigned at = place(key);; at = (at + 2) % slots) {
    const int slot = at + tile.thread_rank();
    for (;;) {
      const int seen = *static_cast<volatile int*>(table + slot);
      if (const unsigned same = tile.ballot(seen == key)) return tile.shfl(slot, __ffs(same) - 1);
      const unsigned free = tile.ballot(seen == empty);
      if (free == 0) break;
      const int first = __ffs(free) - 1;
      int result = 0;
      if (tile.thread_rank() == first) {
        const int old = atomicCAS(table + slot, empty, key);
        result = old == empty ? 1 : old == key ? 2 : 0;
      }
      if (tile.shfl(result, first) != 0) return tile.shfl(slot, first);
    }
  }
}

__global__ void search(int* table, int* found) {
  const auto tile = cg::tiled_partition<2>(cg::this_thread_block());
  const int key = (blockIdx.x * blockDim.x + threadIdx.x) / 2;
  const int slot = find_or_insert(table, key, tile);
  if (tile.thread_rank() == 0) found[key] = table[slot];
}

int main() {
  int *table, *found, seen[keys];
  cudaMalloc(&table, slots * sizeof(int));
  cudaMalloc(&found, keys * sizeof(int));
  cudaMemset(table, 0xff, slots * sizeof(int));
  for (int round = 0; round < 2; ++round) {
    search<<<keys * 2 / 160, 160>>>(table, found);
    cudaMemcpy(seen, found, sizeof seen, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int key = 0; key < keys; ++key) wrong += seen[key] != key;
    printf("round %d: %d keys wrong\n", round, wrong);
  }
}
