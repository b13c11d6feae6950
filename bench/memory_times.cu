// Small kernels whose launch times depend on shared memory, atomics, L2, DRAM or block starts. Prints a line for each
// launch, in the order of the measurements by Nsight Compute. data/sm_90/memory_times.csv.zst contains the lines and
// the measurements for an H100.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o memory_times bench/memory_times.cu
//     ncu --csv --page raw --metrics gpc__cycles_elapsed.max,sm__cycles_active.max,lts__t_sectors.sum ./memory_times atomics
//
// An argument is the part to run: atomics, contention, core, memory, launch.
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
using u32 = unsigned; using u64 = unsigned long long;
__device__ u32 sink;
__device__ __forceinline__ u32 mix(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
enum op { red32, red64, redf, redd, redmax, redh2, redv4f, atom32, atom64, atomf, atommax, exch, cas, ops };
const char* op_names[] = {"red_add_u32","red_add_u64","red_add_f32","red_add_f64","red_max_u32","red_add_f16x2","red_add_v4_f32","atom_add_u32","atom_add_u64","atom_add_f32","atom_max_u32","atom_exch_u32","atom_cas_u32"};
// mode 0: all lanes of a warp access one address. 1: consecutive addresses. 2: random addresses.
template <int O> __global__ void atomics(char* p, u32 count, u32 stride, int mode, int n, u32 one) {
  u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
  for (int k = 0; k < n; ++k) {
    u32 i = mode == 0 ? (warp + k * one) % count : mode == 1 ? (warp * 32 + lane) % count : mix((warp * n + k) * 32 + lane) % count;
    char* a = p + (u64)i * stride;
    if (O == red32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(one + 1) : "memory");
    if (O == red64) asm volatile("red.global.add.u64 [%0], %1;" ::"l"(a), "l"((u64)one + 1) : "memory");
    if (O == redf) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(a), "f"(one + 1.0f) : "memory");
    if (O == redd) asm volatile("red.global.add.f64 [%0], %1;" ::"l"(a), "d"(one + 1.0) : "memory");
    if (O == redmax) asm volatile("red.global.max.u32 [%0], %1;" ::"l"(a), "r"(warp + k) : "memory");
    if (O == redh2) asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(a), "r"(one + 0x3c003c00) : "memory");
    if (O == redv4f) asm volatile("red.global.add.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(a), "f"(one + 1.0f) : "memory");
    u32 old = 0; u64 o64 = 0; float of = 0;
    if (O == atom32) { asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(a), "r"(one + 1) : "memory"); sum += old; }
    if (O == atom64) { asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(o64) : "l"(a), "l"((u64)one + 1) : "memory"); sum += o64; }
    if (O == atomf) { asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(of) : "l"(a), "f"(one + 1.0f) : "memory"); sum += of > 3; }
    if (O == atommax) { asm volatile("atom.global.max.u32 %0, [%1], %2;" : "=r"(old) : "l"(a), "r"(warp) : "memory"); sum += old; }
    if (O == exch) { asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(a), "r"(warp) : "memory"); sum += old; }
    if (O == cas) { asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(a), "r"(warp), "r"(lane) : "memory"); sum += old; }
  }
  if (sum == 0x12345678) sink = sum;
}
char* big; u64 big_bytes;
int number = 0; const char* part;
#define SAY(...) do { printf("%d,", number++); printf(__VA_ARGS__); printf("\n"); } while (0)
template <int O> void atomic_one(u32 count, u32 stride, int mode, int blocks, int threads, int n, u32 turn = 0) {
  atomics<O><<<blocks, threads>>>(big, count, stride, mode, n, turn);
  SAY("%s,count=%u stride=%u mode=%d blocks=%d threads=%d n=%d turn=%u", op_names[O], count, stride, mode, blocks, threads, n, turn);
}
template <int O> void atomic_few() {
  u32 w = O == redv4f ? 16 : O == red64 || O == redd || O == atom64 ? 8 : 4;
  atomic_one<O>(1, 256, 0, 132, 256, 16);
  atomic_one<O>(32, w, 1, 132, 256, 16);
  atomic_one<O>(1024, 256, 0, 132, 256, 16);
  atomic_one<O>(4096, w, 1, 132, 256, 32);
  atomic_one<O>(1 << 20, w, 1, 132, 256, 32);
  atomic_one<O>(1 << 16, w, 2, 132, 256, 32);
  atomic_one<O>(1 << 20, w, 2, 132, 256, 32);
  atomic_one<O>(1, 256, 0, 1, 32, 64);
  atomic_one<O>(32, w, 1, 1, 32, 64);
}
template <int O> void atomic_many() {
  for (int blocks : {1, 132, 528}) for (int threads : {32, 512}) {
    if (blocks == 528 && threads == 32) continue;
    int n = blocks == 1 ? 64 : 16;
    for (u32 count : {1u, 4u, 32u, 256u, 4096u}) for (u32 stride : {4u, 32u, 128u, 1024u}) {
      if (count == 1 && stride > 4) continue;
      if (stride == 128 && count != 32 && count != 4) continue;
      atomic_one<O>(count, stride, 0, blocks, threads, n);
    }
    for (u32 count : {4u, 8u, 32u, 256u, 4096u}) for (u32 stride : {4u, 8u, 32u, 128u, 1024u}) {
      if (blocks == 1 && count > 256) continue;
      if (stride > 32 && count != 32) continue;
      atomic_one<O>(count, stride, 1, blocks, threads, n);
    }
    for (u32 count : {16u, 256u, 4096u, 65536u, 1u << 20, 1u << 26}) atomic_one<O>(count, 4, 2, blocks, threads, n);
    atomic_one<O>(64, 256, 0, blocks, threads, n, 1);
  }
}
// --- shared memory: each load has W wavefronts and F float operations, and D loads are in flight
template <int D, bool STORE, typename T> __global__ void shared_loop(int way, int n, int f) {
  extern __shared__ u32 s[];
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (u32 i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0;
  __syncthreads();
  u32 at = (lane * way * (sizeof(T) / 4) + warp * 32 * 0) % 7168;
  float x = lane; u32 sum = 0;
  for (int k = 0; k < n; ++k) {
    if (STORE) {
#pragma unroll
      for (int d = 0; d < D; ++d) { T v{}; *(volatile u32*)&s[at + d * 32] = sum; (void)v; }
      sum += k;
    } else {
      u32 v[D];
#pragma unroll
      for (int d = 0; d < D; ++d) v[d] = *(volatile u32*)&s[at + d * 32];
#pragma unroll
      for (int d = 0; d < D; ++d) { at += v[d]; sum += v[d]; }
    }
    for (int j = 0; j < f; ++j) x = x * 1.0001f + 0.5f;
  }
  if (sum == 0x12345678 || x == 3.33f) sink = sum;
}
template <int D, bool STORE> void shared_set() {
  for (int warps : {1, 4, 8, 16, 32}) for (int way : {1, 2, 4, 8, 32}) for (int f : {0, 8}) {
    if (f && D != 1 && !(D == 8 && way > 2)) continue;
    int n = 2000 / D * (warps == 32 && way == 32 ? 0.2 : 1);
    cudaFuncSetAttribute(shared_loop<D, STORE, u32>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    shared_loop<D, STORE, u32><<<132, warps * 32, 40000>>>(way, n, f);
    SAY("shared_%s%d,way=%d warps=%d n=%d f=%d", STORE ? "store" : "load", D, way, warps, n, f);
  }
}
template <typename T> __global__ void store_sub(int n) {
  __shared__ T s[16384];
  T v = n; u32 w = threadIdx.x / 32 * 256, lane = threadIdx.x % 32;
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int d = 0; d < 8; ++d) *(volatile T*)&s[(w + lane + d * 32) % 16384] = v;
  }
  if (s[(n + 5) % 1024] == 77) sink = 1;
}
template <typename T> __global__ void load_sub(int n) {
  __shared__ T s[16384];
  u32 w = threadIdx.x / 32 * 256, lane = threadIdx.x % 32, sum = 0;
  if (n == 1) s[threadIdx.x] = 1;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int d = 0; d < 8; ++d) sum += *(volatile T*)&s[(w + lane + d * 32) % 16384];
  }
  if (sum == 0x12345678) sink = 1;
}
template <int KIND> __global__ void shuffles(int n) {
  __shared__ u32 s[1024];
  u32 x = threadIdx.x, y = x * 3, z = x + 9, w = x ^ 5; s[threadIdx.x % 1024] = x;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (KIND == 0) { x += __shfl_xor_sync(~0u, x, 1); y += __shfl_xor_sync(~0u, y, 2); z += __shfl_xor_sync(~0u, z, 4); w += __shfl_xor_sync(~0u, w, 8); }
    if (KIND == 1) { x += __shfl_xor_sync(~0u, x, 1); y += *(volatile u32*)&s[threadIdx.x % 32 + 32]; z += __shfl_xor_sync(~0u, z, 4); w += *(volatile u32*)&s[threadIdx.x % 32 + 64]; }
    if (KIND == 2) { x += __shfl_sync(~0u, x, y & 31); y += __shfl_sync(~0u, y, x & 31); z += __shfl_sync(~0u, z, w & 31); w += __shfl_sync(~0u, w, z & 31); }
    if (KIND == 3) { x = __shfl_xor_sync(~0u, x, 1); }
    if (KIND == 4) { x += __reduce_add_sync(~0u, x); y += __reduce_add_sync(~0u, y); }
    if (KIND == 5) { x += __ballot_sync(~0u, x & 1); y += __ballot_sync(~0u, y & 2); z += __ballot_sync(~0u, z & 4); w += __ballot_sync(~0u, w & 8); }
    if (KIND == 6) { x += __match_any_sync(~0u, x & 3); y += __match_any_sync(~0u, y & 1); }
    if (KIND == 7) { x += __any_sync(~0u, x & 1); y += __all_sync(~0u, y & 2); }
    if (KIND == 8) { x ^= __float_as_uint(__expf(__uint_as_float(x))); y ^= __float_as_uint(__expf(__uint_as_float(y))); }
    if (KIND == 9) { x += (u32)(__uint_as_float(x)); y += (u32)(__uint_as_float(y)); z += __float_as_uint((float)z); w += __popc(w); }
    if (KIND == 10) { x = x * y + z; y = y * z + w; z = z * w + x; w = w * x + y; }
    if (KIND == 11) { __syncthreads(); }
    if (KIND == 12) { x = x * y + (u32)(((u64)z * w) >> 32); y = y * z + (u32)(((u64)w * x) >> 32); }
  }
  if ((x ^ y ^ z ^ w) == 0x12345678) sink = 1;
}
template <int K> void shuffle_set(const char* name) {
  for (int threads : {32, 128, 512, 1024}) { shuffles<K><<<132, threads>>>(1000); SAY("%s,threads=%d n=1000", name, threads); }
}
// --- global memory
template <typename T> __global__ void read_all(const T* p, u64 words, int times) {
  u32 sum = 0;
  for (int k = 0; k < times; ++k)
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < words; i += (u64)gridDim.x * blockDim.x) { T v = __ldcg(p + i); sum += *(u32*)&v; }
  if (sum == 0x12345678) sink = 1;
}
template <typename T> __global__ void read_shared(const T* p, u64 words, int times) {  // each thread reads all words
  u32 sum = 0;
  for (int k = 0; k < times; ++k)
    for (u64 i = threadIdx.x; i < words; i += blockDim.x) { T v = __ldcg(p + (i + blockIdx.x * 1037ull) % words); sum += *(u32*)&v; }
  if (sum == 0x12345678) sink = 1;
}
template <typename T> __global__ void write_step(T* p, u64 count, u64 step, int times, int offset) {
  for (int k = 0; k < times; ++k)
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) { T v{}; p[i * step + k * offset] = v; }
}
template <typename T> __global__ void copy_all(const T* p, T* q, u64 words) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < words; i += (u64)gridDim.x * blockDim.x) q[i] = p[i];
}
__global__ void gather(const u32* p, u64 words, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) sum += __ldg(p + ((u64)mix(t * n + k) * words >> 32));
  if (sum == 0x12345678) sink = 1;
}
__global__ void scatter(u32* p, u64 words, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) p[(u64)mix(t * n + k) * words >> 32] = k;
}
__global__ void chase(u32* p, u64 words, int n, int dry) {
  u32 at = blockIdx.x * 7919u;
  for (int k = 0; k < n; ++k) at = at + 1 + __ldcg(p + ((u64)mix(at) * words >> 32)) * dry;
  if (at == 0x12345678) sink = 1;
}
__global__ void l1_loop(const u32* p, int stride, int n) {
  u32 sum = 0, at = threadIdx.x % 32 * stride + threadIdx.x / 32 * 32;
  for (int k = 0; k < n; ++k) { sum += p[(at + k * 32) & 8191]; }
  if (sum == 0x12345678) sink = 1;
}
__global__ void local_bytes(unsigned char* q, int n) {
  u64 t = blockIdx.x * (u64)blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) q[t * n + k] = k;
}
__global__ void empty() {}
__global__ void empty_many_registers(int n) { float x[64]; for (int i = 0; i < 64; ++i) x[i] = n * i; for (int k = 0; k < n; ++k) for (int i = 0; i < 64; ++i) x[i] = x[i] * x[(i + 1) % 64] + 1; float s = 0; for (int i = 0; i < 64; ++i) s += x[i]; if (n && s == 1.5f) sink = 1; }
template <int N> __global__ void straight(int n) {  // N float operations, one after another
  float x = n, y = n + 1;
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(x)); }
  }
  if (x + y == 1.5f) sink = 1;
}
template <int N> void straight_set() {
  for (int n : {1, 2, 4}) for (int threads : {32, 512}) { straight<N><<<132, threads>>>(n); SAY("straight,instructions=%d n=%d threads=%d", N, n, threads); }
}
__constant__ u32 constants[16384];
__global__ void constant_loop(int n, int step) {
  u32 sum = 0, at = 0;
  for (int k = 0; k < n; ++k) { sum += constants[at]; at = (at + step + (sum >> 31)) & 16383; }
  if (sum == 0x12345678) sink = 1;
}
__global__ void wait_loop(int n) { float x = n; for (int k = 0; k < n; ++k) x = x * 1.0001f + 0.5f; if (x == 1.5f) sink = 1; }
int main(int, char** v) {
  part = v[1];
  big_bytes = 6ull << 30;
  cudaMalloc(&big, big_bytes); cudaMemset(big, 0, big_bytes); cudaDeviceSynchronize();
  auto is = [&](const char* p) { return !strcmp(part, p); };
  if (is("atomics")) {
    atomic_few<red32>(); atomic_few<red64>(); atomic_few<redf>(); atomic_few<redd>(); atomic_few<redmax>(); atomic_few<redh2>(); atomic_few<redv4f>();
    atomic_few<atom32>(); atomic_few<atom64>(); atomic_few<atomf>(); atomic_few<atommax>(); atomic_few<exch>(); atomic_few<cas>();
  }
  if (is("contention")) {
    atomic_many<red32>(); atomic_many<atom32>(); atomic_many<redf>();
  }
  if (is("core")) {
    shared_set<1, false>(); shared_set<8, false>(); shared_set<1, true>(); shared_set<8, true>();
    for (int threads : {32, 128, 1024}) {
      store_sub<unsigned char><<<132, threads>>>(200); SAY("store_sub8,threads=%d n=1600", threads);
      store_sub<unsigned short><<<132, threads>>>(200); SAY("store_sub16,threads=%d n=1600", threads);
      load_sub<unsigned char><<<132, threads>>>(200); SAY("load_sub8,threads=%d n=1600", threads);
    }
    shuffle_set<0>("shfl_xor4"); shuffle_set<1>("shfl2_lds2"); shuffle_set<2>("shfl_idx4"); shuffle_set<3>("shfl_chain1"); shuffle_set<4>("redux2"); shuffle_set<5>("ballot4"); shuffle_set<6>("match2"); shuffle_set<7>("vote2");
    shuffle_set<8>("expf2"); shuffle_set<9>("convert"); shuffle_set<10>("imad4"); shuffle_set<11>("barrier"); shuffle_set<12>("imad_hi2");
    for (int stride : {1, 2, 4, 8, 32}) for (int warps : {1, 4, 16, 32}) { l1_loop<<<132, warps * 32>>>((u32*)big, stride, 2000); SAY("l1_hits,stride=%d warps=%d n=2000", stride, warps); }
    straight_set<64>(); straight_set<512>(); straight_set<2048>(); straight_set<8192>(); straight_set<16384>(); straight_set<32768>();
    for (int step : {0, 1, 16, 64, 512}) for (int threads : {32, 512}) { constant_loop<<<132, threads>>>(1000, step); SAY("constants,step=%d threads=%d n=1000", step, threads); }
  }
  if (is("launch")) {
    for (int threads : {32, 128, 256, 1024}) for (int blocks : {1, 33, 132, 264, 1056, 4224, 16896, 67584}) { empty<<<blocks, threads>>>(); SAY("empty,blocks=%d threads=%d", blocks, threads); }
    for (int threads : {32, 256, 1024}) for (int blocks : {132, 1056, 16896}) { wait_loop<<<blocks, threads>>>(250); SAY("fixed_length,blocks=%d threads=%d fma=250", blocks, threads); }
    for (int threads : {128, 512}) for (int blocks : {132, 1056}) { empty_many_registers<<<blocks, threads>>>(0); SAY("empty_registers,blocks=%d threads=%d", blocks, threads); }
    cudaFuncSetAttribute(shared_loop<1, false, u32>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
    for (int kb : {0, 48, 100, 190}) { empty<<<132, 128, kb > 48 ? 0 : kb * 1000>>>(); SAY("empty_shared,kb=%d", kb > 48 ? 0 : kb); }
  }
  if (is("memory")) {
    const u64 M = 1 << 20;
    for (u64 mb : {1, 4, 8, 16, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96, 256}) for (int times : {1, 3, 8}) {
      read_all<uint4><<<528, 512>>>((uint4*)big, mb * M / 16, times); SAY("read_all,mb=%llu times=%d", mb, times);
    }
    for (u64 mb : {1, 4, 16, 24, 32, 40}) { read_shared<uint4><<<132, 1024>>>((uint4*)big, mb * M / 16, mb < 4 ? 4 : 1); SAY("read_shared,mb=%llu times=%d", mb, mb < 4 ? 4 : 1); }
    for (u64 mb : {4, 16, 64, 512}) {
      write_step<uint4><<<528, 512>>>((uint4*)big, mb * M / 16, 1, 1, 0); SAY("write,mb=%llu", mb);
      write_step<uint4><<<528, 512>>>((uint4*)big, mb * M / 16, 1, 4, 0); SAY("write4times,mb=%llu", mb);
      write_step<u32><<<1056, 512>>>((u32*)big, mb * M / 32, 8, 1, 0); SAY("write_word_of_sector,mb=%llu", mb);
      write_step<u32><<<1056, 512>>>((u32*)big, mb * M / 128, 32, 1, 0); SAY("write_word_of_line,mb=%llu", mb);
      write_step<u32><<<1056, 512>>>((u32*)big, mb * M / 32, 8, 4, 1); SAY("write_word_of_sector_4times,mb=%llu", mb);
      write_step<unsigned char><<<1056, 512>>>((unsigned char*)big, mb * M / 4, 1, 1, 0); SAY("write_bytes,quarter_of_mb=%llu", mb);
      copy_all<uint4><<<1056, 512>>>((uint4*)big, (uint4*)(big + (1ull << 30)), mb * M / 16); SAY("copy,mb=%llu", mb);
    }
    for (u64 mb : {1, 8, 16, 24, 32, 40, 48, 64, 128, 1024, 4096}) for (int blocks : {132, 1056}) {
      gather<<<blocks, 512>>>((u32*)big, mb * M / 4, 32); SAY("gather,mb=%llu blocks=%d n=32", mb, blocks);
      scatter<<<blocks, 512>>>((u32*)big, mb * M / 4, 32); SAY("scatter,mb=%llu blocks=%d n=32", mb, blocks);
    }
    for (u64 mb : {1, 16, 32, 64, 1024}) for (int blocks : {1, 132}) { chase<<<blocks, 1>>>((u32*)big, mb * M / 4, 400, 1); SAY("chase,mb=%llu blocks=%d n=400", mb, blocks); }
    for (int n : {1, 4, 16, 64}) { local_bytes<<<1056, 256>>>((unsigned char*)big, n); SAY("bytes_by_thread,n=%d", n); }
    for (int threads : {32, 64, 128, 256, 512, 1024}) { read_all<u32><<<132, threads>>>((u32*)big, 64 * M / 4, 1); SAY("read_narrow,threads=%d mb=64", threads); read_all<uint4><<<132, threads>>>((uint4*)big, 64 * M / 16, 1); SAY("read_wide,threads=%d mb=64", threads); }
    for (int blocks : {1, 4, 16, 66}) { read_all<uint4><<<blocks, 1024>>>((uint4*)big, 16 * M / 16, 1); SAY("read_few,blocks=%d mb=16", blocks); }
  }
  if (cudaError_t e = cudaDeviceSynchronize()) fprintf(stderr, "%s\n", cudaGetErrorString(e));
  return 0;
}
