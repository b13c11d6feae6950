// Measures how long each round of a contended loop takes while Nsight Compute counts. Times are kept in registers, so
// that the loop has no other accesses. Prints a line for each launch, followed by a line for each thread: its number,
// the clock before the loop, the number of rounds, the clocks of the last load and swap, and the clocks of the recorded
// rounds.
#include <cstdio>
#include <vector>

#include "profiled_run.cuh"

constexpr int kept = 8;  // rounds that each lane records: lane 31 the first rounds, lane 30 the next rounds ...
struct record {
  unsigned begin, rounds, load, swap, multiprocessor;
  unsigned loads[kept], swaps[kept];
};

__device__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

template <bool loads>
__global__ void contend(record* out, int words, unsigned seed) {
  __shared__ unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = 0;
  __syncthreads();
  unsigned* const p = &s[mix(threadIdx.x * 31 + seed) % words];
  const unsigned lane = threadIdx.x % 32;
  record r{};
  r.begin = now();
  unsigned found = loads ? 0 : *(volatile unsigned*)p, expected;
#pragma unroll 1
  do {
    expected = loads ? *(volatile unsigned*)p : found;
    r.load = now();
    found = atomicCAS(p, expected, expected + 1);
    r.swap = now();
    const unsigned mine = r.rounds++ - (31 - lane) * kept;
#pragma unroll
    for (int j = 0; j < kept; ++j)  // no guards, because Nsight Compute's code takes time there (contention_places.cu)
      asm volatile("{ .reg .pred q; setp.eq.u32 q, %2, %3; selp.u32 %0, %4, %0, q; selp.u32 %1, %5, %1, q; }"
                   : "+r"(r.loads[j]), "+r"(r.swaps[j])
                   : "r"(mine), "r"(j), "r"(r.load), "r"(r.swap));
  } while (found != expected);
  __syncthreads();
  asm volatile("mov.u32 %0, %%smid;" : "=r"(r.multiprocessor));
  out[blockIdx.x * blockDim.x + threadIdx.x] = r;
}

int main() {
  constexpr int most = 264 * 1024;
  record* out;
  cudaMalloc(&out, most * sizeof(record));
  std::vector<record> all(most);
  std::FILE* const f = file_of_this_run("rounds", "log");
  const auto go = [&](auto kernel, const char* loop, int warps, int words, int blocks) {
    kernel<<<blocks, warps * 32>>>(out, words, 1000003u + warps);
    if (cudaDeviceSynchronize() != cudaSuccess) return;
    const int threads = warps * 32;
    cudaMemcpy(all.data(), out, sizeof(record) * blocks * threads, cudaMemcpyDeviceToHost);
    for (int block = 0; block < blocks; ++block) {
      if (all[block * threads].multiprocessor != all[0].multiprocessor) continue;
      std::fprintf(f, "launch %s %d %d %d %d\n", loop, warps, words, blocks, block);
      for (int i = 0; i < threads; ++i) {
        const record& r = all[block * threads + i];
        std::fprintf(f, "%d %u %u %u %u", i, r.begin, r.rounds, r.load, r.swap);
        for (int j = 0; j < kept; ++j) std::fprintf(f, " %u %u", r.loads[j], r.swaps[j]);
        std::fprintf(f, "\n");
      }
    }
  };
  for (const int warps : {4, 8, 16, 32}) {
    go(contend<true>, "load", warps, 1, 1);
    go(contend<false>, "cas", warps, 1, 1);
  }
  go(contend<true>, "load", 16, 4, 1);
  go(contend<false>, "cas", 16, 4, 1);
  go(contend<true>, "load", 8, 1, 264);
  go(contend<false>, "cas", 8, 1, 264);
  go(contend<true>, "load", 16, 1, 264);
  std::fclose(f);
}
