// Measures the clocks of an indirect branch (brx.idx) with 1, 2, 4 or 8 distinct targets in a warp, and of a loop with a
// direct branch. Prints the rows of data/sm_90/branch_times.csv: clocks of a round for 1, 4, 8 and 16 warps of one block.
//   nvcc -O3 -arch=sm_90 -o branch_times bench/branch_times.cu && ./branch_times
#include <cstdio>
#include <cstdlib>
using u32 = unsigned;
template <bool indirect>
__global__ void rounds_of(u32* out, u32 rounds, u32 apart, long long* clocks) {
  u32 x = threadIdx.x + 1;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (u32 i = 0; i < rounds; ++i) {
    const u32 which = (i + threadIdx.x % apart) % 8;
    if (indirect)
      asm volatile(
          "{\ncases: .branchtargets l0, l1, l2, l3, l4, l5, l6, l7;\nbrx.idx %1, cases;\n"
          "l0: add.u32 %0, %0, 12345; bra done;\nl1: mul.lo.u32 %0, %0, 77; bra done;\nl2: not.b32 %0, %0; bra done;\n"
          "l3: brev.b32 %0, %0; bra done;\nl4: add.u32 %0, %0, 5; bra done;\nl5: mul.lo.u32 %0, %0, 9; bra done;\n"
          "l6: xor.b32 %0, %0, 77; bra done;\nl7: popc.b32 %0, %0;\ndone:\n}"
          : "+r"(x)
          : "r"(which));
    else
      asm volatile(
          "{ .reg .pred p; setp.lt.u32 p, %1, 4; @p bra l0; mul.lo.u32 %0, %0, 77; bra done; l0: add.u32 %0, %0, 12345; done: }"
          : "+r"(x)
          : "r"(which));
  }
  const long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
  if (threadIdx.x == 0) *clocks = end - begin;
}
int main() {
  std::puts("branch,warps,targets,clocks");
  u32* out;
  long long *clocks, c;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&clocks, 8);
  const u32 rounds = 10000;
  for (u32 warps : {1, 4, 8, 16})
    for (u32 apart : {1, 2, 4, 8})
      for (int indirect = 0; indirect < 2; ++indirect) {
        auto k = indirect ? rounds_of<true> : rounds_of<false>;
        k<<<1, warps * 32>>>(out, 100, apart, clocks);
        k<<<1, warps * 32>>>(out, rounds, apart, clocks);
        cudaMemcpy(&c, clocks, 8, cudaMemcpyDeviceToHost);
        std::printf("%s,%u,%u,%.2f\n", indirect ? "indirect" : "direct", warps, apart, double(c) / rounds);
      }
}
