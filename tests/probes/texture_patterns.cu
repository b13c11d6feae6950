// Reads and writes of one warp through textures and surfaces, for the counters: coordinates for each lane, a mask, a
// kind of instruction. `texture_patterns FILE` writes the patterns, and launches each pattern once in 264 blocks.
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

struct pattern {
  unsigned mask;
  short x[32], y[32], z[32];
};
using tex = cudaTextureObject_t;
using surf = cudaSurfaceObject_t;

#define USE(v) \
  if (__float_as_int(float((v))) == 0x12345) *sink = 1;
#define EACH(name, body)                                                              \
  __global__ void name(const __grid_constant__ pattern p, tex t, surf s, int* sink) { \
    const unsigned lane = threadIdx.x;                                                \
    const int x = p.x[lane], y = p.y[lane], z = p.z[lane];                            \
    if (p.mask >> lane & 1) {                                                         \
      body                                                                            \
    }                                                                                 \
  }

EACH(fetch_u8, USE(tex1Dfetch<unsigned char>(t, x)))
EACH(fetch_f1, USE(tex1Dfetch<float>(t, x)))
EACH(fetch_f2, const float2 v = tex1Dfetch<float2>(t, x); USE(v.x + v.y))
EACH(fetch_f4, const float4 v = tex1Dfetch<float4>(t, x); USE(v.x + v.y + v.z + v.w))
EACH(tex1_f1, USE(tex1D<float>(t, x + 0.5f)))
EACH(tex2_u8, USE(tex2D<unsigned char>(t, x + 0.5f, y + 0.5f)))
EACH(tex2_u16, USE(tex2D<unsigned short>(t, x + 0.5f, y + 0.5f)))
EACH(tex2_f1, USE(tex2D<float>(t, x + 0.5f, y + 0.5f)))
EACH(tex2_f2, const float2 v = tex2D<float2>(t, x + 0.5f, y + 0.5f); USE(v.x + v.y))
EACH(tex2_f4, const float4 v = tex2D<float4>(t, x + 0.5f, y + 0.5f); USE(v.x + v.y + v.z + v.w))
EACH(tex2_half, USE(tex2D<float>(t, x + 1.0f, y + 1.0f)))
EACH(gather_f1, const float4 v = tex2Dgather<float4>(t, x + 1.0f, y + 1.0f, 0); USE(v.x + v.y + v.z + v.w))
EACH(tex3_f1, USE(tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f)))
EACH(layer_f1, USE(tex2DLayered<float>(t, x + 0.5f, y + 0.5f, z)))
EACH(sread_u8, USE(surf2Dread<unsigned char>(s, x, y, cudaBoundaryModeClamp)))
EACH(sread_f1, USE(surf2Dread<float>(s, x * 4, y, cudaBoundaryModeClamp)))
EACH(sread_f2, const float2 v = surf2Dread<float2>(s, x * 8, y, cudaBoundaryModeClamp); USE(v.x + v.y))
EACH(sread_f4, const float4 v = surf2Dread<float4>(s, x * 16, y, cudaBoundaryModeClamp); USE(v.x + v.y + v.z + v.w))
EACH(swrite_u8, surf2Dwrite(static_cast<unsigned char>(lane), s, x, y, cudaBoundaryModeClamp);)
EACH(swrite_f1, surf2Dwrite(float(lane), s, x * 4, y, cudaBoundaryModeClamp);)
EACH(swrite_f2, surf2Dwrite(make_float2(lane, 1), s, x * 8, y, cudaBoundaryModeClamp);)
EACH(swrite_f4, surf2Dwrite(make_float4(lane, 1, 2, 3), s, x * 16, y, cudaBoundaryModeClamp);)
EACH(sread3_f1, USE(surf3Dread<float>(s, x * 4, y, z)))
EACH(swrite3_f1, surf3Dwrite(float(lane), s, x * 4, y, z, cudaBoundaryModeClamp);)
EACH(sred_f1, asm volatile("sured.b.2d.add.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x * 4), "r"(y), "r"(lane));)

using function = void (*)(const pattern, tex, surf, int*);
enum where { line, pitched, row, plane, cube, layers };
struct kind {
  const char* name;
  function launch;
  where at;
  int channels, bits;
  bool real, linear;
};
const kind kinds[] = {
    {"fetch_u8", fetch_u8, line, 1, 8, false, false},     {"fetch_f1", fetch_f1, line, 1, 32, true, false},
    {"fetch_f2", fetch_f2, line, 2, 32, true, false},     {"fetch_f4", fetch_f4, line, 4, 32, true, false},
    {"tex1_f1", tex1_f1, row, 1, 32, true, false},        {"pitch_f1", tex2_f1, pitched, 1, 32, true, false},
    {"pitch_f4", tex2_f4, pitched, 4, 32, true, false},   {"pitch_lin_f1", tex2_half, pitched, 1, 32, true, true},
    {"pitch_u8", tex2_u8, pitched, 1, 8, false, false},   {"tex2_u8", tex2_u8, plane, 1, 8, false, false},
    {"tex2_u16", tex2_u16, plane, 1, 16, false, false},   {"tex2_f1", tex2_f1, plane, 1, 32, true, false},
    {"tex2_f2", tex2_f2, plane, 2, 32, true, false},      {"tex2_f4", tex2_f4, plane, 4, 32, true, false},
    {"tex2_lin_f1", tex2_half, plane, 1, 32, true, true}, {"gather_f1", gather_f1, plane, 1, 32, true, true},
    {"tex3_f1", tex3_f1, cube, 1, 32, true, false},       {"layer_f1", layer_f1, layers, 1, 32, true, false},
    {"sread_u8", sread_u8, plane, 1, 8, false, false},    {"sread_f1", sread_f1, plane, 1, 32, true, false},
    {"sread_f2", sread_f2, plane, 2, 32, true, false},    {"sread_f4", sread_f4, plane, 4, 32, true, false},
    {"swrite_u8", swrite_u8, plane, 1, 8, false, false},  {"swrite_f1", swrite_f1, plane, 1, 32, true, false},
    {"swrite_f2", swrite_f2, plane, 2, 32, true, false},  {"swrite_f4", swrite_f4, plane, 4, 32, true, false},
    {"sread3_f1", sread3_f1, cube, 1, 32, true, false},   {"swrite3_f1", swrite3_f1, cube, 1, 32, true, false},
    {"sred_u32", sred_f1, plane, 1, 32, false, false}};

std::mt19937 engine(20261126);
unsigned below(unsigned n) { return engine() % n; }
pattern make(int number, const kind& k) {
  pattern p{};
  p.mask = ~0u;
  const int w = 4 << below(3), sx = 1 << below(5), ox = below(4) ? 0 : below(40), oy = below(4) ? 0 : below(9);
  if (number >= 8 && below(4) == 0) p.mask = below(2) ? engine() : (1u << below(32)) - 1;
  const int form = number < 8 ? number : 4 + below(6);
  for (int i = 0; i < 32; ++i) {
    int x = 0, y = 0, z = 0;
    switch (form) {
      case 0: x = i; break;
      case 1: y = i; break;
      case 2: x = i % 8, y = i / 8; break;
      case 3: x = i * 2; break;
      case 4: x = i % w * sx + ox, y = i / w + oy; break;
      case 5: x = below(200), y = below(100), z = below(8); break;
      case 6: x = ox, y = oy; break;
      case 7: x = i % 4, y = i / 4 % 4, z = i / 16; break;
      case 8: x = below(32), y = below(8); break;
      default: x = i * sx % 200, y = i * sx / 200 + oy; break;
    }
    if (k.at == line) x += y * 64, y = z = 0;
    if (k.at == row) x = (x + y * 16) % 1000, y = z = 0;
    if (k.at == plane || k.at == pitched) x %= 256, y %= 256, z = 0;
    if (k.at == cube || k.at == layers) x %= 64, y %= 64, z %= 8;
    p.x[i] = x, p.y[i] = y, p.z[i] = z;
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
  std::FILE* out = std::fopen(count > 1 ? words[1] : "texture_patterns.csv", "w");
  const int each = count > 2 ? std::atoi(words[2]) : 24;
  int* sink;
  CHECK(cudaMalloc(&sink, 4));
  for (const kind& k : kinds) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(
        k.bits, k.channels > 1 ? k.bits : 0, k.channels > 2 ? k.bits : 0, k.channels > 3 ? k.bits : 0,
        k.real ? cudaChannelFormatKindFloat : cudaChannelFormatKindUnsigned);
    const size_t texel = k.bits / 8 * k.channels;
    cudaResourceDesc what{};
    size_t pitch = 0;
    if (k.at == line || k.at == pitched) {
      void* memory;
      if (k.at == line) {
        CHECK(cudaMalloc(&memory, 1 << 20));
        what.resType = cudaResourceTypeLinear;
        what.res.linear.devPtr = memory;
        what.res.linear.desc = format;
        what.res.linear.sizeInBytes = 1 << 20;
      } else {
        CHECK(cudaMallocPitch(&memory, &pitch, 256 * texel, 256));
        what.resType = cudaResourceTypePitch2D;
        what.res.pitch2D.devPtr = memory;
        what.res.pitch2D.desc = format;
        what.res.pitch2D.width = what.res.pitch2D.height = 256;
        what.res.pitch2D.pitchInBytes = pitch;
      }
    } else {
      cudaArray_t array;
      const bool stores = k.name[0] == 's';
      if (k.at == cube || k.at == layers)
        CHECK(cudaMalloc3DArray(&array, &format, cudaExtent{64, 64, 8},
                                (k.at == layers ? cudaArrayLayered : 0) | (stores ? cudaArraySurfaceLoadStore : 0)));
      else
        CHECK(cudaMallocArray(
            &array, &format, k.at == row ? 1024 : 256, k.at == row ? 0 : 256,
            (stores ? cudaArraySurfaceLoadStore : 0) | (k.name[0] == 'g' ? cudaArrayTextureGather : 0)));
      what.resType = cudaResourceTypeArray;
      what.res.array.array = array;
    }
    cudaTextureDesc how{};
    how.filterMode = k.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    tex t{};
    surf s{};
    if (k.name[0] == 's')
      CHECK(cudaCreateSurfaceObject(&s, &what));
    else
      CHECK(cudaCreateTextureObject(&t, &what, &how, nullptr));
    for (int n = 0; n < each; ++n) {
      const pattern p = make(n, k);
      k.launch<<<264, 32>>>(p, t, s, sink);
      CHECK(cudaDeviceSynchronize());
      std::fprintf(out, "%s,%zu,%zu,0x%x,", k.name, texel, pitch, p.mask);
      for (int i = 0; i < 32; ++i) std::fprintf(out, "%s%d:%d:%d", i ? " " : "", p.x[i], p.y[i], p.z[i]);
      std::fprintf(out, "\n");
    }
  }
  std::fclose(out);
}
