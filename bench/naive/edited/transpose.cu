// Transposes a 4096 x 4096 matrix through tiles in shared memory: each thread moves four elements.
#include "../host.cuh"

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  float moved[4];
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (x < n && y + 8 * k < n) moved[k] = in[(y + 8 * k) * n + x];
#pragma unroll
  for (int k = 0; k < 4; k++) tile[threadIdx.y + 8 * k][threadIdx.x ^ (threadIdx.y + 8 * k)] = moved[k];
  __syncthreads();
  x = blockIdx.x * 32 + threadIdx.y;
  y = blockIdx.y * 32 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (x + 8 * k < n && y < n) out[(x + 8 * k) * n + y] = tile[threadIdx.x][(threadIdx.y + 8 * k) ^ threadIdx.x];
}

int main() {
  const int n = 4096;
  float* in = filled<float>(n * n, noise);
  float* out = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(32, 8);
  dim3 blocks((n + 31) / 32, (n + 31) / 32);
  transpose<<<blocks, threads>>>(in, out, n);
  return print_checksum(out, n * n);
}
