// Multiplies two square matrices without tiles.
#include "host.cuh"

constexpr int side = 320;

namespace before {
__global__ void multiply_matrices(const float* a, const float* b, float* c) {
  const int row = blockIdx.x * 16 + threadIdx.x, column = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < side; ++k) sum += a[row * side + k] * b[k * side + column];
  c[row * side + column] = sum;
}
}  // namespace before

namespace after {
__global__ void multiply_matrices(const float* a, const float* b, float* c) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < side; ++k) sum += a[row * side + k] * b[k * side + column];
  c[row * side + column] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* a = filled<float>(side * side, [](int i) { return i % 7 * 0.25f; });
  float* b = filled<float>(side * side, [](int i) { return i % 5 * 0.5f; });
  float* c = filled<float>(side * side, [](int) { return 0; });
  if (is_after)
    after::multiply_matrices<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(a, b, c);
  else
    before::multiply_matrices<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(a, b, c);
  return print_sum(c, side * side);
}
