// Transposes a 4096 x 4096 matrix: 4 x 4 elements a thread in registers, and a swizzled tile for wide stores in rows.
#include "../host.cuh"

__global__ void __launch_bounds__(256) transpose(const float* in, float* out, int n) {
  __shared__ float4 tile[64][16];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
  float v[4][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    float4 row = *reinterpret_cast<const float4*>(in + (y0 + 4 * ty + j) * n + x0 + 4 * tx);
    v[j][0] = row.x, v[j][1] = row.y, v[j][2] = row.z, v[j][3] = row.w;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) tile[4 * tx + k][ty ^ tx] = make_float4(v[0][k], v[1][k], v[2][k], v[3][k]);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    int row = ty + 16 * j;
    *reinterpret_cast<float4*>(out + (x0 + row) * n + y0 + 4 * tx) = tile[row][tx ^ row / 4];
  }
}

int main() {
  const int n = 4096;
  float* in = filled<float>(n * n, noise);
  float* out = filled<float>(n * n, [](int) { return 0.0f; });
  transpose<<<dim3(n / 64, n / 64), 256>>>(in, out, n);
  return print_checksum(out, n * n);
}
