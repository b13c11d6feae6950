// What warps of one warp group, and of several, expect of each other.
#include <cuda_fp16.h>

#include <cstdint>

// K-major, not swizzled: core matrices of 8 rows of 16 bytes. A row goes on after 128 bytes, the next 8 rows after 256.
__device__ std::uint64_t matrix(const void* at) {
  const std::uint64_t start = __cvta_generic_to_shared(at) & 0x3ffff;
  return start >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}

// A is 64 x 16 ones; B, 16 x 8, is r + 1 in round r, of which each warp writes a quarter before the product, and overwrites it
// behind the product's end. No warp sees a B that is not whole.
__global__ void shares_operands(float* sums, int rounds) {
  __shared__ __align__(1024) __half a[64 * 16], b[16 * 8];
  for (int i = threadIdx.x; i < 64 * 16; i += 128) a[i] = __float2half(1.f);
  __syncthreads();
  float d[4] = {};
  for (int r = 0; r < rounds; ++r) {
    b[threadIdx.x] = __float2half(r + 1.f);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(matrix(a)), "l"(matrix(b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    b[threadIdx.x] = __float2half(-1000.f);
  }
  for (int i = 0; i < 4; ++i) sums[threadIdx.x * 4 + i] = d[i];
}

// Two groups of 64 threads take turns, as those of a warp-specialised kernel do: each waits at a barrier of its own, at which
// the other arrives, and the first lets itself in. `entered[0]` counts, the groups follow.
__global__ void takes_turns(int* entered, int rounds) {
  const int group = threadIdx.x / 64;
  if (group > 1) return;
  if (group == 0) asm volatile("barrier.cta.arrive %0, 128;" ::"r"(1));
  for (int r = 0; r < rounds; ++r) {
    asm volatile("barrier.cta.sync %0, 128;" ::"r"(1 + group) : "memory");
    if (threadIdx.x % 64 == 0) entered[++entered[0]] = group;
    asm volatile("barrier.cta.arrive %0, 128;" ::"r"(2 - group) : "memory");
  }
}
