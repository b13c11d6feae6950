// A hash table with buckets. It uses tiles of a cooperative group, and 64-bit compare-exchange on a padded pair.
#include <cstdio>
#include <cuda/atomic>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <class K, class V> struct alignas(8) padded_pair { K first; V second;  };
using pair_type = padded_pair<unsigned, unsigned>;
using atomic_pair = cuda::atomic<pair_type, cuda::thread_scope_device>;
constexpr int bucket = 16;
__device__ bool insert(atomic_pair* table, int buckets, pair_type p, cg::thread_block_tile<bucket> tile) {
  const pair_type empty{~0u, ~0u}; unsigned b = (p.first * 2654435761u) % buckets; 
  for (;;) {
    pair_type seen = table[b * bucket + tile.thread_rank()].load(cuda::memory_order_relaxed);
    unsigned load = __popc(tile.ballot(seen.first != ~0u));
    if (load < bucket) {
      bool ok = false;
      if (tile.thread_rank() == load) { pair_type e = empty; ok = table[b * bucket + load].compare_exchange_strong(e, p, cuda::memory_order_relaxed, cuda::memory_order_relaxed); }
      if (tile.any(ok)) return true;
    } else b = (b + 1) % buckets;
  }
}
__global__ void build(atomic_pair* table, int buckets, int n) {
  auto tile = cg::tiled_partition<bucket>(cg::this_thread_block());
  int t = blockIdx.x * blockDim.x + threadIdx.x; bool todo = t < n; pair_type own{unsigned(t), unsigned(t * 2)};
  if (t - tile.thread_rank() >= n && !tile.any(todo)) return;
  unsigned queue;
  while ((queue = tile.ballot(todo))) { int l = __ffs(queue) - 1; pair_type p{tile.shfl(own.first, l), tile.shfl(own.second, l)}; insert(table, buckets, p, tile); if (tile.thread_rank() == l) todo = false; }
}
__global__ void clear(atomic_pair* t, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) t[i].store(pair_type{~0u, ~0u}, cuda::memory_order_relaxed); }
int main() { atomic_pair* t; int buckets = 16, n = 200; cudaMalloc(&t, buckets * bucket * 8); clear<<<4, 64>>>(t, 256); build<<<2, 128>>>(t, buckets, n); pair_type h[256]; cudaMemcpy(h, t, sizeof h, cudaMemcpyDeviceToHost); int found = 0; for (auto& p : h) found += p.first != ~0u && p.second == 2 * p.first; printf("found %d %s\n", found, cudaGetErrorString(cudaGetLastError())); }
