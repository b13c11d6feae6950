// Computes the distance of each point from the origin.
#include "host.cuh"

constexpr int points = 1 << 21;

namespace before {
__global__ void distances(const float* x, const float* y, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}
}  // namespace before

namespace after {
__global__ void distances(const float* x, const float* y, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* x = filled<float>(points, [](int i) { return i % 9 * 0.5f; });
  float* y = filled<float>(points, [](int i) { return i % 4 + 1; });
  float* out = filled<float>(points, [](int) { return 0; });
  if (is_after)
    after::distances<<<points / 256, 256>>>(x, y, out);
  else
    before::distances<<<points / 32, 32>>>(x, y, out);
  return print_sum(out, points);
}
