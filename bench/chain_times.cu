// Launches that measure chains of single instructions (l), barriers of clusters (c), malloc and free (m), rows that each
// thread walks (r) and stores with a distance (s). Nsight Compute measures the launches: data/sm_90/chain_times.csv, in
// the order of main.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o chain_times bench/chain_times.cu
//     ncu --csv --page raw --metrics gpc__cycles_elapsed.max,sm__cycles_active.max,... ./chain_times l
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
namespace cg = cooperative_groups;
typedef unsigned u32; typedef unsigned long long u64;
// clusters: each thread executes m cluster barriers. The launch sets the number of blocks in a cluster
__global__ void cluster_sync(u32* out, int m) { auto c = cg::this_cluster(); for (int k = 0; k < m; ++k) c.sync(); if (threadIdx.x == 0) out[blockIdx.x] = m; }
__global__ void grid_like_block_sync(u32* out, int m) { for (int k = 0; k < m; ++k) __syncthreads(); if (threadIdx.x == 0) out[blockIdx.x] = m; }
__global__ void cluster_read(u32* out, int m) { __shared__ u32 s[1024]; auto c = cg::this_cluster(); s[threadIdx.x] = threadIdx.x; c.sync(); u32* o = c.map_shared_rank(s, (c.block_rank() + 1) % c.num_blocks()); u32 x = threadIdx.x; for (int k = 0; k < m; ++k) x = o[x]; out[blockIdx.x * blockDim.x + threadIdx.x] = x; c.sync(); }
// malloc
__global__ void malloc_pair(u64* out, int m) { u64 x = 0; for (int k = 0; k < m; ++k) { void* p = malloc(64 + (k & 3)); x += (u64)p; free(p); } out[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void malloc_only(u64* out, int m) { u64 x = 0; for (int k = 0; k < m; ++k) x += (u64)malloc(64); out[blockIdx.x * blockDim.x + threadIdx.x] = x; }
// rows: each thread walks its own row of n words
__global__ void rows_read(const float* a, float* out, int n, int times) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int t = 0; t < times; ++t) for (int k = 0; k < n; ++k) s += a[(size_t)i * n + k]; out[i] = s; }
__global__ void rows_chain(const float* a, float* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int k = 0; k < n; ++k) { float v = a[(size_t)i * n + k]; s = s * v + sqrtf(s + v); } out[i] = s; }
__global__ void rows_write(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; ++k) a[(size_t)i * n + k] = i + k; }
// stores of part of each line: thread i stores elements (i + k * n) * step for k = 0 to m - 1. `n` is the number of
// threads. The three kernels have elements of 4, 8 and 16 bytes. At the end of the array, the index continues at 0
__global__ void store_step(u32* a, int step, int m, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < m; ++k) a[((size_t)i * step + (size_t)k * step * n) & ((1u << 23) - 1)] = i; }
__global__ void store_step2(uint2* a, int step, int m, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < m; ++k) a[((size_t)i * step + (size_t)k * step * n) & ((1u << 22) - 1)] = make_uint2(i, k); }
__global__ void store_step4(uint4* a, int step, int m, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < m; ++k) a[((size_t)i * step + (size_t)k * step * n) & ((1u << 21) - 1)] = make_uint4(i, k, 0, 0); }
// two lanes share a sector: each pair of lanes stores two adjacent doubles, and the pairs are `step` doubles apart
__global__ void store_pairs(double* a, int step, int m, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < m; ++k) a[(((size_t)(i / 2) * step + i % 2) + (size_t)k * step * n / 2) & ((1u << 22) - 1)] = i; }
// load and store with a distance
__global__ void copy_step(const u32* b, u32* a, int step, int m, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < m; ++k) { size_t j = ((size_t)i * step + (size_t)k * step * n) & ((1u << 22) - 1); a[j] = b[j] + 1; } }
// one block that reads alone
__global__ void lonely(const float* a, float* out, int n) { float s = 0; for (int k = threadIdx.x; k < n; k += blockDim.x) s += a[k]; out[threadIdx.x] = s; }
__global__ void chain_of(const u32* a, u32* out, int m) { u32 x = threadIdx.x; for (int k = 0; k < m; ++k) x = a[x]; out[threadIdx.x] = x; }
#define CHAIN(name, type, expr) __global__ void name(type* out, type c, int m) { type x = out[threadIdx.x]; _Pragma("unroll 8") for (int k = 0; k < m; ++k) x = expr; out[threadIdx.x] = x; }
CHAIN(c_fadd, float, x + c) CHAIN(c_fmul, float, x * c) CHAIN(c_ffma, float, x * x + c) CHAIN(c_dadd, double, x + c) CHAIN(c_dfma, double, x * x + c) CHAIN(c_rsq, float, rsqrtf(x + c)) CHAIN(c_ex2, float, exp2f(x)) CHAIN(c_sqrt, float, sqrtf(x + c)) CHAIN(c_div, float, c / x) CHAIN(c_ddiv, double, c / x) CHAIN(c_dsqrt, double, sqrt(x + c)) CHAIN(c_sin, float, sinf(x)) CHAIN(c_exp, float, expf(x)) CHAIN(c_dexp, double, exp(x)) CHAIN(c_i2f, float, (float)(int)(x + c)) CHAIN(c_imad, u32, x * c + 3) CHAIN(c_idiv, u32, c / (x | 1)) CHAIN(c_iadd, u32, (x + c) ^ 5) CHAIN(c_popc, u32, __popc(x) + c) CHAIN(c_shf, u32, __funnelshift_l(x, c, 7)) CHAIN(c_shfl, u32, __shfl_xor_sync(~0u, x, 1)) CHAIN(c_pow, float, powf(x, c)) CHAIN(c_rem, u64, x % (c | 1) + 7)
__global__ void c_lds(u32* out, int m) { __shared__ u32 s[1024]; for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = (k + 32) % 1024; __syncthreads(); u32 x = threadIdx.x; for (int k = 0; k < m; ++k) x = s[x]; out[threadIdx.x] = x; }
__global__ void c_lds4(u32* out, int m) { __shared__ uint4 s[1024]; for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = make_uint4((k + 32) % 1024, k, k, k); __syncthreads(); u32 x = threadIdx.x, y = 0; for (int k = 0; k < m; ++k) { uint4 v = s[x]; x = v.x; y += v.y ^ v.z ^ v.w; } out[threadIdx.x] = x + y; }
template <class... A> void cluster(void (*f)(A...), int g, int b, int c, A... a) { cudaLaunchConfig_t l = {}; l.gridDim = g; l.blockDim = b; cudaLaunchAttribute at[1]; at[0].id = cudaLaunchAttributeClusterDimension; at[0].val.clusterDim = {(u32)c, 1, 1}; l.attrs = at; l.numAttrs = 1; cudaLaunchKernelEx(&l, f, a...); }
int main(int n, char** v) {
  char part = n > 1 ? v[1][0] : 'a'; void *a, *b; cudaMalloc(&a, 1 << 28); cudaMalloc(&b, 1 << 28); cudaMemset(a, 0, 1 << 28); cudaMemset(b, 0, 1 << 28);
  if (part == 'c') for (int m : {1, 100}) for (int c : {1, 2, 4, 8}) { for (int w : {1, 4, 16, 32}) cluster(cluster_sync, 64, 32 * w, c, (u32*)a, m); cluster(cluster_sync, 8, 256, c, (u32*)a, m); cluster(cluster_read, 64, 256, c, (u32*)a, m); cluster(cluster_read, 8, 32, c, (u32*)a, m); grid_like_block_sync<<<64, 256>>>((u32*)a, m); }
  if (part == 'm') for (int m : {1, 4, 16}) { for (int t : {1, 32, 128}) malloc_pair<<<1, t>>>((u64*)a, m), malloc_only<<<1, t>>>((u64*)a, m); malloc_pair<<<64, 1>>>((u64*)a, m); malloc_pair<<<64, 128>>>((u64*)a, m); malloc_only<<<64, 32>>>((u64*)a, m); }
  if (part == 'r') for (int len : {32, 64, 256}) for (int t : {64, 256}) for (int g : {33, 132, 528}) { if ((size_t)len * t * g * 4 > (1 << 28)) continue; rows_read<<<g, t>>>((float*)a, (float*)b, len, 1); rows_read<<<g, t>>>((float*)a, (float*)b, len, 2); rows_chain<<<g, t>>>((float*)a, (float*)b, len); rows_write<<<g, t>>>((float*)a, len); }
  if (part == 's') { const int g = 264, t = 256, N = g * t; for (int s : {8, 32, 1024}) store_step<<<g, t>>>((u32*)a, s, 8, N); for (int s : {4, 16, 512}) store_step2<<<g, t>>>((uint2*)a, s, 8, N); for (int s : {2, 8, 256}) store_step4<<<g, t>>>((uint4*)a, s, 8, N); for (int s : {4, 16, 64, 512}) store_pairs<<<g, t>>>((double*)a, s, 8, N); for (int s : {8, 32, 1024}) copy_step<<<g, t>>>((u32*)b, (u32*)a, s, 8, N); }
  if (part == 'l') { for (int m : {1024, 4096}) { lonely<<<1, 256>>>((float*)a, (float*)b, m * 64); lonely<<<1, 32>>>((float*)a, (float*)b, m * 16); chain_of<<<1, 32>>>((u32*)a, (u32*)b, m); c_lds<<<1, 32>>>((u32*)b, m); c_lds4<<<1, 32>>>((u32*)b, m);
#define F(k) k<<<1, 32>>>((float*)b, 1.01f, m);
#define D(k) k<<<1, 32>>>((double*)b, 1.01, m);
#define U(k) k<<<1, 32>>>((u32*)b, 12345u, m);
    F(c_fadd) F(c_fmul) F(c_ffma) D(c_dadd) D(c_dfma) F(c_rsq) F(c_ex2) F(c_sqrt) F(c_div) D(c_ddiv) D(c_dsqrt) F(c_sin) F(c_exp) D(c_dexp) F(c_i2f) U(c_imad) U(c_idiv) U(c_iadd) U(c_popc) U(c_shf) U(c_shfl) F(c_pow) c_rem<<<1, 32>>>((u64*)b, 12345678901ull, m); } }
  if (cudaError_t e = cudaDeviceSynchronize()) fprintf(stderr, "%s\n", cudaGetErrorString(e));
}
