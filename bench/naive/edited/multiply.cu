// Multiplies two 1024 x 1024 matrices of floats: each thread computes 4 x 4 elements from tiles in shared memory.
#include "../host.cuh"

#include <cuda_pipeline.h>

const int tall = 4;    // each thread computes this many rows and 4 columns
const int depth = 32;  // columns of a and rows of b in a tile

// Blocks of 16 x 16 threads compute 64 x 64 elements. n is a multiple of 64.
__global__ void multiply(const float* a, const float* b, float* c, int n) {
  const int rows = 16 * tall;
  __shared__ float4 a_tile[2][rows][depth / 4];
  __shared__ float4 b_tile[2][depth][16];
  int top = blockIdx.y * rows, left = blockIdx.x * 64;
  int thread = threadIdx.y * 16 + threadIdx.x;

  auto request = [&](int stage, int k) {
    for (int i = thread; i < rows * depth / 4; i += 256) {
      int r = i / (depth / 4), q = i % (depth / 4);
      __pipeline_memcpy_async(&a_tile[stage][r][q], a + (top + r) * n + k + 4 * q, 16);
    }
    for (int i = thread; i < depth * 16; i += 256) {
      __pipeline_memcpy_async(&b_tile[stage][i / 16][i % 16], b + (k + i / 16) * n + left + i % 16 * 4, 16);
    }
    __pipeline_commit();
  };

  float4 sum[tall] = {};
  request(0, 0);
  for (int k = 0; k < n; k += depth) {
    int stage = k / depth % 2;
    if (k + depth < n)
      request(stage ^ 1, k + depth);
    else
      __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < depth; i += 4) {
      float4 v[4];
#pragma unroll
      for (int u = 0; u < 4; u++) v[u] = b_tile[stage][i + u][threadIdx.x];
#pragma unroll
      for (int r = 0; r < tall; r++) {
        float4 p4 = a_tile[stage][threadIdx.y * tall + r][i / 4];
        float p[4] = {p4.x, p4.y, p4.z, p4.w};
#pragma unroll
        for (int u = 0; u < 4; u++) {
          sum[r].x += p[u] * v[u].x;
          sum[r].y += p[u] * v[u].y;
          sum[r].z += p[u] * v[u].z;
          sum[r].w += p[u] * v[u].w;
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < tall; r++)
    reinterpret_cast<float4*>(c + (top + threadIdx.y * tall + r) * n + left)[threadIdx.x] = sum[r];
}

int main() {
  const int n = 1024;
  float* a = filled<float>(n * n, noise);
  float* b = filled<float>(n * n, [](int i) { return noise(i + n * n); });
  float* c = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(16, 16);
  dim3 blocks(n / 64, n / (16 * tall));
  multiply<<<blocks, threads>>>(a, b, c, n);
  return print_checksum(c, n * n);
}
