// Launches that wait: compare-and-swap on few words, chains of loads, host memory, sleeping, grid barriers, clusters.
// Nsight Compute measures the launches in the order of the printed lines: data/sm_90/waiting_times.csv.zst.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o waiting_times bench/waiting_times.cu
//
// An argument is the part to run: swap, chain, host, sleep, grid, launch, burst.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>
#include <random>
using u32 = unsigned; using u64 = unsigned long long;
namespace cg = cooperative_groups;
__device__ u32 sink;
__device__ __forceinline__ u32 mix(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
int number = 0; const char* part;
#define SAY(...) do { printf("%d,", number++); printf(__VA_ARGS__); printf("\n"); } while (0)
// --- swap: adds by compare-and-swap; mode 0: one lane of a warp, 1: all on one word, 2: adjacent words, 3: random
__global__ void swap_add(float* p, u32 count, int mode, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, warp = t / 32, lane = t % 32;
  if (mode == 0 && lane != 0) return;
  for (int k = 0; k < n; ++k) {
    u32 i = mode <= 1 ? warp % count : mode == 2 ? t % count : mix(t * n + k) % count;
    int* a = (int*)(p + i * (mode == 0 ? 64 : 1)); int old = *(volatile int*)a, assumed;
    do { assumed = old; old = atomicCAS(a, assumed, __float_as_int(__int_as_float(assumed) + 1.0f)); } while (assumed != old);
  }
}
__global__ void swap_max(int* p, u32 count, const int* in) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x; int v = in[t], *a = p + t % count, old = *a, assumed;
  do { assumed = old; if (assumed >= v) break; old = atomicCAS(a, assumed, v); } while (assumed != old);
}
__global__ void lock_add(int* locks, volatile float* sums, u32 count, int n) {  // one lane of each warp takes a lock
  u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 != 0) return;
  for (int k = 0; k < n; ++k) {
    u32 i = mix(warp * n + k) % count;
    while (atomicCAS(locks + i * 32, 0, 1) != 0) { }
    __threadfence(); sums[i * 32] += 1; __threadfence(); atomicExch(locks + i * 32, 0);
  }
}
__global__ void insert(u64* table, u32 size, int n) {  // a hash table with linear probing
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) {
    u32 key = mix(t * n + k) | 1, i = key % size;
    while (true) { u64 old = atomicCAS(table + i, 0ull, (u64)key); if (old == 0 || old == key) break; i = i + 1 == size ? 0 : i + 1; }
  }
}
// --- chain
__global__ void chain(const u32* p, int n, u32 apart, u32 words) {
  u32 at = (u32)((blockIdx.x * blockDim.x + threadIdx.x) * (u64)apart % words);
  for (int k = 0; k < n; ++k) at = p[at];
  if (at == 0x12345678) sink = at;
}
// Every word whose index is a multiple of `step` contains the index of the next word of the chain.
__global__ void make_chain(u32* p, u32 words, u32 step, u32 mul) {
  u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
  u64 lines = words / step;
  for (; i < lines; i += (u64)gridDim.x * blockDim.x) p[i * step] = (u32)((i * mul + 12345) % lines) * step;
}
__global__ void search(const u32* sorted, u32 count, const u32* keys, u32* out) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, key = keys[t], lo = 0, hi = count;
  while (lo < hi) { u32 m = (lo + hi) / 2; if (sorted[m] < key) lo = m + 1; else hi = m; }
  out[t] = lo;
}
// --- host
__global__ void copy(const uint4* a, uint4* b, u32 words) { for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) b[i] = a[i]; }
__global__ void copy4(const u32* a, u32* b, u32 words) { for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) b[i] = a[i]; }
__global__ void count_in(u32* p, u32 count) { atomicAdd(p + (blockIdx.x * blockDim.x + threadIdx.x) % count, 1); }
__global__ void count_system(u32* p, u32 count, int n) { for (int k = 0; k < n; ++k) atomicAdd_system(p + (blockIdx.x * blockDim.x + threadIdx.x) % count, 1); }
// --- sleep
__global__ void sleeping(u32 ns, int n) { for (int k = 0; k < n; ++k) __nanosleep(ns); }
__global__ void spin(long long clocks) { long long from = clock64(); while (clock64() - from < clocks) { } }
// --- grid
__global__ void grid_sync(int n) { auto g = cg::this_grid(); for (int k = 0; k < n; ++k) g.sync(); }
__global__ void grid_steps(float* a, float* b, int words, int n) {
  auto g = cg::this_grid();
  for (int k = 0; k < n; ++k) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) b[i] = a[i] * 0.5f + a[(i + 1) % words];
    g.sync(); float* c = a; a = b; b = c;
  }
}
__global__ void cluster_sync(int n) { auto c = cg::this_cluster(); for (int k = 0; k < n; ++k) c.sync(); }
__global__ void counter_barrier(u32* arrived, int n) {  // without a library: the last block releases the other blocks
  for (int k = 1; k <= n; ++k) {
    __syncthreads();
    if (threadIdx.x == 0) { __threadfence(); atomicAdd(arrived, 1); while (*(volatile u32*)arrived < k * gridDim.x) { } }
    __syncthreads();
  }
}
// --- launch
struct big { u32 v[900]; };
__global__ void nothing() {}
__global__ void nothing_of_4k(big b, u32* p) { if (p) p[threadIdx.x] = b.v[threadIdx.x % 900]; }
__global__ void store_one(u32* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void add_one(u32* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += 1; }
__global__ void __launch_bounds__(256) with_shared(u32* p) { extern __shared__ u32 s[]; s[threadIdx.x] = threadIdx.x; __syncthreads(); p[blockIdx.x * blockDim.x + threadIdx.x] = s[255 - threadIdx.x]; }
// --- burst: each block does some work, then an atomic on one of few words
__global__ void burst(u32* p, u32 count, u32 stride, int work, int per_block) {
  float x = threadIdx.x; for (int k = 0; k < work; ++k) x = x * 1.0001f + 0.5f;
  if ((int)threadIdx.x < per_block) atomicAdd(p + (u64)((blockIdx.x * per_block + threadIdx.x) % count) * stride, x > 1e30f ? 2 : 1);
}
__global__ void burst_float(float* p, u32 count, u32 stride, int work, int per_block) {
  float x = threadIdx.x; for (int k = 0; k < work; ++k) x = x * 1.0001f + 0.5f;
  if ((int)threadIdx.x < per_block) atomicAdd(p + (u64)((blockIdx.x * per_block + threadIdx.x) % count) * stride, x);
}
__global__ void histogram_of(const u32* in, u32* bins, u32 count, int n) {
  __shared__ u32 own[1024]; for (u32 i = threadIdx.x; i < count; i += blockDim.x) own[i] = 0; __syncthreads();
  for (int k = 0; k < n; ++k) atomicAdd(&own[in[(blockIdx.x * n + k) * blockDim.x + threadIdx.x] % count], 1);
  __syncthreads(); for (u32 i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(bins + i, own[i]);
}
template <class F, class... A> void cluster_launch(F f, int blocks, int threads, int size, A... a) {
  cudaLaunchConfig_t c{}; c.gridDim = blocks; c.blockDim = threads; cudaLaunchAttribute at{}; at.id = cudaLaunchAttributeClusterDimension;
  at.val.clusterDim.x = size; at.val.clusterDim.y = at.val.clusterDim.z = 1; c.attrs = &at; c.numAttrs = 1;
  if (size > 8) cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaLaunchKernelEx(&c, f, a...);
}
int main(int, char** v) {
  part = v[1]; auto is = [&](const char* p) { return !strcmp(part, p); };
  char* mem; const u64 M = 1 << 20; cudaMalloc(&mem, is("chain") ? 4096 * M : 256 * M); cudaMemset(mem, 0, 256 * M);
  if (is("swap")) {
    for (auto [b, t] : {std::pair{1, 32}, {1, 256}, {132, 32}, {132, 256}, {1056, 256}}) for (u32 count : {1u, 32u, 1024u, 65536u}) for (int mode : {0, 1, 2, 3}) {
      if (count == 1 && mode >= 2) continue;
      if (b == 1056 && mode == 0) continue;
      if (b * t * (mode == 0 ? 1 : 32) / count > 132 * 256 * 4) continue;
      if (b == 1 && count > 1024) continue;
      swap_add<<<b, t>>>((float*)mem, count, mode, 4); SAY("swap_add,blocks=%d threads=%d count=%u mode=%d n=4", b, t, count, mode);
    }
    std::vector<int> in(1 << 18); std::mt19937 r(7); for (int& x : in) x = r() >> 1; int* d = (int*)(mem + 64 * M); cudaMemcpy(d, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    for (u32 count : {1u, 16u, 4096u}) for (int b : {132, 1024}) { cudaMemset(mem, 0, M); swap_max<<<b, 256>>>((int*)mem, count, d); SAY("swap_max,blocks=%d threads=256 count=%u", b, count); }
    for (u32 count : {1u, 16u, 1024u}) for (int b : {1, 16, 132}) { cudaMemset(mem, 0, 2 * M); lock_add<<<b, 64>>>((int*)mem, (float*)(mem + M), count, 4); SAY("lock_add,blocks=%d threads=64 count=%u n=4", b, count); }
    for (u32 size : {1u << 16, 1u << 20, 1u << 24}) for (int b : {16, 132, 528}) { if (b * 256 * 2 > size) continue; cudaMemset(mem, 0, 128 * M); insert<<<b, 256>>>((u64*)mem, size, 2); SAY("insert,blocks=%d threads=256 size=%u n=2", b, size); }
  }
  if (is("chain")) {
    u32* p = (u32*)mem;
    for (u64 mb : {0ull, 1ull, 8ull, 24ull, 40ull, 64ull, 256ull, 1024ull, 4096ull}) for (int b : {1, 132}) for (int t : {1, 32, 256}) {
      u64 words = mb == 0 ? 4096 : mb * M / 4; if (t == 256 && b == 1) continue; if (mb == 0 && t == 256) continue;
      u32 apart = (u32)(words / (b * t) / 32 * 32); if (apart == 0) apart = 32;
      make_chain<<<264, 512>>>(p, (u32)(words > 0xffffffffull ? 0xffffffffull : words), 32, 1664525); SAY("make_chain,mb=%llu", mb);
      chain<<<b, t>>>(p, 200, apart, (u32)words); SAY("chain,mb=%llu blocks=%d threads=%d n=200", mb, b, t);
    }
    std::vector<u32> s(1 << 24), k(1 << 18); for (u32 i = 0; i < s.size(); ++i) s[i] = i * 255; std::mt19937 r(9); for (u32& x : k) x = r();
    cudaMemcpy(mem, s.data(), s.size() * 4, cudaMemcpyHostToDevice); cudaMemcpy(mem + 128 * M, k.data(), k.size() * 4, cudaMemcpyHostToDevice);
    for (u32 count : {1u << 10, 1u << 16, 1u << 20, 1u << 24}) for (int b : {8, 132, 1024}) { search<<<b, 256>>>(p, count, (u32*)(mem + 128 * M), (u32*)(mem + 192 * M)); SAY("search,count=%u blocks=%d threads=256", count, b); }
  }
  if (is("host")) {
    char *h, *hm; cudaHostAlloc(&h, 64 * M, cudaHostAllocMapped); memset(h, 0, 64 * M); cudaHostGetDevicePointer((void**)&hm, h, 0);
    for (u32 mb : {0u, 1u, 4u, 16u}) for (int b : {1, 16, 132, 528}) {
      u32 words = mb ? mb * M / 16 : 4096;
      if (b == 1 && mb > 1) continue;
      copy<<<b, 256>>>((uint4*)hm, (uint4*)mem, words); SAY("read_host,mb=%u blocks=%d threads=256", mb, b);
      copy<<<b, 256>>>((uint4*)mem, (uint4*)hm, words); SAY("write_host,mb=%u blocks=%d threads=256", mb, b);
      copy4<<<b, 256>>>((u32*)hm, (u32*)mem, words * 4); SAY("read_host4,mb=%u blocks=%d threads=256", mb, b);
      copy4<<<b, 256>>>((u32*)mem, (u32*)hm, words * 4); SAY("write_host4,mb=%u blocks=%d threads=256", mb, b);
      copy<<<b, 256>>>((uint4*)hm, (uint4*)(hm + 32 * M), words); SAY("copy_host,mb=%u blocks=%d threads=256", mb, b);
    }
    for (u32 i = 0; i < 16 * M / 4; i += 32) ((u32*)h)[i] = (u32)(((u64)(i / 32) * 1664525 + 12345) % (16 * M / 128)) * 32;
    for (int t : {1, 32}) { chain<<<1, t>>>((u32*)hm, 50, 1024, 16 * M / 4); SAY("chain_host,threads=%d n=50", t); }
    for (u32 count : {1u, 32u, 4096u}) for (int b : {1, 16, 132}) { count_in<<<b, 64>>>((u32*)hm, count); SAY("count_host,count=%u blocks=%d threads=64", count, b); }
    for (u32 count : {1u, 4096u}) for (int b : {1, 132}) { count_system<<<b, 64>>>((u32*)hm, count, 2); SAY("count_system_host,count=%u blocks=%d threads=64", count, b); count_system<<<b, 64>>>((u32*)mem, count, 2); SAY("count_system_device,count=%u blocks=%d threads=64", count, b); }
  }
  if (is("sleep")) {
    for (u32 ns : {0u, 20u, 100u, 500u, 2000u, 10000u, 100000u}) for (int n : {1, 10}) for (int t : {32, 1024}) { sleeping<<<132, t>>>(ns, n); SAY("sleep,ns=%u n=%d threads=%d", ns, n, t); }
    for (long long c : {100ll, 1000ll, 20000ll}) { spin<<<132, 32>>>(c); SAY("spin,clocks=%lld", c); }
  }
  if (is("grid")) {
    for (int b : {1, 16, 132, 264, 1056}) for (int t : {32, 256, 1024}) for (int n : {1, 10, 40}) {
      if (b * t > 132 * 2048) continue; void* a[] = {&n};
      cudaLaunchCooperativeKernel((void*)grid_sync, dim3(b), dim3(t), a, 0, 0); SAY("grid_sync,blocks=%d threads=%d n=%d", b, t, n);
    }
    for (int words : {1 << 14, 1 << 18, 1 << 22}) for (int n : {2, 8}) { float *x = (float*)mem, *y = (float*)(mem + 64 * M); void* a[] = {&x, &y, &words, &n}; cudaLaunchCooperativeKernel((void*)grid_steps, dim3(264), dim3(512), a, 0, 0); SAY("grid_steps,words=%d n=%d", words, n); }
    for (int s : {1, 2, 4, 8, 16}) for (int n : {1, 20}) { cluster_launch(cluster_sync, 128, 256, s, n); SAY("cluster_sync,size=%d n=%d", s, n); }
    for (int b : {16, 132, 264}) { cudaMemset(mem, 0, 4); counter_barrier<<<b, 128>>>((u32*)mem, 5); SAY("counter_barrier,blocks=%d threads=128 n=5", b); }
  }
  if (is("launch")) {
    for (int t : {32, 256, 1024}) for (int b : {1, 2, 8, 66, 132, 133, 264, 528, 2112}) { nothing<<<b, t>>>(); SAY("nothing,blocks=%d threads=%d", b, t); }
    for (int b : {1, 132, 1056}) { big x{}; nothing_of_4k<<<b, 128>>>(x, nullptr); SAY("nothing_of_4k,blocks=%d", b); nothing_of_4k<<<b, 128>>>(x, (u32*)mem); SAY("copy_4k,blocks=%d", b); }
    for (int b : {1, 8, 132, 1056, 8448}) for (int t : {32, 256, 1024}) { store_one<<<b, t>>>((u32*)mem); SAY("store_one,blocks=%d threads=%d", b, t); add_one<<<b, t>>>((u32*)mem, b * t); SAY("add_one,blocks=%d threads=%d", b, t); }
    cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
    for (int kb : {1, 32, 64, 100, 227}) for (int b : {132, 528, 2112}) { with_shared<<<b, 256, kb * 1024>>>((u32*)mem); SAY("with_shared,kb=%d blocks=%d", kb, b); }
    for (int s : {1, 2, 4, 8, 16}) for (int b : {16, 128, 1024}) { cluster_launch(nothing, b, 128, s); SAY("cluster,size=%d blocks=%d", s, b); }
  }
  if (is("burst")) {
    for (u32 count : {1u, 8u, 64u, 1024u}) for (u32 stride : {1u, 64u}) for (int work : {10, 1000}) for (int per : {1, 32, 256}) for (int b : {132, 1056}) {
      if (count > 1 && work == 10 && b == 1056 && per == 32) continue; if (count == 1 && stride > 1) continue;
      if (count == 1024 && per == 1) continue;
      burst<<<b, 256>>>((u32*)mem, count, stride, work, per); SAY("burst,count=%u stride=%u work=%d per_block=%d blocks=%d", count, stride, work, per, b);
      if (stride == 1) { burst_float<<<b, 256>>>((float*)mem, count, stride, work, per); SAY("burst_float,count=%u stride=%u work=%d per_block=%d blocks=%d", count, stride, work, per, b); }
    }
    std::vector<u32> in(1 << 22); std::mt19937 r(3); for (u32& x : in) x = r(); cudaMemcpy(mem + 64 * M, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    for (u32 count : {16u, 256u, 1024u}) for (int b : {132, 1056}) { histogram_of<<<b, 256>>>((u32*)(mem + 64 * M), (u32*)mem, count, 8); SAY("histogram_of,count=%u blocks=%d n=8", count, b); }
  }
  if (cudaError_t e = cudaDeviceSynchronize()) fprintf(stderr, "%s\n", cudaGetErrorString(e));
}
