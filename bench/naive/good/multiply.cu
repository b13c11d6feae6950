// Multiplies two 1024 x 1024 matrices of floats: 64 x 64 elements a block, 8 x 4 a thread, two buffers in shared memory.
#include "../host.cuh"

constexpr int kTile = 64, kDepth = 16;

__global__ void __launch_bounds__(128) multiply(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float as[2][kDepth][kTile + 4];  // transposed
  __shared__ __align__(16) float bs[2][kDepth][kTile];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / 2 * 32 + lane / 8 * 8, column = warp % 2 * 32 + lane % 8 * 4;
  // Each thread loads two float4 of a's tile (64 x 16) and two of b's (16 x 64).
  const int a_row = threadIdx.x / 4, a_k = threadIdx.x % 4 * 4, b_k = threadIdx.x / 16, b_column = threadIdx.x % 16 * 4;
  const float* a_from = a + (blockIdx.y * kTile + a_row) * n + a_k;
  const float* b_from = b + b_k * n + blockIdx.x * kTile + b_column;

  float4 a_next[2], b_next[2];
  auto load = [&](int k) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a_next[i] = *reinterpret_cast<const float4*>(a_from + i * 32 * n + k);
      b_next[i] = *reinterpret_cast<const float4*>(b_from + (k + i * 8) * n);
    }
  };
  auto store = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      as[buffer][a_k + 0][a_row + i * 32] = a_next[i].x;
      as[buffer][a_k + 1][a_row + i * 32] = a_next[i].y;
      as[buffer][a_k + 2][a_row + i * 32] = a_next[i].z;
      as[buffer][a_k + 3][a_row + i * 32] = a_next[i].w;
      *reinterpret_cast<float4*>(&bs[buffer][b_k + i * 8][b_column]) = b_next[i];
    }
  };

  float sums[8][4] = {};
  load(0);
  store(0);
  __syncthreads();
  for (int k0 = 0, buffer = 0; k0 < n; k0 += kDepth, buffer ^= 1) {
    if (k0 + kDepth < n) load(k0 + kDepth);
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float4 low = *reinterpret_cast<const float4*>(&as[buffer][k][row]);
      float4 high = *reinterpret_cast<const float4*>(&as[buffer][k][row + 4]);
      float4 right = *reinterpret_cast<const float4*>(&bs[buffer][k][column]);
      float x[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
      float y[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += x[i] * y[j];
    }
    if (k0 + kDepth < n) store(buffer ^ 1);
    __syncthreads();
  }
  float* to = c + (blockIdx.y * kTile + row) * n + blockIdx.x * kTile + column;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    *reinterpret_cast<float4*>(to + i * n) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

int main() {
  const int n = 1024;
  float* a = filled<float>(n * n, noise);
  float* b = filled<float>(n * n, [](int i) { return noise(i + n * n); });
  float* c = filled<float>(n * n, [](int) { return 0.0f; });
  multiply<<<dim3(n / kTile, n / kTile), 128>>>(a, b, c, n);
  return print_checksum(c, n * n);
}
