// Kernels with one tensor copy each, for the cases of tensor_cases.hpp. measure_tensors.cpp runs the kernels on a GPU,
// tests/emulate/tensor_modes_test.cpp runs them in the emulator.
//
//     nvcc -arch=sm_90a -cubin -o FILE.cubin tensor_modes.cu
#include <cuda.h>

#include "tensor_cases.hpp"

using probes::tensor_places;

__device__ unsigned sh(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

extern __shared__ __align__(1024) unsigned tile[];

#define LOAD(name, text, ...) \
extern "C" __global__ void name(unsigned* out, const __grid_constant__ CUtensorMap map, const __grid_constant__ tensor_places p) { \
  __shared__ __align__(8) unsigned long long barrier; \
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) tile[i] = 0xa5a5a5a5u; \
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sh(&barrier))); \
  asm volatile("fence.proxy.async;" ::: "memory"); \
  __syncthreads(); \
  if (threadIdx.x == 0) { \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(sh(&barrier)), "r"(p.bytes)); \
    asm volatile(text :: "r"(sh(tile)), "l"(&map), "r"(sh(&barrier)), __VA_ARGS__ : "memory"); \
    unsigned done = 0; \
    for (int i = 0; i < 3000 && done == 0; ++i) \
      asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }" : "=r"(done) : "r"(sh(&barrier)) : "memory"); \
    out[4096] = done; \
  } \
  __syncthreads(); \
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) out[i] = tile[i]; \
}
#define C3 "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2])
#define C4 C3, "r"(p.at[3])
#define C5 C4, "r"(p.at[4])
#define O1 "h"((unsigned short)p.offset[0])
#define O2 O1, "h"((unsigned short)p.offset[1])
#define O3 O2, "h"((unsigned short)p.offset[2])
LOAD(load_tile_3, "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];", C3)
LOAD(load_tile_4, "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];", C4)
LOAD(load_tile_5, "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];", C5)
LOAD(load_im2col_3, "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2], {%6};", C3, O1)
LOAD(load_im2col_4, "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};", C4, O2)
LOAD(load_im2col_5, "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};", C5, O3)
#define STORE(name, text, ...) \
extern "C" __global__ void name(unsigned* out, const __grid_constant__ CUtensorMap map, const __grid_constant__ tensor_places p) { \
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) tile[i] = 0x40000000u + i * 257u; \
  asm volatile("fence.proxy.async;" ::: "memory"); \
  __syncthreads(); \
  if (threadIdx.x == 0) { \
    asm volatile(text :: "r"(sh(tile)), "l"(&map), __VA_ARGS__ : "memory"); \
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); \
    out[4096] = 1; \
  } \
}
STORE(store_tile_3, "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4}], [%0];", C3)
STORE(store_tile_4, "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4, %5}], [%0];", C4)
STORE(store_tile_5, "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];", C5)
STORE(store_im2col_3, "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%1, {%2, %3, %4}], [%0];", C3)
STORE(store_im2col_4, "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%1, {%2, %3, %4, %5}], [%0];", C4)
STORE(store_im2col_5, "cp.async.bulk.tensor.5d.global.shared::cta.im2col_no_offs.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];", C5)
STORE(add_tile_3, "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%1, {%2, %3, %4}], [%0];", C3)
STORE(add_tile_4, "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group [%1, {%2, %3, %4, %5}], [%0];", C4)
STORE(add_tile_5, "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];", C5)
STORE(add_im2col_3, "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group [%1, {%2, %3, %4}], [%0];", C3)
STORE(add_im2col_4, "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group [%1, {%2, %3, %4, %5}], [%0];", C4)
STORE(add_im2col_5, "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.im2col_no_offs.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];", C5)
