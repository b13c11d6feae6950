// Products and conversions of floats of 4, 6 and 8 bits on sm_120a and sm_121a.
// tests/emulate/small_floats_kernel_test.cpp runs the kernels.

// The operands of a lane: four registers of A, four registers of B, the scales of A and of B, and metadata.
struct operands {
  unsigned a[4], b[4], a_scales, b_scales, metadata, unused;
};

#define DENSE(name, text, places)                                                                                      \
  extern "C" __global__ void name(const operands* in, float4* out) {                                                   \
    const operands o = in[threadIdx.x];                                                                                \
    float4 d;                                                                                                          \
    asm(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10}, {%11}, " places                       \
        : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w)                                                                   \
        : "r"(o.a[0]), "r"(o.a[1]), "r"(o.a[2]), "r"(o.a[3]), "r"(o.b[0]), "r"(o.b[1]), "f"(1.0f), "r"(o.a_scales),    \
          "r"(o.b_scales));                                                                                            \
    out[threadIdx.x] = d;                                                                                              \
  }
#define SPARSE(name, text, places)                                                                                     \
  extern "C" __global__ void name(const operands* in, float4* out) {                                                   \
    const operands o = in[threadIdx.x];                                                                                \
    float4 d;                                                                                                          \
    asm(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %12, %12, %12}, %15, 0, {%13}, " places     \
        : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w)                                                                   \
        : "r"(o.a[0]), "r"(o.a[1]), "r"(o.a[2]), "r"(o.a[3]), "r"(o.b[0]), "r"(o.b[1]), "r"(o.b[2]), "r"(o.b[3]),      \
          "f"(1.0f), "r"(o.a_scales), "r"(o.b_scales), "r"(o.metadata));                                               \
    out[threadIdx.x] = d;                                                                                              \
  }

DENSE(bytes, "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0",
      "{2, 1}, {%12}, {1, 3};")
DENSE(four_scales, "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
      "{0, 1}, {%12}, {0, 2};")
DENSE(two_scales, "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
      "{2, 0}, {%12}, {0, 1};")
SPARSE(sparse_bytes,
       "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e2m3.e5m2.f32"
       ".ue8m0",
       "{3, 0}, {%14}, {0, 0};")
SPARSE(sparse_nibbles,
       "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1"
       ".f32.ue4m3",
       "{0, 0}, {%14}, {0, 3};")

// Converts pairs of floats to every format, and numbers of every format to pairs of halves.
extern "C" __global__ void convert(const float2* in, unsigned* out) {
  const float2 v = in[threadIdx.x];
  unsigned* const to = out + 16 * threadIdx.x;
  unsigned short h;
  unsigned w, packed;
#define PACK(at, text)                                        \
  asm(text " %0, %1, %2;" : "=h"(h) : "f"(v.y), "f"(v.x)); \
  to[at] = h;
  PACK(0, "cvt.rn.satfinite.e2m3x2.f32")
  PACK(1, "cvt.rn.satfinite.e3m2x2.f32")
  PACK(2, "cvt.rn.satfinite.relu.e3m2x2.f32")
  PACK(3, "cvt.rz.ue8m0x2.f32")
  PACK(4, "cvt.rp.satfinite.ue8m0x2.f32")
  asm("{ .reg .b8 x, y; cvt.rn.satfinite.e2m1x2.f32 x, %1, %2; cvt.rn.satfinite.relu.e2m1x2.f32 y, %2, %1; "
      "mov.b32 %0, {x, y, x, y}; }"
      : "=r"(packed)
      : "f"(v.y), "f"(v.x));
  to[5] = packed;
#define UNPACK(at, text, from)                                             \
  asm(text " %0, %1;" : "=r"(w) : "h"(static_cast<unsigned short>(from))); \
  to[at] = w;
  UNPACK(6, "cvt.rn.f16x2.e2m3x2", to[0])
  UNPACK(7, "cvt.rn.f16x2.e3m2x2", to[1])
  UNPACK(8, "cvt.rn.bf16x2.ue8m0x2", to[3])
  asm("cvt.rp.ue8m0x2.bf16x2 %0, %1;" : "=h"(h) : "r"(w));
  to[9] = h;
  unsigned r[4];
  asm("{ .reg .b8 x, y, z, t; mov.b32 {x, y, z, t}, %4; cvt.rn.f16x2.e2m1x2 %0, x; cvt.rn.f16x2.e2m1x2 %1, y; "
      "cvt.rn.f16x2.e2m1x2 %2, z; cvt.rn.f16x2.e2m1x2 %3, t; }"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(packed ^ 0x80000));
  for (unsigned n = 0; n < 4; ++n) to[10 + n] = r[n];
}
