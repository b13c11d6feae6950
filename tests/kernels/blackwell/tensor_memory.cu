// Kernels that use tensor memory: one block of 128 threads allocates columns, and stores their contents.
#include "cells.cuh"

// A cell holds 1000 * lane + column; register k of thread t goes to out[32 * k + t] of each warp.
#define MOVES(name, shape, columns, count, registers, operands)                                                      \
  extern "C" __global__ void load_##name(uint32_t* out) {                                                            \
    __shared__ uint32_t word;                                                                                        \
    tensor_columns t(&word, 64);                                                                                     \
    _Pragma("unroll 1") for (uint32_t c = 0; c < 64; ++c) store_cell(t.first + c, 1000 * threadIdx.x + c);                               \
    __syncthreads();                                                                                                 \
    uint32_t r[count];                                                                                               \
    asm volatile("tcgen05.ld.sync.aligned." shape ".b32 {" registers "}, [%" #count "];" : operands : "r"(own_lanes(t.first + columns))); \
    asm volatile("tcgen05.wait::ld.sync.aligned;");                                                                  \
    for (uint32_t k = 0; k < count; ++k) out[threadIdx.x / 32 * 32 * count + 32 * k + threadIdx.x % 32] = r[k];      \
    t.release();                                                                                                     \
  }
#define FOUR "%0, %1, %2, %3"
#define IN_FOUR "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
#define EIGHT FOUR ", %4, %5, %6, %7"
#define IN_EIGHT IN_FOUR, "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
MOVES(32x32b, "32x32b.x4", 3, 4, FOUR, IN_FOUR)
MOVES(32x32b_packed, "32x32b.x4.pack::16b", 2, 4, FOUR, IN_FOUR)
MOVES(16x64b, "16x64b.x4", 1, 4, FOUR, IN_FOUR)
MOVES(16x128b, "16x128b.x2", 5, 4, FOUR, IN_FOUR)
MOVES(16x256b, "16x256b.x2", 8, 8, EIGHT, IN_EIGHT)
MOVES(16x256b_packed, "16x256b.x2.pack::16b", 0, 8, EIGHT, IN_EIGHT)

extern "C" __global__ void load_16x32bx2(uint32_t* out) {
  __shared__ uint32_t word;
  tensor_columns t(&word, 64);
  _Pragma("unroll 1") for (uint32_t c = 0; c < 64; ++c) store_cell(t.first + c, 1000 * threadIdx.x + c);
  __syncthreads();
  uint32_t r[4];
  asm volatile("tcgen05.ld.sync.aligned.16x32bx2.x4.b32 {" FOUR "}, [%4], 16;" : IN_FOUR : "r"(own_lanes(t.first)));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  for (uint32_t k = 0; k < 4; ++k) out[threadIdx.x / 32 * 128 + 32 * k + threadIdx.x % 32] = r[k];
  t.release();
}

// D has `columns` columns. Before the product, its cells are thread + 0.25 * column. If `adds` is 0, D is not added.
#define PRODUCT(name, instruction, a_type, a_operand, before)                                                      \
  extern "C" __global__ void name(const uint4* image, uint32_t bytes, uint64_t a, uint64_t b, uint32_t type,       \
                                  uint32_t adds, uint32_t columns, uint32_t* out) {                                \
    __shared__ uint32_t word;                                                                                      \
    __shared__ uint64_t barrier;                                                                                   \
    make_barrier(&barrier);                                                                                        \
    tensor_columns t(&word, 512);                                                                                  \
    const uint32_t base = fill_shared(image, bytes);                                                               \
    _Pragma("unroll 1") for (uint32_t c = 0; c < columns; ++c) store_cell(t.first + c, __float_as_uint(threadIdx.x + 0.25f * c));      \
    before;                                                                                                        \
    asm volatile("fence.proxy.async;");                                                                            \
    __syncthreads();                                                                                               \
    if (threadIdx.x == 0)                                                                                          \
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; " instruction " }" ::"r"(t.first), a_type(a_operand),    \
                   "l"(placed(b, base)), "r"(type), "r"(adds), "r"(t.first + 256), "r"(t.first + 320)              \
                   : "memory");                                                                                    \
    commit_and_wait(&barrier);                                                                                     \
    _Pragma("unroll 1") for (uint32_t c = 0; c < columns; ++c) out[threadIdx.x * columns + c] = load_cell(t.first + c);                \
    t.release();                                                                                                   \
  }
// A is in tensor memory, from column 256 on. Each lane has 32 bytes of the image.
#define LANES_OF_A                                                                                                   \
  for (uint32_t c = 0; c < 8; ++c)                                                                                   \
  store_cell(t.first + 256 + c, reinterpret_cast<const uint32_t*>(image)[(static_cast<uint32_t>(a) / 4) + threadIdx.x * 8 + c])
// The scales are in the image after `bytes` bytes. A's scales go to columns 256 to 259, B's scales to 320 to 327.
#define SCALES                                                                                                     \
  for (uint32_t c = 0; c < 12; ++c)                                                                                \
  store_cell(t.first + (c < 4 ? 256 + c : 316 + c), reinterpret_cast<const uint32_t*>(image)[bytes / 4 + threadIdx.x % 32 * 12 + c])

PRODUCT(product_f16, "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;", "l", placed(a, base), )
PRODUCT(product_f16_scaled, "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p, 2;", "l", placed(a, base), )
PRODUCT(product_f16_from_tensors, "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;", "r", t.first + 256,
        LANES_OF_A)
PRODUCT(product_f16_stationary, "tcgen05.mma.ws.cta_group::1.kind::f16 [%0], %1, %2, %3, p;", "l", placed(a, base), )
PRODUCT(product_tf32, "tcgen05.mma.cta_group::1.kind::tf32 [%0], %1, %2, %3, p;", "l", placed(a, base), )
PRODUCT(product_f8f6f4, "tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, p;", "l", placed(a, base), )
PRODUCT(product_i8, "tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %2, %3, p;", "l", placed(a, base), )
PRODUCT(product_mxf8f6f4, "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%0], %1, %2, %3, [%5], [%6], p;", "l",
        placed(a, base), SCALES)
PRODUCT(product_mxf4, "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%0], %1, %2, %3, [%5], [%6], p;",
        "l", placed(a, base), SCALES)
PRODUCT(product_mxf4nvf4,
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%5], [%6], p;", "l",
        placed(a, base), SCALES)

// tcgen05.cp copies to the columns from 0 on, which are zero before the copy. The kernel stores 8 columns of all lanes.
#define COPY(name, shape)                                                                                        \
  extern "C" __global__ void name(const uint4* image, uint32_t bytes, uint64_t from, uint32_t* out) {            \
    __shared__ uint32_t word;                                                                                    \
    __shared__ uint64_t barrier;                                                                                 \
    make_barrier(&barrier);                                                                                      \
    tensor_columns t(&word, 32);                                                                                 \
    const uint32_t base = fill_shared(image, bytes);                                                             \
    asm volatile("fence.proxy.async;");                                                                          \
    __syncthreads();                                                                                             \
    if (threadIdx.x == 0)                                                                                        \
      asm volatile("tcgen05.cp.cta_group::1." shape " [%0], %1;" ::"r"(t.first), "l"(placed(from, base)) : "memory"); \
    commit_and_wait(&barrier);                                                                                   \
    for (uint32_t c = 0; c < 8; ++c) out[threadIdx.x * 8 + c] = load_cell(t.first + c);                          \
    t.release();                                                                                                 \
  }
COPY(copy_128x256b, "128x256b")
COPY(copy_128x128b, "128x128b")
COPY(copy_4x256b, "4x256b")
COPY(copy_64x128b_02_13, "64x128b.warpx2::02_13")
COPY(copy_64x128b_01_23, "64x128b.warpx2::01_23")
COPY(copy_32x128b, "32x128b.warpx4")
COPY(copy_4_bits, "128x256b.b8x16.b4x16_p64")
COPY(copy_6_bits, "128x256b.b8x16.b6x16_p32")

// --- faults

extern "C" __global__ void loads_unallocated(uint32_t* out) {
  __shared__ uint32_t word;
  tensor_columns t(&word, 32);
  out[threadIdx.x] = load_cell(t.first + 32);
  t.release();
}
extern "C" __global__ void loads_lanes_of_others(uint32_t* out) {
  __shared__ uint32_t word;
  tensor_columns t(&word, 32);
  uint32_t x;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(x) : "r"(t.first + (32u << 16)));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  out[threadIdx.x] = x;
  t.release();
}

// An argument selects whether the address of the access to shared memory depends on tensor memory.
extern "C" __global__ void address_from_tensors(uint32_t* out, uint32_t depends) {
  __shared__ uint32_t word, table[128];
  tensor_columns t(&word, 32);
  store_cell(t.first, threadIdx.x * 8 % 128);
  const uint32_t x = load_cell(t.first);
  table[threadIdx.x] = x;
  __syncthreads();
  out[threadIdx.x] = table[depends != 0 ? x : threadIdx.x];
  t.release();
}
