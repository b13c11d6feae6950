// Forms of tcgen05 that few programs use: sparse A, .ashift, lanes that are not written, masks of zero columns,
// collector buffers, pairs of blocks, tcgen05.shift, large loads.
#include "forms.cuh"

FORM(sparse_f16, SPARSE("1", "f16", " [%0], %1, %2, [%8], %3, p;"))
FORM(sparse_tf32, SPARSE("1", "tf32", " [%0], %1, %2, [%8], %3, p;"))
FORM(sparse_f8f6f4, SPARSE("1", "f8f6f4", " [%0], %1, %2, [%8], %3, p;"))
FORM(sparse_i8, SPARSE("1", "i8", " [%0], %1, %2, [%8], %3, p;"))
FORM(sparse_mxf8f6f4, SPARSE("1", "mxf8f6f4.block_scale", " [%0], %1, %2, [%8], %3, [%6], [%7], p;"))
FORM(sparse_mxf4, SPARSE("1", "mxf4.block_scale.scale_vec::2X", " [%0], %1, %2, [%8], %3, [%6], [%7], p;"))
FORM(sparse_mxf4nvf4, SPARSE("1", "mxf4nvf4.block_scale.scale_vec::4X", " [%0], %1, %2, [%8], %3, [%6], [%7], p;"))
FORM(sparse_from_tensors, SPARSE("1", "f16", " [%0], [%5], %2, [%8], %3, p;"))
FORM(sparse_stationary, "tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%0], %1, %2, [%8], %3, p;")
PAIR(sparse_pair, SPARSE("2", "f16", " [%0], %1, %2, [%8], %3, p;"))

FORM(lanes_off, MMA("1", "f16", " [%0], %1, %2, %3, {%9, %10, %11, %12}, p;"))
PAIR(lanes_off_pair, MMA("2", "f16", " [%0], %1, %2, %3, {%9, %10, %11, %12, %13, %14, %15, %16}, p;"))
FORM(shifts_a, MMA("1", "f16", ".ashift [%0], [%5], %2, %3, p;"))
PAIR(shifts_a_pair, MMA("2", "f16", ".ashift [%0], [%5], %2, %3, p;"))
// Computes the same product several times, with a collector buffer for A and then for B.
FORM(collects_a, MMA("1", "f16", ".collector::a::fill [%0], %1, %2, %3, p;") MMA("1", "f16", ".collector::a::use [%0], %1, %2, %3, 1;")
     MMA("1", "f16", ".collector::a::lastuse [%0], %1, %2, %3, 1;") MMA("1", "f16", ".collector::a::discard [%0], %1, %2, %3, 1;"))
#define WS(rest) "tcgen05.mma.ws.cta_group::1.kind::f16" rest
FORM(collects_b, WS(".collector::b1::fill [%0], %1, %2, %3, p;") WS(".collector::b1::use [%0], %1, %2, %3, 1;")
     WS(".collector::b1::lastuse [%0], %1, %2, %3, 1;") WS(".collector::b3::discard [%0], %1, %2, %3, 1;"))
FORM(zero_columns, WS(" [%0], %1, %2, %3, p, %17;"))
PAIR(pair_f16, MMA("2", "f16", " [%0], %1, %2, %3, p;"))
PAIR(pair_mxf8f6f4, MMA("2", "mxf8f6f4.block_scale", " [%0], %1, %2, %3, [%6], [%7], p;"))
PAIR(pair_mxf4, MMA("2", "mxf4.block_scale.scale_vec::2X", " [%0], %1, %2, %3, [%6], [%7], p;"))
PAIR(pair_mxf4nvf4, MMA("2", "mxf4nvf4.block_scale.scale_vec::4X", " [%0], %1, %2, %3, [%6], [%7], p;"))

// tcgen05.shift of the table's first 8 columns; then forms of tcgen05.cp.
FORM(shifts, "tcgen05.shift.cta_group::1.down [%5];")
PAIR(shifts_pair, "tcgen05.shift.cta_group::2.down [%5];")
PAIR(copies_pair, "tcgen05.cp.cta_group::2.128x256b [%5], %1;")
FORM(copies_4_bits_to_all, "tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b4x16_p64 [%5], %1;")
FORM(copies_6_bits_to_pairs, "tcgen05.cp.cta_group::1.64x128b.warpx2::01_23.b8x16.b6x16_p32 [%5], %1;")

// A cell holds 1000 * lane + column. Register k of thread t goes to out[32 * k + t] of each warp.
#define R4(n) "=r"(r[n]), "=r"(r[n + 1]), "=r"(r[n + 2]), "=r"(r[n + 3])
#define R16(n) R4(n), R4(n + 4), R4(n + 8), R4(n + 12)
#define R128 R16(0), R16(16), R16(32), R16(48), R16(64), R16(80), R16(96), R16(112)
#define LARGE(name, shape)                                                                                           \
  extern "C" __global__ void name(uint32_t* out) {                                                                   \
    __shared__ uint32_t word;                                                                                        \
    tensor_columns t(&word, 512);                                                                                    \
    _Pragma("unroll 1") for (uint32_t c = 0; c < 512; ++c) store_cell(t.first + c, 1000 * threadIdx.x + c);          \
    __syncthreads();                                                                                                 \
    uint32_t r[128];                                                                                                 \
    asm volatile("tcgen05.ld.sync.aligned." shape : R128 : "r"(own_lanes(t.first)));                        \
    asm volatile("tcgen05.wait::ld.sync.aligned;");                                                                  \
    _Pragma("unroll") for (uint32_t k = 0; k < 128; ++k) out[threadIdx.x / 32 * 4096 + 32 * k + threadIdx.x % 32] = r[k]; \
    t.release();                                                                                                     \
  }
#define REGISTERS                                                                                                    \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, " \
  "%25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "  \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, "  \
  "%71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, "  \
  "%94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, "  \
  "%114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}"
LARGE(large_32x32b, "32x32b.x128.b32 " REGISTERS ", [%128];")
LARGE(large_32x32b_packed, "32x32b.x128.pack::16b.b32 " REGISTERS ", [%128];")
LARGE(large_16x64b, "16x64b.x128.b32 " REGISTERS ", [%128];")
LARGE(large_16x128b, "16x128b.x64.b32 " REGISTERS ", [%128];")
LARGE(large_16x256b, "16x256b.x32.b32 " REGISTERS ", [%128];")
LARGE(large_16x32bx2, "16x32bx2.x128.b32 " REGISTERS ", [%128], 256;")
LARGE(large_16x32bx2_packed, "16x32bx2.x128.pack::16b.b32 " REGISTERS ", [%128], 256;")

// tcgen05.st stores word k of thread t to a cell. Then each thread stores its lane's 64 columns to memory.
#define STORE(name, shape, count, operands, places)                                                                  \
  extern "C" __global__ void name(uint32_t* out) {                                                                   \
    __shared__ uint32_t word;                                                                                        \
    tensor_columns t(&word, 64);                                                                                     \
    _Pragma("unroll 1") for (uint32_t c = 0; c < 64; ++c) store_cell(t.first + c, 0);                                \
    uint32_t r[count];                                                                                               \
    for (uint32_t k = 0; k < count; ++k) r[k] = 0x10000 * (1000 + k) + threadIdx.x;                                  \
    asm volatile("tcgen05.st.sync.aligned." shape ".b32 " places ::operands, "r"(own_lanes(t.first)));               \
    asm volatile("tcgen05.wait::st.sync.aligned;");                                                                  \
    _Pragma("unroll 1") for (uint32_t c = 0; c < 64; ++c) out[threadIdx.x * 64 + c] = load_cell(t.first + c);        \
    t.release();                                                                                                     \
  }
#define FOUR_IN "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
STORE(store_16x64b, "16x64b.x4", 4, FOUR_IN, "[%4], {%0, %1, %2, %3};")
STORE(store_16x128b_unpacked, "16x128b.x2.unpack::16b", 4, FOUR_IN, "[%4], {%0, %1, %2, %3};")
STORE(store_16x256b, "16x256b.x1", 4, FOUR_IN, "[%4], {%0, %1, %2, %3};")
STORE(store_16x32bx2, "16x32bx2.x4", 4, FOUR_IN, "[%4], 16, {%0, %1, %2, %3};")
