// Multiplies two 1024 x 1024 matrices of floats: as sixteen_sums.cu, with loads of 16 bytes.
#include "../../bench/naive/host.cuh"

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float4 as[64][8];
  __shared__ float4 bs[32][16];
  int top = blockIdx.y * 64, left = blockIdx.x * 64, t = threadIdx.y * 16 + threadIdx.x;
  float4 sum[4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int i = t; i < 512; i += 256) as[i / 8][i % 8] = *(const float4*)(a + (top + i / 8) * n + k + i % 8 * 4);
    for (int i = t; i < 512; i += 256) bs[i / 16][i % 16] = *(const float4*)(b + (k + i / 16) * n + left + i % 16 * 4);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i += 4) {
      float4 v[4];
#pragma unroll
      for (int u = 0; u < 4; u++) v[u] = bs[i + u][threadIdx.x];
#pragma unroll
      for (int r = 0; r < 4; r++) {
        float4 p4 = as[threadIdx.y * 4 + r][i / 4];
        float p[4] = {p4.x, p4.y, p4.z, p4.w};
#pragma unroll
        for (int u = 0; u < 4; u++)
          sum[r].x += p[u] * v[u].x, sum[r].y += p[u] * v[u].y, sum[r].z += p[u] * v[u].z, sum[r].w += p[u] * v[u].w;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; r++) ((float4*)(c + (top + threadIdx.y * 4 + r) * n + left))[threadIdx.x] = sum[r];
}

int main() {
  const int n = 1024;
  float* a = filled<float>(n * n, noise);
  float* b = filled<float>(n * n, [](int i) { return noise(i + n * n); });
  float* c = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(16, 16);
  dim3 blocks(n / 64, n / 64);
  multiply<<<blocks, threads>>>(a, b, c, n);
  return print_checksum(c, n * n);
}
