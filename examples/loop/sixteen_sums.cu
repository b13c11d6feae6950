// Multiplies two 1024 x 1024 matrices of floats: each thread adds up 4 x 4 elements, and copies single words to the tiles.
#include "../../bench/naive/host.cuh"

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float as[64][16], bs[16][64];
  int top = blockIdx.y * 64, left = blockIdx.x * 64, t = threadIdx.y * 16 + threadIdx.x;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 1024; i += 256) as[i / 16][i % 16] = a[(top + i / 16) * n + k + i % 16];
    for (int i = t; i < 1024; i += 256) bs[i / 64][i % 64] = b[(k + i / 64) * n + left + i % 64];
    __syncthreads();
    for (int i = 0; i < 16; i++)
      for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++) sum[r][s] += as[threadIdx.y * 4 + r][i] * bs[i][threadIdx.x + 16 * s];
    __syncthreads();
  }
  for (int r = 0; r < 4; r++)
    for (int s = 0; s < 4; s++) c[(top + threadIdx.y * 4 + r) * n + left + threadIdx.x + 16 * s] = sum[r][s];
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
