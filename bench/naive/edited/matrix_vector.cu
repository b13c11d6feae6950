// Multiplies an 8192 x 4096 matrix, stored in rows, with a vector: each warp computes one row.
#include "../host.cuh"

// Each warp computes one row: its lanes read neighbouring float4s. columns must be a multiple of 128 * batch.
__global__ void matrix_vector(const float* matrix, const float* vector, float* out, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row < rows) {
    float sum = 0;
    const float4* matrix4 = (const float4*)(matrix + row * columns);
    const float4* vector4 = (const float4*)vector;
    constexpr int batch = 8;  // loads in flight
    for (int i = lane; i < columns / 4; i += 32 * batch) {
      float4 m[batch], v[batch];
#pragma unroll
      for (int j = 0; j < batch; j++) m[j] = matrix4[i + 32 * j], v[j] = vector4[i + 32 * j];
#pragma unroll
      for (int j = 0; j < batch; j++) sum += m[j].x * v[j].x + m[j].y * v[j].y + m[j].z * v[j].z + m[j].w * v[j].w;
    }
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) out[row] = sum;
  }
}

int main() {
  const int rows = 8192, columns = 4096;
  float* matrix = filled<float>(rows * columns, noise);
  float* vector = filled<float>(columns, [](int i) { return noise(~i); });
  float* out = filled<float>(rows, [](int) { return 0.0f; });
  matrix_vector<<<(rows + 7) / 8, 256>>>(matrix, vector, out, rows, columns);
  return print_checksum(out, rows);
}
