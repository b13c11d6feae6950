// Kernels that pass tiles through a ring of buffers: the first warp fills them with bulk copies, and warp groups multiply them with
// wgmma. Pairs of kernels differ in the number of stages, in the products in flight, or in the warp groups that multiply. The tiles
// hold what is in memory, so that the results have no meaning.
#include <cuda_fp16.h>

#include <cstdint>

constexpr int group = 128, columns = 64, depth = 64;
constexpr std::uint32_t bytes_b = columns * depth * sizeof(half), bytes_a = 64 * depth * sizeof(half);

__device__ std::uint32_t shared(const void* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void wait(std::uint64_t* barrier, int parity) {
  std::uint32_t done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(shared(barrier)), "r"(parity)
                 : "memory");
}
__device__ void copy(std::uint32_t to, const half* from, std::uint32_t bytes, std::uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(shared(barrier))
               : "memory");
}
__device__ std::uint64_t descriptor(std::uint32_t tile) {
  return (tile & 0x3ffff) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{64} << 32 | std::uint64_t{1} << 62;
}
__device__ void multiply(float (&d)[32], std::uint64_t a, std::uint64_t b, int adds) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
      "%32, %33, p, 1, 1, 0, 0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(adds));
}

template <int Stages, int InFlight, int Consumers, int Products>
__device__ void ring(float* out, const half* a, const half* b, int steps) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t full[Stages], empty[Stages];
  constexpr std::uint32_t stage = Consumers * bytes_a + bytes_b;
  const std::uint32_t tiles = (shared(memory) + 1023) & ~1023u;
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[s])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(&empty[s])), "r"(Consumers));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; ++step) {
        const int s = step % Stages;
        wait(&empty[s], step / Stages % 2 ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full[s])), "r"(stage)
                     : "memory");
        copy(tiles + s * stage, a + (blockIdx.x * steps + step) % 512 * (bytes_a / 2), Consumers * bytes_a, &full[s]);
        copy(tiles + s * stage + Consumers * bytes_a, b + step % 64 * (bytes_b / 2), bytes_b, &full[s]);
      }
    return;
  }
  if (threadIdx.x < group) return;
  const int consumer = threadIdx.x / group - 1;
  float sum[32];
  for (int step = 0; step < steps; ++step) {
    const int s = step % Stages;
    wait(&full[s], step / Stages % 2);
    const std::uint32_t x = tiles + s * stage + consumer * bytes_a, y = tiles + s * stage + Consumers * bytes_a;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int n = 0; n < Products; ++n)
      multiply(sum, descriptor(x + n % 4 * 32), descriptor(y + n % 4 * 32), step > 0 || n > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(InFlight) : "memory");
    if (threadIdx.x % group == 0 && step >= InFlight)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&empty[(step - InFlight) % Stages]))
                   : "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 32; ++i) out[((blockIdx.x % 128 * Consumers + consumer) * 32 + i) * group + threadIdx.x % group] = sum[i];
}

#define KERNEL(name, stages, in_flight, consumers, products)             \
  extern "C" __global__ void __launch_bounds__(group*(consumers + 1), 1) \
      name(float* out, const half* a, const half* b, int steps) {        \
    ring<stages, in_flight, consumers, products>(out, a, b, steps);      \
  }
KERNEL(one_stage, 1, 0, 1, 4)
KERNEL(two_stages, 2, 0, 1, 4)
KERNEL(four_stages, 4, 0, 1, 4)
KERNEL(awaited, 6, 0, 1, 8)
KERNEL(in_flight, 6, 1, 1, 8)
KERNEL(one_consumer, 4, 0, 1, 4)
KERNEL(two_consumers, 4, 0, 2, 4)
