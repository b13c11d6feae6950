// Multiplies an 8192 x 4096 matrix, stored in rows, with a vector: a warp a row, with eight wide loads in flight.
#include "../host.cuh"

__global__ void __launch_bounds__(256) matrix_vector(const float* matrix, const float* vector, float* out,
                                                     int columns) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  const float4* x = reinterpret_cast<const float4*>(matrix + row * columns);
  const float4* y = reinterpret_cast<const float4*>(vector);
  float sums[4] = {};
#pragma unroll 1
  for (int i = lane; i < columns / 4; i += 8 * 32) {
    float4 a[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) a[j] = __ldcs(&x[i + j * 32]);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float4 b = y[i + j * 32];
      sums[0] += a[j].x * b.x;
      sums[1] += a[j].y * b.y;
      sums[2] += a[j].z * b.z;
      sums[3] += a[j].w * b.w;
    }
  }
  float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#pragma unroll
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) out[row] = sum;
}

int main() {
  const int rows = 8192, columns = 4096;
  float* matrix = filled<float>(rows * columns, noise);
  float* vector = filled<float>(columns, [](int i) { return noise(~i); });
  float* out = filled<float>(rows, [](int) { return 0.0f; });
  matrix_vector<<<rows / 8, 256>>>(matrix, vector, out, columns);
  return print_checksum(out, rows);
}
