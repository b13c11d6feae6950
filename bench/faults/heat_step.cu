// One step of the heat equation on a square grid.
#include "host.cuh"

constexpr int side = 2048;

namespace before {
__global__ void heat_step(const float* old_heat, float* heat) {
  const int y = blockIdx.x * 32 + threadIdx.x, x = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  const float* at = old_heat + y * side + x;
  heat[y * side + x] = at[0] + 0.125f * (at[-1] + at[1] + at[-side] + at[side] - 4 * at[0]);
}
}  // namespace before

namespace after {
__global__ void heat_step(const float* old_heat, float* heat) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  const float* at = old_heat + y * side + x;
  heat[y * side + x] = at[0] + 0.125f * (at[-1] + at[1] + at[-side] + at[side] - 4 * at[0]);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* old_heat = filled<float>(side * side, [](int i) { return i % 37 * 0.5f; });
  float* heat = filled<float>(side * side, [](int) { return 0; });
  if (is_after)
    after::heat_step<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(old_heat, heat);
  else
    before::heat_step<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(old_heat, heat);
  return print_sum(heat, side * side);
}
