// Softmax of 4096 rows of 2048 floats: each thread computes one row.
#include "host.cuh"

__global__ void softmax(const float* in, float* out, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = in + row * columns;
  float* y = out + row * columns;
  float highest = x[0];
  for (int i = 1; i < columns; i++) highest = fmaxf(highest, x[i]);
  float sum = 0;
  for (int i = 0; i < columns; i++) sum += expf(x[i] - highest);
  for (int i = 0; i < columns; i++) y[i] = expf(x[i] - highest) / sum;
}

int main() {
  const int rows = 4096, columns = 2048;
  float* in = filled<float>(rows * columns, [](int i) { return 4 * noise(i); });
  float* out = filled<float>(rows * columns, [](int) { return 0.0f; });
  softmax<<<(rows + 255) / 256, 256>>>(in, out, rows, columns);
  return print_checksum(out, rows * columns);
}
