// Transposes a square matrix through a tile.
#include "host.cuh"

constexpr int side = 2048;

namespace before {
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * side + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * side + x] = tile[threadIdx.x][threadIdx.y + j];
}
}  // namespace before

namespace after {
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * side + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * side + x] = tile[threadIdx.x][threadIdx.y + j];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(side * side, [](int i) { return i % 101 * 0.5f; });
  float* out = filled<float>(side * side, [](int) { return 0; });
  if (is_after)
    after::transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(in, out);
  else
    before::transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(in, out);
  return print_sum(out, side * side);
}
