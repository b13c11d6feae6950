// A warp group writes two tiles, multiplies them twice with wgmma, and overwrites one, in order and with a part missing. A fifth
// warp writes the next tile of `hands_over`.
#include <cuda_fp16.h>

#include <cstdint>

// K-major without a swizzle: core matrices of 8 x 16 bytes. Rows continue 128 bytes later, row 8 is at byte 256.
__device__ std::uint64_t matrix(const void* at) {
  const std::uint64_t start = __cvta_generic_to_shared(at) & 0x3ffff;
  return start >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}
__device__ void multiply(float (&d)[4], const __half* a, const __half* b) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
      "wgmma.commit_group.sync.aligned;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(matrix(a)), "l"(matrix(b))
      : "memory");
}
template <int most>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(most) : "memory");
}
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

enum class part { none, tile, fence, barrier, wait };

template <part missing>
__device__ void multiply_and_overwrite(float* sums) {
  __shared__ __align__(1024) __half a[64 * 16], b[16 * 8];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * 16; i += 128) a[i] = __float2half(1);
  if (missing != part::tile) b[t] = __float2half(t);
  if (missing != part::fence) fence();
  if (missing != part::barrier) __syncthreads();
  float d[4] = {};
  multiply(d, a, b);
  multiply(d, a, b);
  wait<missing == part::wait ? 1 : 0>();
  __syncthreads();
  b[t] = __float2half(-1);
  wait<0>();
  for (int i = 0; i < 4; ++i) sums[t * 4 + i] = d[i];
}
__global__ void multiplies(float* sums) { multiply_and_overwrite<part::none>(sums); }
__global__ void multiplies_half_a_tile(float* sums) { multiply_and_overwrite<part::tile>(sums); }
__global__ void multiplies_unfenced(float* sums) { multiply_and_overwrite<part::fence>(sums); }
__global__ void multiplies_early(float* sums) { multiply_and_overwrite<part::barrier>(sums); }
__global__ void overwrites_early(float* sums) { multiply_and_overwrite<part::wait>(sums); }

// The fifth warp fills two stages in turn. One thread of the warp group frees a stage after the wait for its product.
template <bool frees_early>
__device__ void hand_over(float* sums) {
  __shared__ __align__(1024) __half a[64 * 16], b[2][16 * 8];
  __shared__ __align__(8) std::uint64_t full[2], free[2];
  const int t = threadIdx.x;
  const auto at = [](std::uint64_t* barrier) { return static_cast<unsigned>(__cvta_generic_to_shared(barrier)); };
  const auto arrive = [&](std::uint64_t* barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(barrier)) : "memory");
  };
  const auto await = [&](std::uint64_t* barrier, unsigned parity) {
    asm volatile(
        "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(at(barrier)),
        "r"(parity)
        : "memory");
  };
  if (t == 0)
    for (int i = 0; i < 2; ++i) {
      asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&full[i])) : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&free[i])) : "memory");
    }
  for (int i = t; i < 64 * 16; i += blockDim.x) a[i] = __float2half(1);
  fence();
  __syncthreads();
  constexpr int rounds = 6;
  if (t >= 128) {
    for (int r = 0; r < rounds; ++r) {
      if (r >= 2) await(&free[r % 2], r / 2 - 1 & 1);
      for (int i = t - 128; i < 128; i += 32) b[r % 2][i] = __float2half(r);
      fence();
      arrive(&full[r % 2]);
    }
    return;
  }
  float d[4] = {};
  for (int r = 0; r < rounds; ++r) {
    await(&full[r % 2], r / 2 & 1);
    multiply(d, a, b[r % 2]);
    if (frees_early && t == 0) arrive(&free[r % 2]);
    wait<0>();
    if (!frees_early && t == 0) arrive(&free[r % 2]);
  }
  for (int i = 0; i < 4; ++i) sums[t * 4 + i] = d[i];
}
__global__ void hands_over(float* sums) { hand_over<false>(sums); }
__global__ void hands_over_early(float* sums) { hand_over<true>(sums); }

// The barrier between the initialisation of an mbarrier and the arrivals is missing.
template <bool ordered>
__device__ void meet_at_mbarrier(int* out) {
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
  if (ordered) __syncthreads();
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
  asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(at)
               : "memory");
  out[threadIdx.x] = 1;
}
__global__ void meets(int* out) { meet_at_mbarrier<true>(out); }
__global__ void meets_early(int* out) { meet_at_mbarrier<false>(out); }
