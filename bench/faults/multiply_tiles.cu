// Multiplies a 352 x 1024 matrix by a 1024 x 192 matrix, tile by tile.
#include "host.cuh"

constexpr int rows = 352, columns = 192, depth = 1024;

namespace before {
__global__ void multiply_tiles(const float* a, const float* b, float* c) {
  __shared__ float left[16][16], right[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int k = 0; k < depth; k += 16) {
    left[ty][tx] = a[y * depth + k + tx];
    right[ty][tx] = b[(k + ty) * columns + x];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += left[ty][j] * right[j][tx];
    __syncthreads();
  }
  c[y * columns + x] = sum;
}
}  // namespace before

namespace after {
__global__ void multiply_tiles(const float* a, const float* b, float* c) {
  __shared__ float left[16][16], right[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0, next_a = a[y * depth + tx], next_b = b[ty * columns + x];
  for (int k = 0; k < depth; k += 16) {
    left[ty][tx] = next_a;
    right[ty][tx] = next_b;
    __syncthreads();
    if (k + 16 < depth) {
      next_a = a[y * depth + k + 16 + tx];
      next_b = b[(k + 16 + ty) * columns + x];
    }
    for (int j = 0; j < 16; ++j) sum += left[ty][j] * right[j][tx];
    __syncthreads();
  }
  c[y * columns + x] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* a = filled<float>(rows * depth, [](int i) { return i % 7 * 0.25f; });
  float* b = filled<float>(depth * columns, [](int i) { return i % 5 * 0.5f; });
  float* c = filled<float>(rows * columns, [](int) { return 0; });
  if (is_after)
    after::multiply_tiles<<<dim3(columns / 16, rows / 16), dim3(16, 16)>>>(a, b, c);
  else
    before::multiply_tiles<<<dim3(columns / 16, rows / 16), dim3(16, 16)>>>(a, b, c);
  return print_sum(c, rows * columns);
}
