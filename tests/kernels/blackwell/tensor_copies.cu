// Tensor copies of sm_100 (four rows, columns along W, reductions of every type), cluster launch control, conversions.
#include "cells.cuh"

// `map` is a tensor map without an address. Each kernel writes the address, and copies through shared memory.
struct tensor {
  uint32_t* map;
  unsigned char* data;
  int at[5];
  uint16_t halo, offset;
};
extern __shared__ __align__(1024) unsigned char box[];

__device__ void finish_map(const tensor& t) {
  if (threadIdx.x == 0) {
    reinterpret_cast<uint64_t*>(t.map)[0] = reinterpret_cast<uint64_t>(t.data);
    asm volatile("fence.proxy.async;" ::: "memory");
  }
}
#define TENSOR                                                                                                      \
  uint32_t *map, unsigned char *data, int at0, int at1, int at2, int at3, int at4, uint32_t halo, uint32_t offset, \
      uint32_t bytes, unsigned char *out
#define MADE                                                                                                       \
  const tensor t = {map, data, {at0, at1, at2, at3, at4}, static_cast<uint16_t>(halo), static_cast<uint16_t>(offset)}

// %0 is shared memory, %1 the map, %2 the mbarrier, %3 to %7 the coordinates, %8 and %9 the halo and the offset.
#define LOAD(name, instruction)                                                                                     \
  extern "C" __global__ void name(TENSOR) {                                                                         \
    MADE;                                                                                                           \
    __shared__ uint64_t barrier;                                                                                    \
    for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) box[i] = 0xcc;                                       \
    make_barrier(&barrier);                                                                                         \
    finish_map(t);                                                                                                  \
    __syncthreads();                                                                                                \
    if (threadIdx.x == 0) {                                                                                         \
      asm volatile(instruction ::"r"(shared_address(box)), "l"(t.map), "r"(shared_address(&barrier)), "r"(t.at[0]), \
                   "r"(t.at[1]), "r"(t.at[2]), "r"(t.at[3]), "r"(t.at[4]), "h"(t.halo), "h"(t.offset)               \
                   : "memory");                                                                                     \
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes) \
                   : "memory");                                                                                     \
    }                                                                                                               \
    wait_for(&barrier);                                                                                             \
    for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = box[i];                                     \
  }
#define TO_SHARED(dim, mode) "cp.async.bulk.tensor." dim ".shared::cta.global." mode ".mbarrier::complete_tx::bytes "
LOAD(gather4, TO_SHARED("2d", "tile::gather4") "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];")
LOAD(pixels_w_3d, TO_SHARED("3d", "im2col::w") "[%0], [%1, {%3, %4, %5}], [%2], {%8, %9};")
LOAD(pixels_w_4d, TO_SHARED("4d", "im2col::w") "[%0], [%1, {%3, %4, %5, %6}], [%2], {%8, %9};")
LOAD(pixels_w_5d, TO_SHARED("5d", "im2col::w") "[%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9};")
LOAD(pixels_w128_4d, TO_SHARED("4d", "im2col::w::128") "[%0], [%1, {%3, %4, %5, %6}], [%2], {%8, %9};")

// Copies from shared memory, which the kernel first fills with the bytes of `out`.
#define SAVE(name, instruction)                                                                                     \
  extern "C" __global__ void name(TENSOR) {                                                                         \
    MADE;                                                                                                           \
    for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) box[i] = out[i];                                     \
    finish_map(t);                                                                                                  \
    asm volatile("fence.proxy.async;" ::: "memory");                                                                \
    __syncthreads();                                                                                                \
    if (threadIdx.x == 0)                                                                                           \
      asm volatile(instruction " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"r"(shared_address(box)), \
                   "l"(t.map), "r"(t.at[0]), "r"(t.at[1]), "r"(t.at[2]), "r"(t.at[3]), "r"(t.at[4])                 \
                   : "memory");                                                                                     \
  }
SAVE(scatter4, "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];")
#define REDUCE(op) \
  SAVE(reduce_##op, "cp.reduce.async.bulk.tensor.2d.global.shared::cta." #op ".tile.bulk_group [%1, {%2, %3}], [%0];")
REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(inc)
REDUCE(dec)
REDUCE(and)
REDUCE(or)
REDUCE(xor)

// Each block requests more work until there is no work left. out[b] counts how often the work of block b was done.
extern "C" __global__ void asks_for_work(uint32_t* out) {
  __shared__ __align__(16) uint4 answer;
  __shared__ uint64_t barrier;
  make_barrier(&barrier);
  uint32_t block = blockIdx.x, phase = 0;
  for (;;) {
    if (threadIdx.x == 0) {
      atomicAdd(out + block, 1u);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(shared_address(&barrier)) : "memory");
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
              shared_address(&answer)),
          "r"(shared_address(&barrier))
          : "memory");
    }
    uint32_t done = 0;
    while (done == 0)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(shared_address(&barrier)), "r"(phase)
                   : "memory");
    phase ^= 1;
    uint32_t granted, x;
    asm volatile(
        "{ .reg .b128 h; .reg .pred p; ld.shared.b128 h, [%2];"
        "  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h; selp.u32 %0, 1, 0, p; mov.u32 %1, 0;"
        "  @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, _, _, _}, h; }"
        : "=r"(granted), "=r"(x)
        : "r"(shared_address(&answer))
        : "memory");
    if (granted == 0) break;
    block = x;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
  }
}

extern "C" __global__ void rounds_to_tf32(const float* in, uint32_t* out) {
  const float x = in[threadIdx.x];
  uint32_t r[8];
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[0]) : "f"(x));
  asm("cvt.rna.satfinite.tf32.f32 %0, %1;" : "=r"(r[1]) : "f"(x));
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(r[2]) : "f"(x));
  asm("cvt.rn.satfinite.tf32.f32 %0, %1;" : "=r"(r[3]) : "f"(x));
  asm("cvt.rz.tf32.f32 %0, %1;" : "=r"(r[4]) : "f"(x));
  asm("cvt.rz.satfinite.tf32.f32 %0, %1;" : "=r"(r[5]) : "f"(x));
  asm("cvt.rn.relu.satfinite.tf32.f32 %0, %1;" : "=r"(r[6]) : "f"(x));
  asm("cvt.rz.relu.satfinite.tf32.f32 %0, %1;" : "=r"(r[7]) : "f"(x));
  for (uint32_t n = 0; n < 8; ++n) out[8 * threadIdx.x + n] = r[n];
}

// Waits for a phase with the loop that CUTLASS uses.
__device__ void wait_for_phase(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done; bra again; done: }" ::"r"(
          shared_address(barrier)),
      "r"(parity)
      : "memory");
}
// If a loop calls this function in its condition, the compiler puts a YIELD before each test.
__device__ bool has_phase(uint64_t* barrier, uint32_t parity) {
  uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}
// Only the first warp completes phases, of copies and of products in turn. Other warps test each phase of copies twice,
// and of products once. The first warp never waits for them. On a GPU, a phase is longer than three tests.
extern "C" __global__ void follows_phases(const uint4* in, uint32_t rounds, uint32_t* out) {
  __shared__ uint64_t copied, multiplied;
  make_barrier(&copied);
  make_barrier(&multiplied);
  uint32_t round = 0;
  if (threadIdx.x < 32) {
    for (; round < rounds; ++round) {
      if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(shared_address(&copied)) : "memory");
        asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(
                         shared_address(box)),
                     "l"(in + round), "r"(shared_address(&copied))
                     : "memory");
      }
      wait_for_phase(&copied, round & 1);
      if (threadIdx.x == 0)
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                         shared_address(&multiplied))
                     : "memory");
      wait_for_phase(&multiplied, round & 1);
    }
  } else {
    for (uint32_t look = 0; round < rounds;) {
      if (!has_phase(look == 2 ? &multiplied : &copied, round & 1)) continue;
      look = look == 2 ? 0 : look + 1;
      if (look == 0) ++round;
    }
  }
  out[threadIdx.x] = round;
}
