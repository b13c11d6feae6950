// Rotates an image by 90 degrees.
#include "host.cuh"

constexpr int side = 2048;

namespace before {
__global__ void rotate_image(const int* in, int* out) {
  __shared__ int tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.x][threadIdx.y + j] = in[(y + j) * side + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * side + side - 1 - x] = tile[threadIdx.y + j][threadIdx.x];
}
}  // namespace before

namespace after {
__global__ void rotate_image(const int* in, int* out) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.x][threadIdx.y + j] = in[(y + j) * side + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * side + side - 1 - x] = tile[threadIdx.y + j][threadIdx.x];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* in = filled<int>(side * side, [](int i) { return i % 251; });
  int* out = filled<int>(side * side, [](int) { return 0; });
  if (is_after)
    after::rotate_image<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(in, out);
  else
    before::rotate_image<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(in, out);
  return print_sum(out, side * side);
}
