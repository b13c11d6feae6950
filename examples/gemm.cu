// C = A B in single precision: each block computes a tile of C, and each thread 4 x 4 elements. A and B go through
// shared memory.
//
//     bankwise run gemm.cu -k gemm --grid 2,2 --block 16,16 --arg out:f32[128*128] --arg f32[128*64]=iota \
//         --arg f32[64*128]=1 --arg i32=128 --arg i32=128 --arg i32=64
#include "check.cuh"

constexpr int tile_m = 64, tile_n = 64, tile_k = 16;

// A is stored transposed in shared memory, so that a thread's four rows are one load of 16 bytes. The stores of A have
// conflicts: sixteen threads of a warp write words that are 64 words apart.
__global__ void gemm(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ __align__(16) float a_tile[tile_k][tile_m];
  __shared__ __align__(16) float b_tile[tile_k][tile_n];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += tile_k) {
    for (int i = thread; i < tile_m * tile_k; i += 256)
      a_tile[i % tile_k][i / tile_k] = a[(row + i / tile_k) * k + k0 + i % tile_k];
    for (int i = thread; i < tile_k * tile_n; i += 256)
      b_tile[i / tile_n][i % tile_n] = b[(k0 + i / tile_n) * n + column + i % tile_n];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < tile_k; ++kk) {
      const float4 x = *reinterpret_cast<const float4*>(&a_tile[kk][threadIdx.y * 4]);
      const float4 y = *reinterpret_cast<const float4*>(&b_tile[kk][threadIdx.x * 4]);
      const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += xs[i] * ys[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + threadIdx.y * 4 + i) * n + column + threadIdx.x * 4 + j] = sum[i][j];
}

int main() {
  const int m = 128, n = 128, k = 64;
  const std::vector<float> a = small_numbers(m * k, 1), b = small_numbers(k * n, 2);
  const gpu_buffer<float> ga(a), gb(b), gc(m * n);
  gemm<<<dim3(n / tile_n, m / tile_m), dim3(16, 16)>>>(gc.get(), ga.get(), gb.get(), m, n, k);
  CUDA_CHECK(cudaGetLastError());
  const std::vector<float> c = gc.host();
  bool right = true;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int x = 0; x < k; ++x) sum += a[i * k + x] * b[x * n + j];
      right &= c[i * n + j] == sum;
    }
  return report_result("gemm", right) ? 0 : 1;
}
