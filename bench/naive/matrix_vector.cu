// Multiplies an 8192 x 4096 matrix, stored in rows, with a vector: each thread computes one row.
#include "host.cuh"

__global__ void matrix_vector(const float* matrix, const float* vector, float* out, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    for (int i = 0; i < columns; i++) sum += matrix[row * columns + i] * vector[i];
    out[row] = sum;
  }
}

int main() {
  const int rows = 8192, columns = 4096;
  float* matrix = filled<float>(rows * columns, noise);
  float* vector = filled<float>(columns, [](int i) { return noise(~i); });
  float* out = filled<float>(rows, [](int) { return 0.0f; });
  matrix_vector<<<(rows + 255) / 256, 256>>>(matrix, vector, out, rows, columns);
  return print_checksum(out, rows);
}
