// Transforms each point by its own 4 x 4 matrix.
#include "host.cuh"

constexpr int points = 135168;

namespace before {
__global__ void transform_points(const float* matrices, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < 4; ++r) {
    float sum = 0;
    for (int c = 0; c < 4; ++c) sum += matrices[i * 16 + r * 4 + c] * in[c * points + i];
    out[r * points + i] = sum;
  }
}
}  // namespace before

namespace after {
__global__ void transform_points(const float* matrices, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < 4; ++r) {
    float sum = 0;
    for (int c = 0; c < 4; ++c) sum += matrices[(r * 4 + c) * points + i] * in[c * points + i];
    out[r * points + i] = sum;
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  const auto element = [](int i, int k) { return (i + 3 * k) % 8 * 0.25f; };
  float* matrices = filled<float>(
      points * 16, [&](int j) { return is_after ? element(j % points, j / points) : element(j / 16, j % 16); });
  float* in = filled<float>(points * 4, [](int i) { return i % 6 * 0.5f; });
  float* out = filled<float>(points * 4, [](int) { return 0; });
  if (is_after)
    after::transform_points<<<points / 256, 256>>>(matrices, in, out);
  else
    before::transform_points<<<points / 256, 256>>>(matrices, in, out);
  return print_sum(out, points * 4);
}
