// Multiplies an 8192 x 4096 matrix, stored in rows, with a vector: a warp a row, with wide loads, unrolled by 8.
#include "../host.cuh"

__global__ void __launch_bounds__(256)
    matrix_vector(const float* matrix, const float* vector, float* out, int columns) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  const float4* x = reinterpret_cast<const float4*>(matrix + row * columns);
  const float4* y = reinterpret_cast<const float4*>(vector);
  float sums[4] = {};
#pragma unroll 8
  for (int i = lane; i < columns / 4; i += 32) {
    float4 a = __ldcs(&x[i]), b = y[i];
    sums[0] += a.x * b.x;
    sums[1] += a.y * b.y;
    sums[2] += a.z * b.z;
    sums[3] += a.w * b.w;
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
