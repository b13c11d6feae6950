// Typical small kernels, each with two sizes. No parameter is fitted to them (data/sm_90/fresh_times.csv).
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>
using u32 = unsigned; using u64 = unsigned long long;
__device__ __forceinline__ u32 mix(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
#define AT int i = blockIdx.x * blockDim.x + threadIdx.x
__global__ void saxpy(float a, const float* x, float* y, int n) { AT; if (i < n) y[i] = a * x[i] + y[i]; }
__global__ void triad_strided(const float* a, const float* b, float* c, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + 3 * b[i]; }
__global__ void transpose_bad(const float* a, float* b, int n) { __shared__ float t[32][32]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = a[(y + k) * n + x]; __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y; for (int k = 0; k < 32; k += 8) b[(y + k) * n + x] = t[threadIdx.x][threadIdx.y + k]; }
__global__ void transpose_direct(const float* a, float* b, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; b[x * n + y] = a[y * n + x]; }
__global__ void reduce_tree(const float* a, float* out, int n) { __shared__ float s[256]; float v = 0; for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += a[i]; s[threadIdx.x] = v; __syncthreads();
  for (int k = 1; k < 256; k *= 2) { int j = 2 * k * threadIdx.x; if (j < 256) s[j] += s[j + k]; __syncthreads(); } if (threadIdx.x == 0) out[blockIdx.x] = s[0]; }
__global__ void reduce_atomic(const float* a, float* out, int n) { AT; float v = i < n ? a[i] : 0; for (int k = 16; k; k /= 2) v += __shfl_down_sync(~0u, v, k); if (threadIdx.x % 32 == 0) atomicAdd(out, v); }
__global__ void count_positive(const float* a, u32* out, int n) { AT; if (i < n && a[i] > 0.5f) atomicAdd(out, 1); }
__global__ void compact(const float* a, float* b, u32* at, int n) { AT; if (i < n && a[i] > 0.7f) b[atomicAdd(at, 1)] = a[i]; }
__global__ void histogram_global(const u32* k, u32* bins, int n) { AT; if (i < n) atomicAdd(&bins[k[i] & 255], 1); }
__global__ void histogram_shared(const u32* k, u32* bins, int n) { __shared__ u32 s[256]; s[threadIdx.x] = 0; __syncthreads(); for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&s[k[i] & 255], 1); __syncthreads(); atomicAdd(&bins[threadIdx.x], s[threadIdx.x]); }
__global__ void gather_rows(const float* t, const u32* id, float* out, int d, int rows) { int r = blockIdx.x; for (int c = threadIdx.x; c < d; c += blockDim.x) out[r * d + c] = t[(u64)(id[r] % rows) * d + c]; }
__global__ void scatter_words(const u32* id, float* out, int n, int m) { AT; if (i < n) out[id[i] % m] = i; }
__global__ void spmv_row(const int* start, const u32* col, const float* v, const float* x, float* y, int rows, int cols) { AT; if (i >= rows) return; float s = 0; for (int k = start[i]; k < start[i + 1]; ++k) s += v[k] * x[col[k] % cols]; y[i] = s; }
__global__ void spmv_warp(const int* start, const u32* col, const float* v, const float* x, float* y, int rows, int cols) { AT; int r = i / 32; if (r >= rows) return; float s = 0; for (int k = start[r] + i % 32; k < start[r + 1]; k += 32) s += v[k] * x[col[k] % cols]; for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k); if (i % 32 == 0) y[r] = s; }
__global__ void stencil(const float* a, float* b, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return; b[y * n + x] = 0.2f * (a[y * n + x] + a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]); }
__global__ void softmax_row(const float* a, float* b, int n) { __shared__ float s[32]; float m = -1e30f; const float* r = a + (u64)blockIdx.x * n; for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, r[i]);
  for (int k = 16; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k)); if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m; __syncthreads(); m = s[0]; for (int k = 1; k < blockDim.x / 32; ++k) m = fmaxf(m, s[k]); __syncthreads();
  float t = 0; for (int i = threadIdx.x; i < n; i += blockDim.x) t += __expf(r[i] - m); for (int k = 16; k; k /= 2) t += __shfl_xor_sync(~0u, t, k); if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = t; __syncthreads(); t = 0; for (int k = 0; k < blockDim.x / 32; ++k) t += s[k];
  for (int i = threadIdx.x; i < n; i += blockDim.x) b[(u64)blockIdx.x * n + i] = __expf(r[i] - m) / t; }
__global__ void matmul_naive(const float* a, const float* b, float* c, int n) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; float s = 0; for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = s; }
__global__ void matmul_tile(const float* a, const float* b, float* c, int n) { __shared__ float p[32][32], q[32][32]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; float s = 0;
  for (int k = 0; k < n; k += 32) { p[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x]; q[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x]; __syncthreads(); for (int j = 0; j < 32; ++j) s += p[threadIdx.y][j] * q[j][threadIdx.x]; __syncthreads(); } c[y * n + x] = s; }
__global__ void matmul_half(const half* a, const half* b, float* c, int n) { using namespace nvcuda::wmma; int w = threadIdx.x / 32, y = blockIdx.y * 32 + w / 2 * 16, x = blockIdx.x * 32 + w % 2 * 16; fragment<accumulator, 16, 16, 16, float> s; fill_fragment(s, 0);
  for (int k = 0; k < n; k += 16) { fragment<matrix_a, 16, 16, 16, half, row_major> p; fragment<matrix_b, 16, 16, 16, half, row_major> q; load_matrix_sync(p, a + y * n + k, n); load_matrix_sync(q, b + k * n + x, n); mma_sync(s, p, q, s); } store_matrix_sync(c + y * n + x, s, n, mem_row_major); }
__global__ void n_body(const float4* p, float4* f, int n) { __shared__ float4 s[128]; AT; float4 me = p[i], a = {0, 0, 0, 0}; for (int k = 0; k < n; k += 128) { s[threadIdx.x] = p[k + threadIdx.x]; __syncthreads(); for (int j = 0; j < 128; ++j) { float x = s[j].x - me.x, y = s[j].y - me.y, z = s[j].z - me.z, r = rsqrtf(x * x + y * y + z * z + 1e-3f); r = s[j].w * r * r * r; a.x += x * r; a.y += y * r; a.z += z * r; } __syncthreads(); } f[i] = a; }
__global__ void black_scholes(const float* s, const float* k, float* c, int n) { AT; if (i >= n) return; float d = (logf(s[i] / k[i]) + 0.06f) / 0.3f; c[i] = s[i] * normcdff(d) - k[i] * expf(-0.02f) * normcdff(d - 0.3f); }
__global__ void doubles(double* a, int n, int m) { AT; if (i >= n) return; double x = a[i]; for (int k = 0; k < m; ++k) x = x * 0.999 + sqrt(x) * 0.001; a[i] = x; }
__global__ void scan_block(const u32* a, u32* b) { __shared__ u32 s[2][512]; int t = threadIdx.x, o = 0; s[0][t] = a[blockIdx.x * 512 + t]; __syncthreads(); for (int k = 1; k < 512; k *= 2) { s[1 - o][t] = t >= k ? s[o][t] + s[o][t - k] : s[o][t]; o = 1 - o; __syncthreads(); } b[blockIdx.x * 512 + t] = s[o][t]; }
__global__ void bitonic(u32* a) { __shared__ u32 s[1024]; int t = threadIdx.x; s[t] = a[blockIdx.x * 1024 + t]; __syncthreads(); for (int k = 2; k <= 1024; k *= 2) for (int j = k / 2; j; j /= 2) { int o = t ^ j; if (o > t) { u32 x = s[t], y = s[o]; if ((x > y) == ((t & k) == 0)) s[t] = y, s[o] = x; } __syncthreads(); } a[blockIdx.x * 1024 + t] = s[t]; }
__global__ void levels(const int* start, const u32* to, int* level, u32* queue, const u32* from, u32* size, int count, int vertices) { AT; if (i >= count) return; u32 v = from[i] % vertices; for (int k = start[v]; k < start[v + 1]; ++k) { u32 w = to[k] % vertices; if (atomicCAS(&level[w], 0, 1) == 0) queue[atomicAdd(size, 1)] = w; } }
__global__ void swap_min(const float* a, int* out, int n) { AT; if (i >= n) return; float v = a[i]; int old = *out; while (__int_as_float(old) > v) { int was = atomicCAS(out, old, __float_as_int(v)); if (was == old) break; old = was; } }
__global__ void tree(const u32* nodes, const u32* keys, u32* out, int n, int depth, u32 mask) { AT; if (i >= n) return; u32 at = 1, k = keys[i]; for (int d = 0; d < depth; ++d) { at = (at * 2 + ((nodes[at & mask] ^ k) >> (d & 31) & 1)); } out[i] = at; }
__global__ void random_walk(u32* s, int steps) { AT; u32 x = s[i]; for (int k = 0; k < steps; ++k) { x = mix(x + k); if (x & 1) x ^= mix(x); } s[i] = x; }
__global__ void divergent(const u32* k, float* out, int n) { AT; if (i >= n) return; int m = k[i] % 64; float x = i; for (int j = 0; j < m; ++j) x = sinf(x) + 1; out[i] = x; }
__global__ void copy_bytes(const unsigned char* a, unsigned char* b, int n) { AT; if (i < n) b[i] = a[i]; }
__global__ void structs(const float* a, float* b, int n) { AT; if (i >= n) return; float s = 0; for (int k = 0; k < 12; ++k) s += a[i * 12 + k]; b[i] = s; }
__global__ void lookup(const u32* k, const float* t, float* out, int n, int m) { AT; if (i >= n) return; float s = 0; for (int j = 0; j < 8; ++j) s += __ldg(t + (mix(k[i] + j) % m)); out[i] = s; }
int main() {
  const u64 M = 1 << 20; std::mt19937 r(11); std::vector<float> f(1 << 24); std::vector<u32> u(1 << 24); for (auto& x : f) x = r() / 4294967296.0f; for (auto& x : u) x = r();
  std::vector<int> start(1 << 20); int sum = 0; for (auto& x : start) { x = sum; sum += r() % 16; if (sum > (1 << 24) - 64) sum = (1 << 24) - 64; }
  float *a, *b, *c; u32 *k, *z; int* st; cudaMalloc(&a, 256 * M); cudaMalloc(&b, 256 * M); cudaMalloc(&c, 256 * M); cudaMalloc(&k, 64 * M); cudaMalloc(&z, 64 * M); cudaMalloc(&st, 4 * M); cudaMemset(a, 0, 256 * M); cudaMemset(b, 0, 256 * M); cudaMemset(c, 0, 256 * M); cudaMemset(z, 0, 64 * M);
  cudaMemcpy(a, f.data(), 64 * M, cudaMemcpyHostToDevice); cudaMemcpy(b, f.data(), 64 * M, cudaMemcpyHostToDevice); cudaMemcpy(k, u.data(), 64 * M, cudaMemcpyHostToDevice); cudaMemcpy(st, start.data(), 4 * M, cudaMemcpyHostToDevice);
  for (int n : {1 << 17, 1 << 23}) {
    int g = n / 256; saxpy<<<g, 256>>>(2, a, b, n); triad_strided<<<264, 512>>>(a, b, c, n); reduce_tree<<<n > 1 << 20 ? 1056 : 132, 256>>>(a, c, n); reduce_atomic<<<g, 256>>>(a, c, n); count_positive<<<g, 256>>>(a, z, n);
    cudaMemset(z, 0, 4); compact<<<g, 256>>>(a, c, z, n); histogram_global<<<g, 256>>>(k, z, n); histogram_shared<<<n > 1 << 20 ? 1056 : 132, 256>>>(k, z, n); scatter_words<<<g, 256>>>(k, c, n, n); black_scholes<<<g, 256>>>(a, b, c, n); scan_block<<<n / 512, 512>>>(k, z); bitonic<<<n / 4 / 1024, 1024>>>(z);
    divergent<<<g / 4, 256>>>(k, c, n / 4); copy_bytes<<<g, 256>>>((unsigned char*)a, (unsigned char*)c, n); structs<<<g / 8, 256>>>(a, c, n / 8); lookup<<<g, 256>>>(k, a, c, n, n * 2 > 1 << 24 ? 1 << 24 : n * 2); tree<<<g, 256>>>(k, (u32*)a, (u32*)c, n, 20, n - 1); random_walk<<<g / 4, 256>>>(z, 50); doubles<<<g / 4, 256>>>((double*)c, n / 4, 20);
  }
  for (int n : {512, 4096}) { dim3 g(n / 32, n / 32); transpose_bad<<<g, dim3(32, 8)>>>(a, c, n); transpose_direct<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, c, n); stencil<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, c, n); softmax_row<<<n, 256>>>(a, c, n / 2); }
  for (int n : {256, 1024}) { matmul_naive<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); matmul_tile<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n); matmul_half<<<dim3(n / 32, n / 32), 128>>>((half*)a, (half*)b, c, n); }
  for (int n : {4096, 32768}) n_body<<<n / 128, 128>>>((float4*)a, (float4*)c, n);
  for (int n : {10000, 1000000}) { spmv_row<<<(n + 255) / 256, 256>>>(st, k, a, b, c, n, n); spmv_warp<<<(n + 7) / 8, 256>>>(st, k, a, b, c, n, n); cudaMemset(z, 0, 32 * M); levels<<<(n / 8 + 255) / 256, 256>>>(st, k, (int*)z, (u32*)c, k, z + 8 * M, n / 8, n); gather_rows<<<n / 64, 128>>>(a, k, c, 256, n / 20 > 60000 ? 60000 : n / 20 + 1); }
  for (int n : {1 << 15, 1 << 20}) { float big = 3; cudaMemcpy(z, &big, 4, cudaMemcpyHostToDevice); swap_min<<<n / 256, 256>>>(a, (int*)z, n); }
  if (cudaError_t e = cudaDeviceSynchronize()) fprintf(stderr, "%s\n", cudaGetErrorString(e));
}
