// Computes the gradient of each plane of a volume along its rows.
#include "../host.cuh"

constexpr int side = 1024, planes = 4;

namespace before {
__global__ void plane_gradients(const float* volume, float* gradient) {
  const int y = blockIdx.x * 16 + threadIdx.x, x = blockIdx.y * 16 + threadIdx.y;
  if (x + 2 >= side) return;
  for (int p = 0; p < planes; ++p)
    gradient[(p * side + y) * side + x] = volume[(p * side + y) * side + x + 2] - volume[(p * side + y) * side + x];
}
}  // namespace before

namespace after {
__global__ void plane_gradients(const float* volume, float* gradient) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x + 2 >= side) return;
  for (int p = 0; p < planes; ++p)
    gradient[(p * side + y) * side + x] = volume[(p * side + y) * side + x + 2] - volume[(p * side + y) * side + x];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* volume = filled<float>(planes * side * side, [](int i) { return i % 29 * 0.5f; });
  float* gradient = filled<float>(planes * side * side, [](int) { return 0; });
  if (is_after)
    after::plane_gradients<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(volume, gradient);
  else
    before::plane_gradients<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(volume, gradient);
  return print_sum(gradient, planes * side * side);
}
