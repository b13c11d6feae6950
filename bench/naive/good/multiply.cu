// Multiplies two 1024 x 1024 matrices of floats: 64 x 64 elements a block, 8 x 4 a thread, two buffers.
#include "../host.cuh"

constexpr int kRows = 64, kColumns = 64, kDepth = 16;

__global__ void __launch_bounds__(128, 2) multiply(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float as[2][kDepth][kRows];  // transposed, and swizzled by k
  __shared__ __align__(16) float bs[2][kDepth][kColumns];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // In this order of the lanes, each half of a warp needs few different words of both tiles.
  const int row = warp / 2 * 32 + lane / 2 % 4 * 8, column = warp % 2 * 32 + (lane / 8 * 2 + lane % 2) * 4;
  // Each thread loads two float4 of a's tile and two of b's.
  const int a_row = threadIdx.x / 4, a_k = threadIdx.x % 4 * 4, b_k = threadIdx.x / 16, b_column = threadIdx.x % 16 * 4;
  const float* a_from = a + (blockIdx.y * kRows + a_row) * n + a_k;
  const float* b_from = b + b_k * n + blockIdx.x * kColumns + b_column;

  float4 a_next[2], b_next[2];
  auto load = [&](int k) {
#pragma unroll
    for (int i = 0; i < 2; ++i) a_next[i] = *reinterpret_cast<const float4*>(a_from + i * 32 * n + k);
#pragma unroll
    for (int i = 0; i < 2; ++i) b_next[i] = *reinterpret_cast<const float4*>(b_from + (k + i * 8) * n);
  };
  auto store = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = (a_row + i * 32) ^ a_k * 2;
      as[buffer][a_k + 0][at] = a_next[i].x;
      as[buffer][a_k + 1][at] = a_next[i].y;
      as[buffer][a_k + 2][at] = a_next[i].z;
      as[buffer][a_k + 3][at] = a_next[i].w;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) *reinterpret_cast<float4*>(&bs[buffer][b_k + i * 8][b_column]) = b_next[i];
  };
  // The values of one k: 8 of a and 4 of b. The next ones are loaded while these are used.
  float x[2][8], y[2][4];
  auto fetch = [&](int buffer, int k) {
    *reinterpret_cast<float4*>(&x[k % 2][0]) = *reinterpret_cast<const float4*>(&as[buffer][k][row ^ k / 4 * 8]);
    *reinterpret_cast<float4*>(&x[k % 2][4]) = *reinterpret_cast<const float4*>(&as[buffer][k][(row ^ k / 4 * 8) + 4]);
    *reinterpret_cast<float4*>(&y[k % 2][0]) = *reinterpret_cast<const float4*>(&bs[buffer][k][column]);
  };

  float sums[8][4] = {};
  load(0);
  store(0);
  __syncthreads();
  fetch(0, 0);
#pragma unroll 1
  for (int k0 = 0, buffer = 0; k0 < n; k0 += kDepth, buffer ^= 1) {
    const bool more = k0 + kDepth < n;
    if (more) load(k0 + kDepth);
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      if (k + 1 < kDepth) {
        fetch(buffer, k + 1);
      } else if (more) {
        store(buffer ^ 1);
        __syncthreads();
        fetch(buffer ^ 1, 0);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += x[k % 2][i] * y[k % 2][j];
    }
  }
  float* to = c + (blockIdx.y * kRows + row) * n + blockIdx.x * kColumns + column;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    *reinterpret_cast<float4*>(to + i * n) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

int main() {
  const int n = 1024;
  float* a = filled<float>(n * n, noise);
  float* b = filled<float>(n * n, [](int i) { return noise(i + n * n); });
  float* c = filled<float>(n * n, [](int) { return 0.0f; });
  multiply<<<dim3(n / kColumns, n / kRows), 128>>>(a, b, c, n);
  return print_checksum(c, n * n);
}
