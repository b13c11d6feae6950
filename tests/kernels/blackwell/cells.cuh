// Helpers for kernels of one block of 128 threads: columns and cells of tensor memory, and matrices in shared memory.
#pragma once

#include <cstdint>

namespace cells {

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

struct tensor_columns {
  uint32_t first;
  uint32_t count;

  __device__ tensor_columns(uint32_t* word, uint32_t columns) : count(columns) {
    if (threadIdx.x < 32)
      asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(word)),
                   "r"(columns)
                   : "memory");
    __syncthreads();
    first = *word;
  }
  __device__ void release() {
    __syncthreads();
    if (threadIdx.x < 32) {
      asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
      asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(first), "r"(count));
    }
  }
};

__device__ uint32_t own_lanes(uint32_t column) { return column | (threadIdx.x / 32 * 32) << 16; }

__device__ uint32_t load_cell(uint32_t column) {
  uint32_t x;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(x) : "r"(own_lanes(column)));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  return x;
}
__device__ void store_cell(uint32_t column, uint32_t x) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(own_lanes(column)), "r"(x));
  asm volatile("tcgen05.wait::st.sync.aligned;");
}

// Copies `bytes` bytes to an address in shared memory that is a multiple of 1,024. Returns this address.
__device__ uint32_t fill_shared(const uint4* from, uint32_t bytes) {
  extern __shared__ __align__(1024) unsigned char bytes_of_block[];
  for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x) reinterpret_cast<uint4*>(bytes_of_block)[i] = from[i];
  __syncthreads();
  return shared_address(bytes_of_block);
}

// Returns the descriptor with a start that is `base` bytes later.
__device__ uint64_t placed(uint64_t descriptor, uint32_t base) { return descriptor + (base >> 4); }

__device__ void wait_for(uint64_t* barrier) {
  const uint32_t at = shared_address(barrier);
  uint32_t done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  asm volatile("tcgen05.fence::after_thread_sync;");
}

__device__ void commit_and_wait(uint64_t* barrier) {
  if (threadIdx.x == 0)
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
  wait_for(barrier);
}

__device__ void make_barrier(uint64_t* barrier) {
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  __syncthreads();
}

}  // namespace cells
using namespace cells;
