// Multiplies two 1024 x 1024 matrices of floats: each block copies tiles of both to shared memory.
#include "../../bench/naive/host.cuh"

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 1024;
  float* a = filled<float>(n * n, noise);
  float* b = filled<float>(n * n, [](int i) { return noise(i + n * n); });
  float* c = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(16, 16);
  dim3 blocks((n + 15) / 16, (n + 15) / 16);
  multiply<<<blocks, threads>>>(a, b, c, n);
  return print_checksum(c, n * n);
}
