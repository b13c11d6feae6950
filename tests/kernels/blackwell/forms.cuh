// Kernels with one product or copy of tcgen05. They fill shared memory and tensor memory, and store tensor memory.
#pragma once

#include "cells.cuh"

#ifndef PLACED
#define PLACED placed
#endif

// The arguments of a form: descriptors relative to the start of shared memory, a word for each of columns 256 to 287 of
// each lane, and masks. The form stores D, followed by columns 256 to 287.
struct form {
  const uint4* image;
  uint32_t bytes, type;
  uint64_t a, b;
  const uint32_t* table;
  uint32_t adds, columns;
  const uint32_t* lanes_off;  // 8 words
  uint64_t zero_columns;
  uint32_t* out;
};
#define PARAMETERS                                                                                                   \
  const uint4 *image, uint32_t bytes, uint32_t type, uint64_t a, uint64_t b, const uint32_t *table, uint32_t adds,   \
      uint32_t columns, const uint32_t *lanes_off, uint64_t zero_columns, uint32_t *out
#define MADE {image, bytes, type, a, b, table, adds, columns, lanes_off, zero_columns, out}
constexpr uint32_t table_columns = 32, a_at = 0, a_scales_at = 8, b_scales_at = 16, metadata_at = 24;

__noinline__ __device__ void fill_cells(const form& f, uint32_t first, uint32_t block) {
  _Pragma("unroll 1") for (uint32_t c = 0; c < f.columns; ++c) store_cell(first + c, __float_as_uint(threadIdx.x + 0.25f * c));
  _Pragma("unroll 1") for (uint32_t c = 0; c < table_columns; ++c)
    store_cell(first + 256 + c, f.table[(block * 128 + threadIdx.x) * table_columns + c]);
}
__noinline__ __device__ void store_cells(const form& f, uint32_t first, uint32_t block) {
  uint32_t* const to = f.out + (block * 128 + threadIdx.x) * (f.columns + table_columns);
  _Pragma("unroll 1") for (uint32_t c = 0; c < f.columns; ++c) to[c] = load_cell(first + c);
  _Pragma("unroll 1") for (uint32_t c = 0; c < table_columns; ++c) to[f.columns + c] = load_cell(first + 256 + c);
}

// %0 is D, %1 and %2 are descriptors, %3 is the type, p is whether to add, %5 is A, %6 and %7 are scales, %8 is
// metadata. %9 to %16 are lanes that are not written, and %17 is the mask of zero columns.
#define OPERANDS(t, f, base)                                                                                         \
  "r"(t), "l"(PLACED(f.a, base)), "l"(PLACED(f.b, base)), "r"(f.type), "r"(f.adds), "r"(t + 256 + a_at),             \
      "r"(t + 256 + a_scales_at), "r"(t + 256 + b_scales_at), "r"(t + 256 + metadata_at), "r"(f.lanes_off[0]),       \
      "r"(f.lanes_off[1]), "r"(f.lanes_off[2]), "r"(f.lanes_off[3]), "r"(f.lanes_off[4]), "r"(f.lanes_off[5]),       \
      "r"(f.lanes_off[6]), "r"(f.lanes_off[7]), "l"(f.zero_columns)

#define FORM(name, instructions)                                                                                     \
  extern "C" __global__ void name(PARAMETERS) {                                                  \
    const form f = MADE;                                                                                             \
    __shared__ uint32_t word;                                                                                        \
    __shared__ uint64_t barrier;                                                                                     \
    make_barrier(&barrier);                                                                                          \
    tensor_columns t(&word, 512);                                                                                    \
    const uint32_t base = fill_shared(f.image, f.bytes);                                                             \
    fill_cells(f, t.first, 0);                                                                                       \
    asm volatile("fence.proxy.async;");                                                                              \
    __syncthreads();                                                                                                 \
    if (threadIdx.x == 0)                                                                                            \
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; " instructions " }" ::OPERANDS(t.first, f, base) : "memory"); \
    commit_and_wait(&barrier);                                                                                       \
    store_cells(f, t.first, 0);                                                                                      \
    t.release();                                                                                                     \
  }

__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
// A form for the two blocks of a pair. Each block has its own image, table and result.
#define PAIR(name, instructions)                                                                                     \
  extern "C" __global__ void __cluster_dims__(2, 1, 1) name(PARAMETERS) {                        \
    const form f = MADE;                                                                                             \
    __shared__ uint32_t word;                                                                                        \
    __shared__ uint64_t barrier;                                                                                     \
    make_barrier(&barrier);                                                                                          \
    meet();                                                                                                          \
    if (threadIdx.x < 32)                                                                                            \
      asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(shared_address(&word)) \
                   : "memory");                                                                                      \
    __syncthreads();                                                                                                 \
    const uint32_t first = word;                                                                                     \
    const uint32_t base = fill_shared(f.image + blockIdx.x * (f.bytes / 16), f.bytes);                               \
    fill_cells(f, first, blockIdx.x);                                                                                \
    asm volatile("fence.proxy.async;");                                                                              \
    meet();                                                                                                          \
    if (threadIdx.x == 0 && blockIdx.x == 0) {                                                                       \
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; " instructions " }" ::OPERANDS(first, f, base) : "memory"); \
      asm volatile(                                                                                                  \
          "{ .reg .b16 both; mov.b16 both, 3; "                                                                      \
          "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], both; }" ::"r"( \
              shared_address(&barrier))                                                                              \
          : "memory");                                                                                               \
    }                                                                                                                \
    wait_for(&barrier);                                                                                              \
    store_cells(f, first, blockIdx.x);                                                                               \
    meet();                                                                                                          \
    if (threadIdx.x < 32) {                                                                                          \
      asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");                                    \
      asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 512;" ::"r"(first));                           \
    }                                                                                                                \
  }

#define MMA(group, kind, rest) "tcgen05.mma.cta_group::" group ".kind::" kind rest
#define SPARSE(group, kind, rest) "tcgen05.mma.sp.cta_group::" group ".kind::" kind rest
