// A kernel for each way to read a texture. `in` has eight words a thread: coordinates, layer, level or derivatives.
#pragma nv_diag_suppress 177, 550
#define FETCH(name, coordinates, text, ...)                                                                            \
  extern "C" __global__ void name(unsigned long long from, const float* in, uint4* out, int threads) {                 \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= threads) return;                                                                                          \
    const float* c = in + 8 * i;                                                                                       \
    const int* n = reinterpret_cast<const int*>(c);                                                                    \
    uint4 r;                                                                                                           \
    asm volatile(text : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(from) __VA_ARGS__);                              \
    out[i] = r;                                                                                                        \
  }
#define D "{%0, %1, %2, %3}, [%4, "
#define F(i) , "f"(c[i])
#define I(i) , "r"(n[i])

FETCH(tex_1d, 1, "tex.1d.v4.u32.f32 " D "{%5}];", F(0))
FETCH(tex_2d, 2, "tex.2d.v4.u32.f32 " D "{%5, %6}];", F(0) F(1))
FETCH(tex_3d, 3, "tex.3d.v4.u32.f32 " D "{%5, %6, %7, %7}];", F(0) F(1) F(2))
FETCH(tex_a1d, 2, "tex.a1d.v4.u32.f32 " D "{%5, %6}];", I(2) F(0))
FETCH(tex_a2d, 3, "tex.a2d.v4.u32.f32 " D "{%5, %6, %7, %7}];", I(2) F(0) F(1))
FETCH(tex_cube, 3, "tex.cube.v4.u32.f32 " D "{%5, %6, %7, %7}];", F(0) F(1) F(2))
FETCH(tex_acube, 4, "tex.acube.v4.u32.f32 " D "{%5, %6, %7, %8}];", I(3) F(0) F(1) F(2))
FETCH(lod_1d, 2, "tex.level.1d.v4.u32.f32 " D "{%5}], %6;", F(0) F(4))
FETCH(lod_2d, 3, "tex.level.2d.v4.u32.f32 " D "{%5, %6}], %7;", F(0) F(1) F(4))
FETCH(lod_3d, 4, "tex.level.3d.v4.u32.f32 " D "{%5, %6, %7, %7}], %8;", F(0) F(1) F(2) F(4))
FETCH(lod_a1d, 3, "tex.level.a1d.v4.u32.f32 " D "{%5, %6}], %7;", I(2) F(0) F(4))
FETCH(lod_a2d, 4, "tex.level.a2d.v4.u32.f32 " D "{%5, %6, %7, %7}], %8;", I(2) F(0) F(1) F(4))
FETCH(lod_cube, 4, "tex.level.cube.v4.u32.f32 " D "{%5, %6, %7, %7}], %8;", F(0) F(1) F(2) F(4))
FETCH(lod_acube, 5, "tex.level.acube.v4.u32.f32 " D "{%5, %6, %7, %8}], %9;", I(3) F(0) F(1) F(2) F(4))
FETCH(grad_1d, 3, "tex.grad.1d.v4.u32.f32 " D "{%5}], {%6}, {%7};", F(0) F(4) F(5))
FETCH(grad_2d, 6, "tex.grad.2d.v4.u32.f32 " D "{%5, %6}], {%7, %8}, {%9, %10};", F(0) F(1) F(4) F(5) F(6) F(7))
FETCH(grad_3d, 8, "tex.grad.3d.v4.u32.f32 " D "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %8, %8};",
      F(0) F(1) F(2) F(4) F(5) F(3) F(6) F(7))
FETCH(grad_a1d, 4, "tex.grad.a1d.v4.u32.f32 " D "{%5, %6}], {%7}, {%8};", I(2) F(0) F(4) F(5))
FETCH(grad_a2d, 7, "tex.grad.a2d.v4.u32.f32 " D "{%5, %6, %7, %7}], {%8, %9}, {%10, %11};",
      I(2) F(0) F(1) F(4) F(5) F(6) F(7))
FETCH(fetch_1d, 1, "tex.1d.v4.u32.s32 " D "{%5}];", I(0))
FETCH(fetch_2d, 2, "tex.2d.v4.u32.s32 " D "{%5, %6}];", I(0) I(1))
FETCH(fetch_3d, 3, "tex.3d.v4.u32.s32 " D "{%5, %6, %7, %7}];", I(0) I(1) I(2))
FETCH(fetch_a1d, 2, "tex.a1d.v4.u32.s32 " D "{%5, %6}];", I(2) I(0))
FETCH(fetch_a2d, 3, "tex.a2d.v4.u32.s32 " D "{%5, %6, %7, %7}];", I(2) I(0) I(1))
FETCH(fetch_lod_1d, 2, "tex.level.1d.v4.u32.s32 " D "{%5}], %6;", I(0) I(4))
FETCH(fetch_lod_2d, 3, "tex.level.2d.v4.u32.s32 " D "{%5, %6}], %7;", I(0) I(1) I(4))
FETCH(fetch_lod_3d, 4, "tex.level.3d.v4.u32.s32 " D "{%5, %6, %7, %7}], %8;", I(0) I(1) I(2) I(4))
FETCH(gather_r, 2, "tld4.r.2d.v4.u32.f32 " D "{%5, %6}];", F(0) F(1))
FETCH(gather_g, 2, "tld4.g.2d.v4.u32.f32 " D "{%5, %6}];", F(0) F(1))
FETCH(gather_b, 2, "tld4.b.2d.v4.u32.f32 " D "{%5, %6}];", F(0) F(1))
FETCH(gather_a, 2, "tld4.a.2d.v4.u32.f32 " D "{%5, %6}];", F(0) F(1))
FETCH(offset_2d, 2, "tex.2d.v4.u32.f32 " D "{%5, %6}], {%7, %8};", F(0) F(1) I(4) I(5))
FETCH(offset_1d, 2, "tex.1d.v4.u32.f32 " D "{%5}], {%6};", F(0) I(4))
FETCH(offset_3d, 2, "tex.3d.v4.u32.f32 " D "{%5, %6, %7, %7}], {%8, %9, %10, %10};", F(0) F(1) F(2) I(4) I(5) I(6))
FETCH(offset_fetch_2d, 2, "tex.2d.v4.u32.s32 " D "{%5, %6}], {%7, %8};", I(0) I(1) I(4) I(5))
FETCH(offset_lod_2d, 2, "tex.level.2d.v4.u32.f32 " D "{%5, %6}], %9, {%7, %8};", F(0) F(1) I(4) I(5) F(6))
FETCH(offset_gather, 2, "tld4.g.2d.v4.u32.f32 " D "{%5, %6}], {%7, %8};", F(0) F(1) I(4) I(5))

// Accesses a surface by the position in bytes, the row and the slice.
#define READ(name, text, ...) FETCH(name, 0, text, __VA_ARGS__)
#define SURFACE(mode)                                                                                                  \
  READ(read_1d_##mode, "suld.b.1d.v4.b32." #mode " " D "{%5}];", I(0))                                                 \
  READ(read_2d_##mode, "suld.b.2d.v4.b32." #mode " " D "{%5, %6}];", I(0) I(1))                                        \
  READ(read_3d_##mode, "suld.b.3d.v4.b32." #mode " " D "{%5, %6, %7, %7}];", I(0) I(1) I(2))                           \
  READ(read_a1d_##mode, "suld.b.a1d.v4.b32." #mode " " D "{%5, %6}];", I(2) I(0))                                      \
  READ(read_a2d_##mode, "suld.b.a2d.v4.b32." #mode " " D "{%5, %6, %7, %7}];", I(2) I(0) I(1))                         \
  WRITE(write_1d_##mode, "sust.b.1d.v4.b32." #mode " [%0, {%5}], {%1, %2, %3, %4};", I(0))                             \
  WRITE(write_2d_##mode, "sust.b.2d.v4.b32." #mode " [%0, {%5, %6}], {%1, %2, %3, %4};", I(0) I(1))                    \
  WRITE(write_3d_##mode, "sust.b.3d.v4.b32." #mode " [%0, {%5, %6, %7, %7}], {%1, %2, %3, %4};", I(0) I(1) I(2))       \
  WRITE(write_a2d_##mode, "sust.b.a2d.v4.b32." #mode " [%0, {%5, %6, %7, %7}], {%1, %2, %3, %4};", I(2) I(0) I(1))
#define WRITE(name, text, ...)                                                                                         \
  extern "C" __global__ void name(unsigned long long to, const float* in, uint4* out, int threads) {                   \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= threads) return;                                                                                          \
    const int* n = reinterpret_cast<const int*>(in + 8 * i);                                                           \
    asm volatile(text ::"l"(to), "r"(n[3]), "r"(n[4]), "r"(n[5]), "r"(n[6]) __VA_ARGS__ : "memory");                      \
  }
SURFACE(zero)
SURFACE(clamp)
WRITE(format_2d, "sust.p.2d.v4.b32.zero [%0, {%5, %6}], {%1, %2, %3, %4};", I(0) I(1))
WRITE(format_trap_2d, "sust.p.2d.b32.trap [%0, {%5, %6}], {%1};", I(0) I(1))
#define WIDTH(letter, type, width)                                                                                     \
  extern "C" __global__ void read_##width(unsigned long long from, const float* in, uint4* out, int threads) {         \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= threads) return;                                                                                          \
    const int* n = reinterpret_cast<const int*>(in + 8 * i);                                                           \
    type r;                                                                                                            \
    asm volatile("suld.b.2d." #width ".zero %0, [%1, {%2, %3}];" : "=" letter(r) : "l"(from) I(0) I(1));               \
    out[i] = make_uint4(r, 0, 0, 0);                                                                                   \
  }                                                                                                                    \
  extern "C" __global__ void write_##width(unsigned long long to, const float* in, uint4* out, int threads) {          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= threads) return;                                                                                          \
    const int* n = reinterpret_cast<const int*>(in + 8 * i);                                                           \
    asm volatile("sust.b.2d." #width ".zero [%0, {%2, %3}], %1;" ::"l"(to), letter((type)n[3]) I(0) I(1) : "memory");  \
  }
WIDTH("h", unsigned short, b8)
WIDTH("h", unsigned short, b16)
WIDTH("r", unsigned, b32)
WIDTH("l", unsigned long long, b64)
#define REDUCE(op, type) REDUCE_FROM(op, type, "r"(n[3]))
#define REDUCE_FROM(op, type, value)                                                                                   \
  extern "C" __global__ void reduce_##op##_##type(unsigned long long to, const float* in, uint4* out, int threads) {   \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= threads) return;                                                                                          \
    const int* n = reinterpret_cast<const int*>(in + 8 * i);                                                           \
    asm volatile("sured.b." #op ".2d." #type ".zero [%0, {%2, %3}], %1;" ::"l"(to), value I(0) I(1) : "memory");   \
  }
REDUCE(add, u32)
REDUCE(min, u32)
REDUCE(max, s32)
REDUCE(min, s32)
REDUCE(or, b32)
REDUCE(and, b32)
REDUCE_FROM(add, u64, "l"((unsigned long long)n[4] << 32 | (unsigned)n[3]))
#define REDUCE_FORMAT(op)                                                                                              \
  extern "C" __global__ void reduce_format_##op(unsigned long long to, const float* in, uint4* out, int threads) {     \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= threads) return;                                                                                          \
    const int* n = reinterpret_cast<const int*>(in + 8 * i);                                                           \
    asm volatile("sured.p." #op ".2d.b32.zero [%0, {%2, %3}], %1;" ::"l"(to), "r"(n[3]) I(0) I(1) : "memory");          \
  }
REDUCE_FORMAT(add)
REDUCE_FORMAT(max)

// Stores the properties that an object reports.
#define QUERY(name, text, ...)                                                                                         \
  extern "C" __global__ void name(unsigned long long from, const float* in, uint4* out, int threads) {                 \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    if (i >= threads) return;                                                                                          \
    const int* n = reinterpret_cast<const int*>(in + 8 * i);                                                           \
    uint4 r = make_uint4(0, 0, 0, 0);                                                                                  \
    asm volatile(text : "=r"(r.x), "=r"(r.y), "=r"(r.z) : "l"(from), "r"(i % 12 - 2));                                  \
    out[i] = r;                                                                                                        \
  }
QUERY(query, "txq.width.b32 %0, [%3]; txq.height.b32 %1, [%3]; txq.depth.b32 %2, [%3];")
QUERY(query_level, "txq.level.width.b32 %0, [%3], %4; txq.level.height.b32 %1, [%3], %4; txq.level.depth.b32 %2, [%3], %4;")
QUERY(query_surface, "suq.width.b32 %0, [%3]; suq.height.b32 %1, [%3]; suq.depth.b32 %2, [%3];")
