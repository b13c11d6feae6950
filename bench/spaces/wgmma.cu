// A matrix product of f16 with wgmma: C = A * B^T. One warp copies parts of 64 x 64 numbers with cp.async.bulk into STAGES buffers of KB parts
// in K, and BM/64 warpgroups multiply. The matrices consist of these parts, in the order of rows and then K, and each part has the swizzle
// of 128 bytes in memory. PIPE=1 keeps one product in flight.
#include "pieces.cuh"

#define WIDTH (BN < 128 ? BN : 128)
#define PARTS (BN / WIDTH)
#define GROUPS (BM / 64)
#define THREADS (GROUPS * 128 + 128)
#define PART_BYTES 8192

__device__ inline void make_barrier(unsigned at, int count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(count)); }
__device__ inline void expect_bytes(unsigned at, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}
__device__ inline void arrive(unsigned at) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory"); }
__device__ inline void wait_for(unsigned at, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@done bra ended;\nbra again;\nended:\n}" ::"r"(at),
      "r"(parity)
      : "memory");
}
__device__ inline void copy_part(unsigned to, const void* from, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
               "r"(PART_BYTES), "r"(barrier)
               : "memory");
}

// Rows of 128 bytes with the swizzle of 128 bytes, 8 rows after 1024 bytes.
__device__ inline unsigned long long matrix_at(unsigned address) {
  return (address & 0x3ffff) >> 4 | 1ULL << 16 | 64ULL << 32 | 1ULL << 62;
}

#define F8(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])

__device__ inline void multiply(float (&c)[32], unsigned long long a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
      : F8(c, 0), F8(c, 8), F8(c, 16), F8(c, 24)
      : "l"(a), "l"(b));
}
__device__ inline void multiply(float (&c)[64], unsigned long long a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, 1, 1, 1, 0, 0;"
      : F8(c, 0), F8(c, 8), F8(c, 16), F8(c, 24), F8(c, 32), F8(c, 40), F8(c, 48), F8(c, 56)
      : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) wgmma(half_bits* c, const half_bits* a, const half_bits* b, int n, int k) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ unsigned long long full[STAGES], empty[STAGES];
  constexpr unsigned a_bytes = GROUPS * KB * PART_BYTES, stage_bytes = a_bytes + BN / 64 * KB * PART_BYTES;
  const unsigned base = (shared_address(shared) + 1023) / 1024 * 1024;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      make_barrier(shared_address(&full[s]), 1);
      make_barrier(shared_address(&empty[s]), GROUPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int parts = k / 64, steps = parts / KB, group = threadIdx.x / 128;
  if (group == GROUPS) {
    if (threadIdx.x % 128 != 0) return;
    for (int step = 0; step < steps; ++step) {
      const int s = step % STAGES;
      if (step >= STAGES) wait_for(shared_address(&empty[s]), step / STAGES % 2 ^ 1);
      const unsigned barrier = shared_address(&full[s]), to = base + s * stage_bytes;
      expect_bytes(barrier, stage_bytes);
      for (int part = 0; part < KB; ++part) {
        const int at = step * KB + part;
        for (int i = 0; i < GROUPS; ++i)
          copy_part(to + (part * GROUPS + i) * PART_BYTES, a + (static_cast<size_t>(blockIdx.y * GROUPS + i) * parts + at) * 4096, barrier);
        for (int j = 0; j < BN / 64; ++j)
          copy_part(to + a_bytes + (part * (BN / 64) + j) * PART_BYTES,
                    b + (static_cast<size_t>(blockIdx.x * (BN / 64) + j) * parts + at) * 4096, barrier);
      }
    }
    return;
  }
  float sum[PARTS][WIDTH / 2] = {};
  for (int step = 0; step < steps; ++step) {
    const int s = step % STAGES;
    wait_for(shared_address(&full[s]), step / STAGES % 2);
    const unsigned at = base + s * stage_bytes;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int part = 0; part < KB; ++part)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < PARTS; ++j)
          multiply(sum[j], matrix_at(at + (part * GROUPS + group) * PART_BYTES + i * 32),
                   matrix_at(at + a_bytes + (part * (BN / 64) + j * (WIDTH / 64)) * PART_BYTES + i * 32));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PIPE) : "memory");
    if (step >= PIPE && threadIdx.x % 128 == 0) arrive(shared_address(&empty[(step - PIPE) % STAGES]));
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int lane = threadIdx.x % 32, row = blockIdx.y * BM + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < PARTS; ++j)
#pragma unroll
    for (int i = 0; i < WIDTH / 8; ++i) {
      const int column = blockIdx.x * BN + j * WIDTH + i * 8 + lane % 4 * 2;
      *reinterpret_cast<unsigned*>(&c[static_cast<size_t>(row) * n + column]) = two_halves(sum[j][4 * i], sum[j][4 * i + 1]);
      *reinterpret_cast<unsigned*>(&c[static_cast<size_t>(row + 8) * n + column]) = two_halves(sum[j][4 * i + 2], sum[j][4 * i + 3]);
    }
}
