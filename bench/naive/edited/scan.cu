// Exclusive prefix sums of 1M integers in one launch.
#include "../host.cuh"

const int threads = 256, each = 4, tile = threads * each;

// Exclusive prefix sums: each thread adds up four elements, and the block scans these sums (by shuffles) and publishes
// their total. Then it adds the totals of all blocks before. The blocks are numbered in the order
// in which they start, so that a block waits only for blocks that have started.
__global__ void scan(const int* in, int* out, unsigned* started, unsigned long long* totals, int n) {
  __shared__ int values[threads / 32];
  __shared__ int of_warps[threads / 32];
  __shared__ unsigned shared_block;
  if (threadIdx.x == 0) shared_block = atomicAdd(started, 1);
  __syncthreads();
  unsigned block = shared_block;
  int i = block * tile + threadIdx.x * each;
  int4 own = i < n ? *reinterpret_cast<const int4*>(in + i) : int4{};
  int total = own.x + own.y + own.z + own.w;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = total;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(~0u, value, distance);
    if (lane >= distance) value += other;
  }
  if (lane == 31) values[warp] = value;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < threads / 32; k++)
    if (k < warp) value += values[k];
  const unsigned long long published = 1ull << 32;
  if (threadIdx.x == threads - 1) *(volatile unsigned long long*)&totals[block] = published | unsigned(value);
  int before = 0;
  for (unsigned k = threadIdx.x; k < block; k += threads) {
    unsigned long long other;
    do other = *(volatile unsigned long long*)&totals[k];
    while (!(other & published));
    before += int(unsigned(other));
  }
  before = __reduce_add_sync(~0u, before);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = before;
  __syncthreads();
  before = value - total;
  for (int k = 0; k < threads / 32; k++) before += of_warps[k];
  if (i < n)
    *reinterpret_cast<int4*>(out + i) = {before, before + own.x, before + own.x + own.y,
                                         before + own.x + own.y + own.z};
}

int main() {
  const int n = 1 << 20;
  int* in = filled<int>(n, [](int i) { return int(mixed(i) % 1000); });
  int* out = filled<int>(n, [](int) { return 0; });
  const int blocks = (n + tile - 1) / tile;
  static_assert(n % each == 0);
  unsigned* started = filled<unsigned>(1, [](int) { return 0u; });
  unsigned long long* totals = filled<unsigned long long>(blocks, [](int) { return 0ull; });
  scan<<<blocks, threads>>>(in, out, started, totals, n);
  return print_checksum(out, n);
}
