// Reads of textures and accesses to surfaces by one warp, for the counters: filters at fractional coordinates, levels,
// cubes, layers, coordinates outside, stores to and reductions on surfaces. `texture_reads FILE EACH WORD...` writes
// the patterns of kinds that begin with a WORD, and launches each pattern once in 264 blocks.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

struct pattern {
  unsigned mask;
  float x[32], y[32], z[32];
};
using tex = cudaTextureObject_t;
using surf = cudaSurfaceObject_t;

#define USE(v) \
  if (__float_as_int(float((v))) == 0x12345) *sink = 1;
#define USE4(type, v)          \
  {                            \
    const type q = (v);        \
    USE(q.x + q.y + q.z + q.w) \
  }
#define EACH(name, body)                                                              \
  __global__ void name(const __grid_constant__ pattern p, tex t, surf s, int* sink) { \
    const unsigned lane = threadIdx.x;                                                \
    [[maybe_unused]] const float x = p.x[lane], y = p.y[lane], z = p.z[lane];         \
    [[maybe_unused]] const int i = int(x), j = int(y), k = int(z);                    \
    if (p.mask >> lane & 1) {                                                         \
      body                                                                            \
    }                                                                                 \
  }
EACH(fetch1, USE(tex1Dfetch<float>(t, i)))
EACH(one1, USE(tex1D<float>(t, x)))
EACH(two1, USE(tex2D<float>(t, x, y)))
EACH(two4, USE4(float4, tex2D<float4>(t, x, y)))
EACH(three1, USE(tex3D<float>(t, x, y, z)))
EACH(layer1, USE(tex2DLayered<float>(t, x, y, k)))
EACH(cube1, USE(texCubemap<float>(t, x - 32, y - 32, z * 8 - 32 + 0.5f)))
EACH(gather1, USE4(float4, tex2Dgather<float4>(t, x, y, 0)))
EACH(lod1, USE(tex2DLod<float>(t, x / 64, y / 64, z)))
EACH(lod4, USE4(float4, tex2DLod<float4>(t, x / 64, y / 64, z)))
EACH(norm1, USE(tex2D<float>(t, x / 64, y / 64)))
EACH(grad1, USE(tex2DGrad<float>(t, x / 64, y / 64, make_float2(z / 64, 0.01f), make_float2(0, 1.f / 64))))
__global__ void whole2(const __grid_constant__ pattern p, tex t, surf, int* sink) {
  const unsigned lane = threadIdx.x;
  if (p.mask >> lane & 1) {
    float a, b, c, d;
    asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(t), "r"(int(p.x[lane])), "r"(int(p.y[lane])));
    USE(a + b + c + d)
  }
}
EACH(sr_u8, USE(surf2Dread<unsigned char>(s, i, j, cudaBoundaryModeZero)))
EACH(sr_u16, USE(surf2Dread<unsigned short>(s, i * 2, j, cudaBoundaryModeZero)))
EACH(sr_f1, USE(surf2Dread<float>(s, i * 4, j, cudaBoundaryModeZero)))
EACH(sr_f2, const float2 v = surf2Dread<float2>(s, i * 8, j, cudaBoundaryModeZero); USE(v.x + v.y))
EACH(sr_f4, USE4(float4, surf2Dread<float4>(s, i * 16, j, cudaBoundaryModeZero)))
EACH(sw_u8, surf2Dwrite(static_cast<unsigned char>(lane), s, i, j, cudaBoundaryModeZero);)
EACH(sw_u16, surf2Dwrite(static_cast<unsigned short>(lane), s, i * 2, j, cudaBoundaryModeZero);)
EACH(sw_f1, surf2Dwrite(float(lane), s, i * 4, j, cudaBoundaryModeZero);)
EACH(sw_f2, surf2Dwrite(make_float2(lane, 1), s, i * 8, j, cudaBoundaryModeZero);)
EACH(sw_f4, surf2Dwrite(make_float4(lane, 1, 2, 3), s, i * 16, j, cudaBoundaryModeZero);)
EACH(s1r, USE(surf1Dread<float>(s, i * 4, cudaBoundaryModeZero)))
EACH(s1w, surf1Dwrite(float(lane), s, i * 4, cudaBoundaryModeZero);)
EACH(s3r, USE(surf3Dread<float>(s, i * 4, j, k, cudaBoundaryModeZero)))
EACH(s3w, surf3Dwrite(float(lane), s, i * 4, j, k, cudaBoundaryModeZero);)
EACH(slr, USE(surf2DLayeredread<float>(s, i * 4, j, k, cudaBoundaryModeZero)))
EACH(slw, surf2DLayeredwrite(float(lane), s, i * 4, j, k, cudaBoundaryModeZero);)
EACH(sp1, asm volatile("sust.p.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(i), "r"(j), "r"(lane));)
EACH(sp4, asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %3, %3, %3};" ::"l"(s), "r"(i), "r"(j), "r"(lane));)
EACH(sq_add, asm volatile("sured.b.2d.add.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(i * 4), "r"(j), "r"(lane));)
EACH(sq_add64,
     asm volatile("sured.b.2d.add.u64.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(i * 8), "r"(j), "l"(1ull * lane));)
EACH(sq_min, asm volatile("sured.b.2d.min.s32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(i * 4), "r"(j), "r"(lane));)
EACH(sq_p, asm volatile("sured.p.2d.add.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(i), "r"(j), "r"(lane));)

using function = void (*)(const pattern, tex, surf, int*);
enum shape { line, pitched, row, plane, volume, layers, cube, levels };
enum range { inside, fractions, outside };
struct kind {
  const char* name;
  function launch;
  shape at;
  int channels, bits;
  bool real, linear;
  range where;
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  int anisotropy = 0;
  bool between = false;
};
const auto border = cudaAddressModeBorder, clamp = cudaAddressModeClamp, wrap = cudaAddressModeWrap;
const kind kinds[] = {
    {"sr_u8", sr_u8, plane, 1, 8, false, false, inside},
    {"sr_u16", sr_u16, plane, 1, 16, false, false, inside},
    {"sr_f1", sr_f1, plane, 1, 32, true, false, outside},
    {"sr_f2", sr_f2, plane, 2, 32, true, false, inside},
    {"sr_f4", sr_f4, plane, 4, 32, true, false, inside},
    {"sw_u8", sw_u8, plane, 1, 8, false, false, inside},
    {"sw_u16", sw_u16, plane, 1, 16, false, false, inside},
    {"sw_f1", sw_f1, plane, 1, 32, true, false, outside},
    {"sw_f2", sw_f2, plane, 2, 32, true, false, inside},
    {"sw_f4", sw_f4, plane, 4, 32, true, false, inside},
    {"s1r", s1r, row, 1, 32, true, false, inside},
    {"s1w", s1w, row, 1, 32, true, false, inside},
    {"s3r", s3r, volume, 1, 32, true, false, inside},
    {"s3w", s3w, volume, 1, 32, true, false, inside},
    {"slr", slr, layers, 1, 32, true, false, inside},
    {"slw", slw, layers, 1, 32, true, false, inside},
    {"sp1", sp1, plane, 1, 32, false, false, inside},
    {"sp4", sp4, plane, 4, 8, false, false, inside},
    {"sq_add", sq_add, plane, 1, 32, false, false, inside},
    {"sq_add64", sq_add64, plane, 2, 32, false, false, inside},
    {"sq_min", sq_min, plane, 1, 32, false, false, inside},
    {"sq_p", sq_p, plane, 1, 32, false, false, inside},
    {"one_f1", one1, row, 1, 32, true, true, fractions},
    {"two_f1", two1, plane, 1, 32, true, true, fractions},
    {"two_u8", two1, plane, 1, 8, false, true, fractions},
    {"two_u8x4", two4, plane, 4, 8, false, true, fractions},
    {"two_u16x4", two4, plane, 4, 16, false, true, fractions},
    {"two_f4", two4, plane, 4, 32, true, true, fractions},
    {"three_f1", three1, volume, 1, 32, true, true, fractions},
    {"layer_f1", layer1, layers, 1, 32, true, true, fractions},
    {"pitch_f1", two1, pitched, 1, 32, true, true, fractions},
    {"pitch_u8x4", two4, pitched, 4, 8, false, true, fractions},
    {"pitch_f4", two4, pitched, 4, 32, true, true, fractions},
    {"clamp_f1", two1, plane, 1, 32, true, false, outside, clamp},
    {"clampl_f1", two1, plane, 1, 32, true, true, outside, clamp},
    {"border_f1", two1, plane, 1, 32, true, false, outside, border},
    {"borderl_f1", two1, plane, 1, 32, true, true, outside, border},
    {"wrap_f1", norm1, levels, 1, 32, true, true, fractions, wrap},
    {"fetch_f1", fetch1, line, 1, 32, true, false, outside},
    {"whole_f1", whole2, plane, 1, 32, true, false, outside},
    {"gather_f1", gather1, plane, 1, 32, true, true, fractions},
    {"level_f1", lod1, levels, 1, 32, true, false, fractions},
    {"levell_f1", lod1, levels, 1, 32, true, true, fractions},
    {"tri_f1", lod1, levels, 1, 32, true, true, fractions, clamp, 0, true},
    {"tri_f4", lod4, levels, 4, 32, true, true, fractions, clamp, 0, true},
    {"grad_f1", grad1, levels, 1, 32, true, true, fractions, clamp, 0, true},
    {"aniso_f1", grad1, levels, 1, 32, true, true, fractions, clamp, 8, true},
    {"cube_f1", cube1, cube, 1, 32, true, false, fractions},
    {"cubel_f1", cube1, cube, 1, 32, true, true, fractions},
};

std::mt19937 engine(20261127);
unsigned below(unsigned n) { return engine() % n; }
pattern make(int number, const kind& k) {
  pattern p{};
  p.mask = ~0u;
  const int w = 4 << below(3), sx = 1 << below(4), ox = below(4) ? 0 : below(30), oy = below(4) ? 0 : below(9);
  if (number >= 6 && below(3) == 0) p.mask = below(2) ? engine() : (1u << below(32)) - 1;
  const int form = number < 5 ? number : 3 + below(6);
  const float parts[] = {0, 0.25f, 0.5f, 0.75f, 0.998046875f};
  const float fx = parts[below(5)], fy = parts[below(5)], fz = parts[below(5)];
  const bool mixed = number >= 8 && below(2);
  for (int i = 0; i < 32; ++i) {
    int x = 0, y = 0, z = 0;
    switch (form) {
      case 0: x = i; break;
      case 1: y = i; break;
      case 2: x = i % 8, y = i / 8; break;
      case 3: x = i % w * sx + ox, y = i / w + oy; break;
      case 4: x = below(200), y = below(100), z = below(8); break;
      case 5: x = i % 4, y = i / 4 % 4, z = i / 16; break;
      case 6: x = below(32), y = below(8), z = below(2); break;
      case 7: x = i * 2, y = i / 8 * 3; break;
      default: x = i * sx % 200, y = i * sx / 200 + oy; break;
    }
    const int size = k.at == volume || k.at == layers || k.at == cube || k.at == levels ? 64 : 128;
    if (k.at == line) x += y * 64, y = z = 0;
    if (k.at == row) x = (x + y * 16) % 1000, y = z = 0;
    if (k.at != line && k.at != row) x %= size, y %= size;
    if (k.at == plane || k.at == pitched) z = 0;
    if (k.where == outside && number >= 2)
      x -= 7, y -= k.at == line ? 0 : 3, x += (i & 16 ? size - 12 : 0), y += k.at != line && i & 8 ? size - 4 : 0;
    p.x[i] = x, p.y[i] = y, p.z[i] = z;
    if (k.where == fractions) {
      p.x[i] += mixed ? parts[below(5)] : fx, p.y[i] += mixed ? parts[below(5)] : fy;
      if (k.at == volume) p.z[i] += mixed ? parts[below(5)] : fz;
      if (k.at == levels) p.z[i] = mixed ? below(16) / 4.f : fz * 4 + (number % 3);
    }
  }
  return p;
}
void check(cudaError_t e, int at) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\n", at, cudaGetErrorString(e));
  std::exit(1);
}
#define CHECK(x) check(x, __LINE__)

int main(int count, char** words) {
  std::FILE* out = std::fopen(words[1], "w");
  const int each = std::atoi(words[2]);
  int* sink;
  CHECK(cudaMalloc(&sink, 4));
  for (const kind& k : kinds) {
    bool wanted = count < 4;
    for (int i = 3; i < count; ++i) wanted |= !std::strncmp(k.name, words[i], std::strlen(words[i]));
    if (!wanted) continue;
    const auto b = [&](int n) { return k.channels > n ? k.bits : 0; };
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(
        b(0), b(1), b(2), b(3), k.real ? cudaChannelFormatKindFloat : cudaChannelFormatKindUnsigned);
    const size_t texel = k.bits / 8 * k.channels;
    const bool stores = k.name[0] == 's';
    cudaResourceDesc what{};
    size_t pitch = 0;
    void* memory;
    cudaArray_t array;
    cudaMipmappedArray_t mips;
    const unsigned flags =
        (stores ? cudaArraySurfaceLoadStore : 0) | (k.name[0] == 'g' && k.name[1] == 'a' ? cudaArrayTextureGather : 0);
    switch (k.at) {
      case line:
        CHECK(cudaMalloc(&memory, 1 << 20));
        what.resType = cudaResourceTypeLinear;
        what.res.linear.devPtr = memory;
        what.res.linear.desc = format;
        what.res.linear.sizeInBytes = 4096;
        break;
      case pitched:
        CHECK(cudaMallocPitch(&memory, &pitch, 128 * texel, 128));
        what.resType = cudaResourceTypePitch2D;
        what.res.pitch2D.devPtr = memory;
        what.res.pitch2D.desc = format;
        what.res.pitch2D.width = what.res.pitch2D.height = 128;
        what.res.pitch2D.pitchInBytes = pitch;
        break;
      case levels:
        CHECK(cudaMallocMipmappedArray(&mips, &format, cudaExtent{64, 64, 0}, 7, flags));
        what.resType = cudaResourceTypeMipmappedArray;
        what.res.mipmap.mipmap = mips;
        break;
      case volume:
      case layers:
        CHECK(
            cudaMalloc3DArray(&array, &format, cudaExtent{64, 64, 8}, flags | (k.at == layers ? cudaArrayLayered : 0)));
        break;
      case cube: CHECK(cudaMalloc3DArray(&array, &format, cudaExtent{64, 64, 6}, flags | cudaArrayCubemap)); break;
      case row: CHECK(cudaMallocArray(&array, &format, 1024, 0, flags)); break;
      case plane: CHECK(cudaMallocArray(&array, &format, 128, 128, flags)); break;
    }
    if (k.at >= row && k.at != levels) {
      what.resType = cudaResourceTypeArray;
      what.res.array.array = array;
    }
    cudaTextureDesc how{};
    how.filterMode = k.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapFilterMode = k.between ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = k.real ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = k.mode;
    how.normalizedCoords = k.at == levels;
    how.maxAnisotropy = k.anisotropy;
    how.maxMipmapLevelClamp = 6;
    tex t{};
    surf s{};
    if (stores)
      CHECK(cudaCreateSurfaceObject(&s, &what));
    else
      CHECK(cudaCreateTextureObject(&t, &what, &how, nullptr));
    for (int n = 0; n < each; ++n) {
      const pattern p = make(n, k);
      k.launch<<<264, 32>>>(p, t, s, sink);
      CHECK(cudaDeviceSynchronize());
      std::fprintf(out, "%s,%zu,%zu,0x%x,", k.name, texel, pitch, p.mask);
      for (int i = 0; i < 32; ++i) std::fprintf(out, "%s%g:%g:%g", i ? " " : "", p.x[i], p.y[i], p.z[i]);
      std::fprintf(out, "\n");
      std::fflush(out);
    }
  }
  std::fclose(out);
}
