// Synchronisation between the warps of a warp group, and between warp groups.
#include <cuda_fp16.h>

#include <cstdint>

// K-major without a swizzle: core matrices of 8 x 16 bytes. Rows continue 128 bytes later, row 8 is at byte 256.
__device__ std::uint64_t matrix(const void* at) {
  const std::uint64_t start = __cvta_generic_to_shared(at) & 0x3ffff;
  return start >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}

// A has 64 x 16 ones. B has 16 x 8 elements, which are r + 1 in round r. Each warp writes a quarter of B before the
// product, and overwrites this quarter after the product. Every warp must see a complete B.
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

// Two groups of 64 threads run alternately. Each group waits at its own barrier, and the other group arrives there.
// First, group 0 arrives at its own barrier. `entered` has the count, then the numbers of the groups.
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
