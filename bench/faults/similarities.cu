// Multiplies a matrix by its own transpose.
#include "host.cuh"

constexpr int rows = 544, width = 256;

namespace before {
__global__ void similarities(const float* vectors, float* out) {
  __shared__ float left[32][32], right[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum[4] = {};
  for (int k = 0; k < width; k += 32) {
    for (int j = ty; j < 32; j += 8) left[j][tx] = vectors[(blockIdx.y * 32 + j) * width + k + tx];
    for (int j = ty; j < 32; j += 8) right[j][tx] = vectors[(blockIdx.x * 32 + j) * width + k + tx];
    __syncthreads();
    for (int d = 0; d < 32; ++d) {
      const float r = right[tx][d];
      for (int j = 0; j < 4; ++j) sum[j] += left[ty + 8 * j][d] * r;
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) out[(blockIdx.y * 32 + ty + 8 * j) * rows + blockIdx.x * 32 + tx] = sum[j];
}
}  // namespace before

namespace after {
__global__ void similarities(const float* vectors, float* out) {
  __shared__ float left[32][32], right[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum[4] = {};
  for (int k = 0; k < width; k += 32) {
    for (int j = ty; j < 32; j += 8) left[j][tx] = vectors[(blockIdx.y * 32 + j) * width + k + tx];
    for (int j = ty; j < 32; j += 8) right[j][tx] = vectors[(blockIdx.x * 32 + j) * width + k + tx];
    __syncthreads();
    for (int d = 0; d < 32; ++d) {
      const float r = right[tx][d];
      for (int j = 0; j < 4; ++j) sum[j] += left[ty + 8 * j][d] * r;
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) out[(blockIdx.y * 32 + ty + 8 * j) * rows + blockIdx.x * 32 + tx] = sum[j];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* vectors = filled<float>(rows * width, [](int i) { return i % 13 * 0.25f; });
  float* out = filled<float>(rows * rows, [](int) { return 0; });
  if (is_after)
    after::similarities<<<dim3(rows / 32, rows / 32), dim3(32, 8)>>>(vectors, out);
  else
    before::similarities<<<dim3(rows / 32, rows / 32), dim3(32, 8)>>>(vectors, out);
  return print_sum(out, rows * rows);
}
