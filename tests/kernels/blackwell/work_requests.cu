// Cluster launch control: a block takes over the work of blocks that have not begun, until no such block is left.
#include "cells.cuh"

struct work {
  uint32_t granted;
  uint3 first;
};
__device__ work read_answer(const uint4* answer) {
  work w;
  asm volatile(
      "{ .reg .b128 h; .reg .pred p; ld.shared.b128 h, [%4];"
      "  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h; selp.u32 %0, 1, 0, p;"
      "  mov.u32 %1, 0; mov.u32 %2, 0; mov.u32 %3, 0;"
      "  @p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, h; }"
      : "=r"(w.granted), "=r"(w.first.x), "=r"(w.first.y), "=r"(w.first.z)
      : "r"(shared_address(answer))
      : "memory");
  return w;
}
__device__ void wait_for_phase(uint64_t* barrier, uint32_t parity) {
  uint32_t done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}
__device__ void expect_answer(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%0], 16;" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ uint32_t linear(uint3 at) { return at.x + gridDim.x * (at.y + gridDim.y * at.z); }

// `by[b]` receives the block that did the work of block b. `times[b]` counts how often this work was done. If `uses` is
// not 0, a block requests more work before it does its own work, as in the PTX manual. Then it does the received work.
extern "C" __global__ void tiles(uint32_t* by, uint32_t* times, uint32_t uses) {
  __shared__ __align__(16) uint4 answer;
  __shared__ uint64_t barrier;
  make_barrier(&barrier);
  uint3 tile = blockIdx;
  for (uint32_t phase = 0;; phase ^= 1) {
    if (uses != 0 && threadIdx.x == 0) {
      asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
      expect_answer(&barrier);
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
              shared_address(&answer)),
          "r"(shared_address(&barrier))
          : "memory");
    }
    if (threadIdx.x == 0) {
      by[linear(tile)] = linear(blockIdx);
      atomicAdd(times + linear(tile), 1u);
    }
    if (uses == 0) return;
    wait_for_phase(&barrier, phase);
    const work w = read_answer(&answer);
    if (w.granted == 0) return;
    tile = w.first;
    asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
    __syncthreads();
  }
}

// Like `tiles`, but with clusters of two blocks along x. The first block asks, and both blocks get the answer.
extern "C" __global__ void __cluster_dims__(2, 1, 1) tiles_of_pairs(uint32_t* by, uint32_t* times) {
  __shared__ __align__(16) uint4 answer;
  __shared__ uint64_t barrier;
  make_barrier(&barrier);
  uint3 tile = blockIdx;
  const uint32_t rank = blockIdx.x % 2;
  for (uint32_t phase = 0;; phase ^= 1) {
    if (threadIdx.x == 0) expect_answer(&barrier);
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 0 && threadIdx.x == 0)
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
          "[%0], [%1];" ::"r"(shared_address(&answer)),
          "r"(shared_address(&barrier))
          : "memory");
    if (threadIdx.x == 0) {
      by[linear(tile)] = linear(blockIdx);
      atomicAdd(times + linear(tile), 1u);
    }
    wait_for_phase(&barrier, phase);
    const work w = read_answer(&answer);
    if (w.granted == 0) break;
    tile = w.first;
    tile.x += rank;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// Records the order of the tiles for blocks that run one after another. Each block takes the next number.
extern "C" __global__ void numbers(uint32_t* next, uint32_t* number) {
  __shared__ __align__(16) uint4 answer;
  __shared__ uint64_t barrier;
  make_barrier(&barrier);
  uint32_t tile = blockIdx.x;
  for (uint32_t phase = 0;; phase ^= 1) {
    if (threadIdx.x == 0) {
      expect_answer(&barrier);
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
              shared_address(&answer)),
          "r"(shared_address(&barrier))
          : "memory");
      number[tile] = atomicAdd(next, 1u);
    }
    wait_for_phase(&barrier, phase);
    const work w = read_answer(&answer);
    if (w.granted == 0) return;
    tile = w.first.x;
    __syncthreads();
  }
}
