// Accesses of one warp to global and local memory, for the counters and the source page of Nsight Compute. A pattern is
// a byte offset for each lane, a mask and a kind of instruction. `global_patterns FILE` writes the patterns. Each
// pattern is launched twice: alone in kernel `once`, for the counters, and as one of 32 accesses in kernel `row`, where
// each instruction has its own line of the source page.
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

struct pattern {
  unsigned mask;
  unsigned offset[32];
};
constexpr int in_row = 32;
__constant__ pattern table[in_row];

// The columns are the name, the bytes that each lane accesses, and the PTX code of the operation.
#define KINDS(X)                                                                                                                                                         \
  X(ld8, 1, "{ .reg .u16 x; @p ld.volatile.global.u8 x, [%1]; }")                                                                                                        \
  X(ld16, 2, "{ .reg .u16 x; @p ld.volatile.global.u16 x, [%1]; }")                                                                                                      \
  X(ld32, 4, "{ .reg .u32 x; @p ld.volatile.global.u32 x, [%1]; }")                                                                                                      \
  X(ld64, 8, "{ .reg .u32 x, y; @p ld.volatile.global.v2.u32 {x, y}, [%1]; }")                                                                                           \
  X(ld128, 16, "{ .reg .u32 x, y, z, w; @p ld.volatile.global.v4.u32 {x, y, z, w}, [%1]; }")                                                                             \
  X(ldca32, 4, "{ .reg .u32 x; mov.u32 x, 0; @p ld.global.ca.u32 x, [%1]; st.shared.u32 [%3], x; }")                                                                     \
  X(ldcg64, 8,                                                                                                                                                           \
    "{ .reg .u32 x, y; mov.u32 x, 0; mov.u32 y, 0; @p ld.global.cg.v2.u32 {x, y}, [%1]; st.shared.v2.u32 [%3], {x, y}; }")                                               \
  X(ldnc32, 4, "{ .reg .u32 x; mov.u32 x, 0; @p ld.global.nc.u32 x, [%1]; st.shared.u32 [%3], x; }")                                                                     \
  X(ldnc128, 16,                                                                                                                                                         \
    "{ .reg .u32 x, y, z, w; mov.u32 x, 0; mov.u32 y, 0; mov.u32 z, 0; mov.u32 w, 0; @p ld.global.nc.v4.u32 {x, y, z, w}, [%1]; st.shared.v4.u32 [%3], {x, y, z, w}; }") \
  X(generic32, 4, "{ .reg .u32 x; @p ld.volatile.u32 x, [%1]; }")                                                                                                        \
  X(generic_st64, 8, "@p st.volatile.v2.u32 [%1], {%2, %2};")                                                                                                            \
  X(st8, 1, "{ .reg .u16 x; cvt.u16.u32 x, %2; @p st.volatile.global.u8 [%1], x; }")                                                                                     \
  X(st16, 2, "{ .reg .u16 x; cvt.u16.u32 x, %2; @p st.volatile.global.u16 [%1], x; }")                                                                                   \
  X(st32, 4, "@p st.volatile.global.u32 [%1], %2;")                                                                                                                      \
  X(st64, 8, "@p st.volatile.global.v2.u32 [%1], {%2, %2};")                                                                                                             \
  X(st128, 16, "@p st.volatile.global.v4.u32 [%1], {%2, %2, %2, %2};")                                                                                                   \
  X(atom32, 4, "{ .reg .u32 x; @p atom.global.exch.b32 x, [%1], %2; }")                                                                                                  \
  X(atom_add32, 4, "{ .reg .u32 x; mov.u32 x, 0; @p atom.global.add.u32 x, [%1], %2; st.shared.u32 [%3], x; }")                                                          \
  X(cas32, 4, "{ .reg .u32 x; @p atom.global.cas.b32 x, [%1], %2, %2; }")                                                                                                \
  X(cas64, 8, "{ .reg .u64 x, y; cvt.u64.u32 y, %2; @p atom.global.cas.b64 x, [%1], y, y; }")                                                                            \
  X(red32, 4, "@p red.global.add.u32 [%1], %2;")                                                                                                                         \
  X(red64, 8, "{ .reg .u64 y; cvt.u64.u32 y, %2; @p red.global.add.u64 [%1], y; }")                                                                                      \
  X(redf32, 4, "{ .reg .f32 y; mov.b32 y, %2; @p red.global.add.f32 [%1], y; }")                                                                                         \
  X(redf64, 8, "{ .reg .f64 y; cvt.rn.f64.u32 y, %2; @p red.global.add.f64 [%1], y; }")                                                                                  \
  X(redh2, 4, "@p red.global.add.noftz.f16x2 [%1], %2;")                                                                                                                 \
  X(redv4, 16, "{ .reg .f32 y; mov.b32 y, %2; @p red.global.add.v4.f32 [%1], {y, y, y, y}; }")                                                                           \
  X(cp4, 4, "@p cp.async.ca.shared.global [%3], [%1], 4;")                                                                                                               \
  X(cp8, 8, "@p cp.async.ca.shared.global [%3], [%1], 8;")                                                                                                               \
  X(cp16, 16, "@p cp.async.ca.shared.global [%3], [%1], 16;")                                                                                                            \
  X(cpg16, 16, "@p cp.async.cg.shared.global [%3], [%1], 16;")                                                                                                           \
  X(cpg16_part, 16, "@p cp.async.cg.shared.global [%3], [%1], 16, 8;")

enum kind {
#define KIND(name, ...) k_##name,
  KINDS(KIND)
#undef KIND
      kinds
};
const char* const names[] = {
#define KIND(name, ...) #name,
    KINDS(KIND)
#undef KIND
};
const unsigned widths[] = {
#define KIND(name, width, ...) width,
    KINDS(KIND)
#undef KIND
};

__shared__ char room[in_row * 512];

template <int k>
__device__ __forceinline__ void access(char* at, unsigned on, unsigned value, unsigned shared) {
#define KIND(name, width, text)                                                                                 \
  if constexpr (k == k_##name)                                                                                  \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; " text " }" ::"r"(on), "l"(at), "r"(value), "r"(shared) \
                 : "memory");
  KINDS(KIND)
#undef KIND
}
template <int k, bool branches>
__device__ __forceinline__ void one(const pattern& p, char* base, unsigned slot) {
  const unsigned lane = threadIdx.x, on = p.mask >> lane & 1;
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(room)) + slot * 512 + lane * 16;
  char* const at = base + p.offset[lane];
  if constexpr (branches) {
    if (on) {
      asm volatile("nanosleep.u32 0;" ::: "memory");  // too complex for a guard, so inactive lanes branch around it
      access<k>(at, 1, lane, shared);
      asm volatile("nanosleep.u32 0;" ::: "memory");
    }
    __syncwarp();
  } else {
    access<k>(at, on, lane, shared);
  }
}
template <int k, bool branches>
__global__ void once(const __grid_constant__ pattern p, char* base) {
  one<k, branches>(p, base, 0);
}
template <int k, bool branches>
__global__ void row(char* base) {
#pragma unroll
  for (int i = 0; i < in_row; ++i) one<k, branches>(table[i], base, i);
}

std::mt19937 engine(20261126);
unsigned below(unsigned n) { return engine() % n; }
unsigned some_mask() {
  switch (below(10)) {
    case 0: return engine() | 1;
    case 1: return engine() & engine() & engine();
    case 2: return 0xffffu << 16 * below(2);
    case 3: return 0xffu << 8 * below(4);
    case 4: return 0x55555555u << below(2);
    case 5: return (1u << below(32)) - 1;
    case 6: return below(4) ? 1u << below(32) : 0;
    default: return ~0u;
  }
}
// Element indices.
std::vector<unsigned> some_indices() {
  std::vector<unsigned> x(32);
  const unsigned kind = below(12), a = 1u << below(5), start = below(3) ? 0 : below(64);
  const unsigned strides[] = {0, 1, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33, 64, 100, 128, 256};
  const unsigned s = strides[below(19)], t = strides[below(19)];
  for (unsigned i = 0; i < 32; ++i) switch (kind) {
      case 0:
      case 1:
      case 2: x[i] = i * s; break;
      case 3: x[i] = i / a * s + i % a * t; break;
      case 4: x[i] = below(a * 4); break;
      case 5: x[i] = below(1024); break;
      case 6: x[i] = 31 - i; break;
      case 7: x[i] = i ^ a; break;
      case 8: x[i] = i / a; break;
      case 9: x[i] = i + (i == a ? 200 : 0); break;
      case 10: x[i] = i % a * 33 + i / a; break;
      default: x[i] = i < 16 ? i : i * s; break;
    }
  for (unsigned& i : x) i += start;
  return x;
}
pattern some_pattern(unsigned width) {
  pattern p{some_mask(), {}};
  const std::vector<unsigned> x = some_indices();
  for (int i = 0; i < 32; ++i) p.offset[i] = x[i] * width % 65536;
  return p;
}

// Some counters exist only on half of the multiprocessors, so every multiprocessor does the same work.
constexpr int blocks = 264;
char* base;
std::FILE* file;
template <int k, bool branches>
void go() {
  pattern rows[in_row];
  for (pattern& p : rows) p = some_pattern(widths[k]);
  // The first patterns of a kind are: all lanes in a row from an aligned base, the same from an unaligned base, all
  // lanes at one address, one lane, and no lane.
  if (!branches) {
    for (int j = 0; j < 5; ++j) rows[j].mask = j == 3 ? 1u << 5 : j == 4 ? 0 : ~0u;
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 32; ++i) rows[j].offset[i] = j == 2 ? 64 : (j == 1 ? widths[k] : 0) + i * widths[k];
  }
  for (const pattern& p : rows) {
    std::fprintf(file, "%s,%d,0x%08x", names[k], branches, p.mask);
    for (unsigned o : p.offset) std::fprintf(file, ",%u", o);
    std::fprintf(file, "\n");
    once<k, branches><<<blocks, 32>>>(p, base);
  }
  cudaMemcpyToSymbol(table, rows, sizeof rows);
  row<k, branches><<<1, 32>>>(base);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::fprintf(stderr, "%s: %s\n", names[k], cudaGetErrorString(cudaGetLastError()));
}
template <int k = 0>
void each() {
  if constexpr (k < kinds) {
    go<k, false>();
    if (widths[k] != 2) go<k, true>();
    each<k + 1>();
  }
}

int main(int count, char** words) {
  file = count > 1 ? std::fopen(words[1], "w") : stdout;
  cudaMalloc(&base, 1 << 20);
  cudaMemset(base, 0, 1 << 20);
  each();
  std::fclose(file);
}
