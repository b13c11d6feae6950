// One step of a 7-point stencil on 256 x 256 x 256 floats: each thread computes one point grid[i][j][k].
#include "host.cuh"

__global__ void stencil(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= n || j >= n || k >= n) return;
  int at = (i * n + j) * n + k;
  if (i == 0 || j == 0 || k == 0 || i == n - 1 || j == n - 1 || k == n - 1) {
    out[at] = in[at];
  } else {
    out[at] = 0.4f * in[at] +
              0.1f * (in[((i - 1) * n + j) * n + k] + in[((i + 1) * n + j) * n + k] + in[(i * n + j - 1) * n + k] +
                      in[(i * n + j + 1) * n + k] + in[(i * n + j) * n + k - 1] + in[(i * n + j) * n + k + 1]);
  }
}

int main() {
  const int n = 256;
  float* in = filled<float>(n * n * n, noise);
  float* out = filled<float>(n * n * n, [](int) { return 0.0f; });
  dim3 threads(8, 8, 8);
  dim3 blocks(n / 8, n / 8, n / 8);
  stencil<<<blocks, threads>>>(in, out, n);
  return print_checksum(out, n * n * n);
}
