// Measures the clocks that Nsight Compute's own code takes in one round of small loops. Prints a row of
// data/sm_90/contention_places.csv for each kind of warp. `accesses` is a sum: 1 for a load, 2 for a compare-and-swap,
// 4 for an exchange, 8 for a second load, 16 for an addition with a guard, and 64 for reading the clock.
#include <cstdio>

#include "profiled_run.cuh"

template <int accesses, int registers, int additions, int comparisons>
__global__ void rounds(unsigned* out, const unsigned* in, int count) {
  __shared__ unsigned s[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0;
  unsigned held[registers + 1];  // registers that the loop keeps in use
  for (int j = 0; j < registers; ++j) held[j] = ((volatile const unsigned*)in)[j * 32 + threadIdx.x % 32];
  __syncthreads();
  unsigned* const p = &s[threadIdx.x];
  unsigned a = in[0], b = in[1];
  const unsigned begin = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    if (accesses & 1) a += *(volatile unsigned*)p;
#pragma unroll
    for (int j = 0; j < additions; ++j) asm volatile("add.u32 %0, %0, %1;" : "+r"(b) : "r"(a));
#pragma unroll
    for (int j = 0; j < comparisons; ++j)
      asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, %2; selp.u32 %0, %1, %0, q; }" : "+r"(b) : "r"(a), "r"(j));
    if (accesses & 2) a = atomicCAS(p, 77777u, a);
    if (accesses & 4) atomicExch(p, a);
    if (accesses & 8) a += *(volatile unsigned*)(p + 1024);
    if (accesses & 16) asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 5; @q add.u32 %0, %0, 1; }" : "+r"(b) : "r"(a));
    if (accesses & 64) b += now();
#pragma unroll
    for (int j = 0; j < registers; ++j) asm volatile("" : "+r"(held[j]));
  }
  const unsigned end = now();
  __syncthreads();
  for (int j = 0; j < registers; ++j) b ^= held[j];
  if (threadIdx.x % 32 == 0 && blockIdx.x == 0) out[threadIdx.x / 32] = (end - begin) / count;
  out[64 + threadIdx.x] = b + a;
}

unsigned *out, *in;
std::FILE* file;

template <int accesses, int registers = 0, int additions = 0, int comparisons = 0>
void go(int warps = 1, int blocks = 1) {
  rounds<accesses, registers, additions, comparisons><<<blocks, warps * 32>>>(out, in, 16);
  unsigned clocks[64], sum = 0;
  cudaMemcpy(clocks, out, sizeof clocks, cudaMemcpyDeviceToHost);
  for (int i = 0; i < warps; ++i) sum += clocks[i];
  std::fprintf(file, "%d,%d,%d,%d,%d,%d,%u\n", accesses, registers, additions, comparisons, warps, blocks, sum / warps);
}
template <int registers, int additions, int comparisons>
void each() {
  if (additions + comparisons != 0) go<0, registers, additions, comparisons>();
  go<1, registers, additions, comparisons>();
  go<2, registers, additions, comparisons>();
  go<3, registers, additions, comparisons>();
}

int main() {
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&in, 1 << 16);
  cudaMemset(in, 0, 1 << 16);
  file = file_of_this_run("places", "csv");
  std::fprintf(file, "accesses,registers,additions,comparisons,warps,blocks,clocks\n");
  each<0, 0, 0>(), each<4, 0, 0>(), each<8, 0, 0>(), each<16, 0, 0>(), each<32, 0, 0>(), each<64, 0, 0>();
  each<0, 8, 0>(), each<0, 32, 0>(), each<0, 0, 2>(), each<0, 0, 4>(), each<0, 0, 8>(), each<16, 8, 8>();
  go<9>(), go<6>(), go<16>(), go<18>(), go<19>(), go<64>(), go<66>(), go<67>();
  go<3>(16), go<3, 32>(16), go<3, 0, 0, 8>(16), go<3>(32), go<3, 32>(32);
  for (const int blocks : {33, 132, 264}) go<1>(8, blocks), go<2>(8, blocks), go<3>(8, blocks), go<3, 32>(8, blocks);
  go<3>(16, 264), go<3>(2, 264), go<3>(1, 264);
  std::fclose(file);
}
