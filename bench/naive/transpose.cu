// Transposes a 4096 x 4096 matrix: each thread moves one element.
#include "host.cuh"

__global__ void transpose(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

int main() {
  const int n = 4096;
  float* in = filled<float>(n * n, noise);
  float* out = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(16, 16);
  dim3 blocks((n + 15) / 16, (n + 15) / 16);
  transpose<<<blocks, threads>>>(in, out, n);
  return print_checksum(out, n * n);
}
