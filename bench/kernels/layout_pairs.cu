// Pairs of kernels that only differ in the layout of shared memory, to test the predicted speed-ups of edits. No
// parameter is fitted to them. Nsight Compute measures the launches in this order: data/sm_90/layout_pairs.csv.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o layout_pairs bench/kernels/layout_pairs.cu; ./layout_pairs 1024
//
// scripts/compare edits compares the predictions with these measurements.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#define CHECK(x)                                    \
  do {                                              \
    cudaError_t e = (x);                            \
    if (e) {                                        \
      printf("%s %s\n", #x, cudaGetErrorString(e)); \
      exit(1);                                      \
    }                                               \
  } while (0)
// 1. A transpose by blocks of 32 x 8 threads.
template <int P>
__global__ void transpose_t(float* o, const float* a, int n) {
  __shared__ float t[32][32 + P];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = a[(size_t)(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) o[(size_t)(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
// 2. A transpose of doubles.
template <int P>
__global__ void transpose_d(double* o, const double* a, int n) {
  __shared__ double t[16][16 + P];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  t[threadIdx.y][threadIdx.x] = a[(size_t)y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  o[(size_t)y * n + x] = t[threadIdx.x][threadIdx.y];
}
// 3. A product with a transposed matrix, in which lanes read a column of the tile.
template <int P>
__global__ void gemm_bt(float* c, const float* a, const float* b, int n) {
  __shared__ float A[32][32], B[32][32 + P];
  int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 32 + ty, q = blockIdx.x * 32;
  float s = 0;
  for (int k = 0; k < n; k += 32) {
    A[ty][tx] = a[(size_t)r * n + k + tx];
    B[ty][tx] = b[(size_t)(q + ty) * n + k + tx];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i++) s += A[ty][i] * B[tx][i];
    __syncthreads();
  }
  c[(size_t)r * n + q + tx] = s;
}
// 4. A product with 4 x 4 results for each thread. The tile of A is stored by columns.
template <int P>
__global__ void gemm_reg(float* c, const float* a, const float* b, int n) {
  __shared__ float A[16][64 + P], B[16][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float s[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    int r = t / 4, q = (t % 4) * 4;
    float4 v = *(const float4*)&a[(size_t)(row + r) * n + k + q];
    A[q][r] = v.x;
    A[q + 1][r] = v.y;
    A[q + 2][r] = v.z;
    A[q + 3][r] = v.w;
    *(float4*)&B[t / 16][(t % 16) * 4] = *(const float4*)&b[(size_t)(k + t / 16) * n + col + (t % 16) * 4];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) {
      float x[4], y[4];
      for (int j = 0; j < 4; j++) {
        x[j] = A[i][ty * 4 + j];
        y[j] = B[i][tx * 4 + j];
      }
      for (int j = 0; j < 4; j++)
        for (int l = 0; l < 4; l++) s[j][l] += x[j] * y[l];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; j++)
    for (int l = 0; l < 4; l++) c[(size_t)(row + ty * 4 + j) * n + col + tx * 4 + l] = s[j][l];
}
// 5. A reduction whose stride doubles.
template <bool PAD>
__global__ void reduce_i(float* o, const float* a) {
  __shared__ float s[1024 + 64];
  int t = threadIdx.x;
  auto ix = [](int i) { return PAD ? i + i / 32 : i; };
  s[ix(t)] = a[blockIdx.x * 1024 + t];
  s[ix(t + 512)] = a[blockIdx.x * 1024 + t + 512];
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {
    int i = 2 * d * t;
    if (i + d < 1024) s[ix(i)] += s[ix(i + d)];
    __syncthreads();
  }
  if (t == 0) o[blockIdx.x] = s[0];
}
// 6. Blelloch's scan.
template <bool PAD>
__global__ void scan_b(float* o, const float* a) {
  __shared__ float s[1024 + 64];
  int t = threadIdx.x;
  auto ix = [](int i) { return PAD ? i + i / 32 : i; };
  int g = blockIdx.x * 1024;
  s[ix(2 * t)] = a[g + 2 * t];
  s[ix(2 * t + 1)] = a[g + 2 * t + 1];
  int off = 1;
  for (int d = 512; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = off * (2 * t + 1) - 1, j = off * (2 * t + 2) - 1;
      s[ix(j)] += s[ix(i)];
    }
    off *= 2;
  }
  if (t == 0) s[ix(1023)] = 0;
  for (int d = 1; d < 1024; d *= 2) {
    off >>= 1;
    __syncthreads();
    if (t < d) {
      int i = off * (2 * t + 1) - 1, j = off * (2 * t + 2) - 1;
      float x = s[ix(i)];
      s[ix(i)] = s[ix(j)];
      s[ix(j)] += x;
    }
  }
  __syncthreads();
  o[g + 2 * t] = s[ix(2 * t)];
  o[g + 2 * t + 1] = s[ix(2 * t + 1)];
}
// 7. Sums of rows, in which a thread reads a row of the tile.
template <int P>
__global__ void row_sum(float* o, const float* a, int n) {
  __shared__ float t[128][32 + P];
  int k = threadIdx.x;
  size_t base = (size_t)blockIdx.x * 128;
  float s = 0;
  for (int c = 0; c < n; c += 32) {
    for (int i = k; i < 128 * 32; i += 128) t[i / 32][i % 32] = a[(base + i / 32) * n + c + i % 32];
    __syncthreads();
    for (int j = 0; j < 32; j++) s += t[k][j] * t[k][j];
    __syncthreads();
  }
  o[base + k] = s;
}
// 8. A vertical convolution with columns in shared memory.
template <int P>
__global__ void column_conv(float* o, const float* a, int n) {
  __shared__ float t[16][80 + P];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 16 + tx, y0 = blockIdx.y * 64;
  for (int j = ty; j < 80; j += 8) {
    int y = y0 + j - 8;
    t[tx][j] = (y >= 0 && y < n) ? a[(size_t)y * n + x] : 0;
  }
  __syncthreads();
  for (int j = ty; j < 64; j += 8) {
    float s = 0;
#pragma unroll
    for (int d = 0; d <= 16; d++) s += t[tx][j + d] * (0.01f * d);
    o[(size_t)(y0 + j) * n + x] = s;
  }
}
// 9. A histogram with counters for each thread.
template <int S>
__global__ void histo(unsigned* o, const unsigned* a, int per) {
  __shared__ unsigned h[64 * (64 + S)];
  int t = threadIdx.x;
  for (int i = t; i < 64 * (64 + S); i += 64) h[i] = 0;
  __syncthreads();
  const unsigned* p = a + (size_t)blockIdx.x * 64 * per;
  for (int i = 0; i < per; i++) {
    unsigned v = p[i * 64 + t] & 63;
    h[t * (64 + S) + v]++;
  }
  __syncthreads();
  unsigned s = 0;
  for (int i = 0; i < 64; i++) s += h[i * (64 + S) + t];
  atomicAdd(o + t, s);
}
// 10. Structures of 8 floats. Each thread reads three floats of a structure.
template <int W>
__global__ void bodies(float* o, const float* a, int steps) {
  __shared__ float s[128 * W];
  int t = threadIdx.x;
  for (int j = 0; j < 8; j++) s[t * W + j] = a[(size_t)(blockIdx.x * 128 + t) * 8 + j];
  __syncthreads();
  float r = 0;
  for (int i = 0; i < steps; i++) {
    int u = (t + i) & 127;
    float x = s[u * W] - r, y = s[u * W + 3], z = s[u * W + 5];
    r += rsqrtf(x * x + y * y + z * z + 1.f);
  }
  o[blockIdx.x * 128 + t] = r;
}
// 11. Butterflies of a Fourier transform of 512 values.
template <bool PAD>
__global__ void butterfly(float2* o, const float2* a) {
  __shared__ float2 s[512 + 32];
  int t = threadIdx.x;
  auto ix = [](int i) { return PAD ? i + i / 16 : i; };
  int g = blockIdx.x * 512;
  s[ix(t)] = a[g + t];
  s[ix(t + 256)] = a[g + t + 256];
  __syncthreads();
  for (int h = 1; h < 512; h *= 2) {
    int i = (t / h) * 2 * h + t % h, j = i + h;
    float w = __cosf(3.14159f * (t % h) / h), v = __sinf(3.14159f * (t % h) / h);
    float2 x = s[ix(i)], y = s[ix(j)];
    float2 z = {y.x * w - y.y * v, y.x * v + y.y * w};
    s[ix(i)] = {x.x + z.x, x.y + z.y};
    s[ix(j)] = {x.x - z.x, x.y - z.y};
    __syncthreads();
  }
  o[g + t] = s[ix(t)];
  o[g + t + 256] = s[ix(t + 256)];
}
// 12. A bitonic sort of 1,024 keys, in rows of four.
template <int P>
__global__ void blocked_sort(int* o, const int* a) {
  __shared__ int s[256 * (4 + P)];
  int t = threadIdx.x;
  auto at = [&](int i) -> int& { return s[(i / 4) * (4 + P) + i % 4]; };
  int g = blockIdx.x * 1024;
  for (int i = t; i < 1024; i += 256) at(i) = a[g + i];
  __syncthreads();
  for (int k = 2; k <= 1024; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      for (int q = 0; q < 2; q++) {
        int u = t + q * 256;
        int i = (u / j) * 2 * j + u % j, l = i + j;
        int x = at(i), y = at(l);
        bool up = (i & k) == 0;
        if ((x > y) == up) {
          at(i) = y;
          at(l) = x;
        }
      }
      __syncthreads();
    }
  for (int i = t; i < 1024; i += 256) o[g + i] = at(i);
}
// 13. Scores of attention, in which each lane reads one row of a tile of halves.
template <int P>
__global__ void scores(float* o, const __half* q, const __half* k, int n) {
  __shared__ __half K[64][64 + P];
  __shared__ __half Q[64][64];
  int t = threadIdx.x;
  size_t qb = (size_t)blockIdx.x * 64;
  float m = -1e9f;
  for (int i = t; i < 64 * 32; i += 256)
    ((__half2*)&Q[i / 32][0])[i % 32] = ((const __half2*)(q + (qb + i / 32) * 64))[i % 32];
  for (int b = 0; b < n; b += 64) {
    __syncthreads();
    for (int i = t; i < 64 * 32; i += 256)
      ((__half2*)&K[i / 32][0])[i % 32] = ((const __half2*)(k + (size_t)(b + i / 32) * 64))[i % 32];
    __syncthreads();
    for (int r = t / 64; r < 64; r += 4) {
      float s = 0;
#pragma unroll 8
      for (int d = 0; d < 32; d++) {
        float2 x = __half22float2(((__half2*)Q[r])[d]), y = __half22float2(((__half2*)K[t % 64])[d]);
        s += x.x * y.x + x.y * y.y;
      }
      m = fmaxf(m, s);
    }
  }
  o[blockIdx.x * 256 + t] = m;
}
// 14. A plane of a stencil that is stored transposed.
template <int P>
__global__ void plane(float* o, const float* a, int n) {
  __shared__ float t[34][34 + P];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (int i = ty * 32 + tx; i < 34 * 34; i += 256) {
    int r = i / 34, c = i % 34;
    int yy = min(max(y + r - 1, 0), n - 1), xx = min(max(x + c - 1, 0), n - 1);
    t[c][r] = a[(size_t)yy * n + xx];
  }
  __syncthreads();
  for (int j = ty; j < 32; j += 8) {
    float s = t[tx + 1][j + 1] * 4 - t[tx][j + 1] - t[tx + 2][j + 1] - t[tx + 1][j] - t[tx + 1][j + 2];
    o[(size_t)(y + j) * n + x + tx] = s;
  }
}
template <class T>
T* buf(size_t n) {
  T* p;
  CHECK(cudaMalloc(&p, n * sizeof(T)));
  T* h = (T*)malloc(n * sizeof(T));
  unsigned char* b = (unsigned char*)h;
  (void)b;
  for (size_t i = 0; i < n * sizeof(T) / 4; i++) ((float*)h)[i] = (float)((i * 2654435761u >> 8) & 1023) / 1024.f;
  CHECK(cudaMemcpy(p, h, n * sizeof(T), cudaMemcpyHostToDevice));
  free(h);
  return p;
}
int main(int c, char** v) {
  int n = c > 1 ? atoi(v[1]) : 1024;
  size_t m = (size_t)n * n;
  float *a = buf<float>(m), *b = buf<float>(m), *o = buf<float>(m * 2);
  double* d = (double*)buf<float>(m * 2);
  dim3 g(n / 32, n / 32), b8(32, 8), b32(32, 32);
  transpose_t<0><<<g, b8>>>(o, a, n);
  transpose_t<1><<<g, b8>>>(o, a, n);
  transpose_d<0><<<dim3(n / 16, n / 16), dim3(16, 16)>>>((double*)o, d, n);
  transpose_d<1><<<dim3(n / 16, n / 16), dim3(16, 16)>>>((double*)o, d, n);
  gemm_bt<0><<<g, b32>>>(o, a, b, n);
  gemm_bt<1><<<g, b32>>>(o, a, b, n);
  gemm_reg<0><<<dim3(n / 64, n / 64), 256>>>(o, a, b, n);
  gemm_reg<4><<<dim3(n / 64, n / 64), 256>>>(o, a, b, n);
  reduce_i<false><<<m / 1024, 512>>>(o, a);
  reduce_i<true><<<m / 1024, 512>>>(o, a);
  scan_b<false><<<m / 1024, 512>>>(o, a);
  scan_b<true><<<m / 1024, 512>>>(o, a);
  int rows = (int)(m / 256);
  row_sum<0><<<rows / 128, 128>>>(o, a, 256);
  row_sum<1><<<rows / 128, 128>>>(o, a, 256);
  column_conv<0><<<dim3(n / 16, n / 64), dim3(16, 8)>>>(o, a, n);
  column_conv<1><<<dim3(n / 16, n / 64), dim3(16, 8)>>>(o, a, n);
  int per = 64;
  histo<0><<<m / 64 / per, 64>>>((unsigned*)o, (unsigned*)a, per);
  histo<1><<<m / 64 / per, 64>>>((unsigned*)o, (unsigned*)a, per);
  bodies<8><<<m / 1024, 128>>>(o, a, 512);
  bodies<9><<<m / 1024, 128>>>(o, a, 512);
  butterfly<false><<<m / 1024, 256>>>((float2*)o, (float2*)a);
  butterfly<true><<<m / 1024, 256>>>((float2*)o, (float2*)a);
  blocked_sort<0><<<m / 1024, 256>>>((int*)o, (int*)a);
  blocked_sort<1><<<m / 1024, 256>>>((int*)o, (int*)a);
  scores<0><<<n / 8, 256>>>(o, (__half*)a, (__half*)b, n);
  scores<2><<<n / 8, 256>>>(o, (__half*)a, (__half*)b, n);
  plane<0><<<g, b8>>>(o, a, n);
  plane<1><<<g, b8>>>(o, a, n);
  CHECK(cudaDeviceSynchronize());
  puts("done");
}
