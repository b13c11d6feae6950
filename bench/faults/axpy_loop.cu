// Adds a multiple of one vector to another in a loop over the grid.
#include "host.cuh"

constexpr int n = 1 << 20;

namespace before {
__global__ void axpy(const float* x, float* y, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}
}  // namespace before

namespace after {
__global__ void axpy(const float* x, float* y, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* x = filled<float>(n, [](int i) { return i % 9 * 0.5f; });
  float* y = filled<float>(n, [](int i) { return i % 4; });
  if (is_after)
    after::axpy<<<1056, 256>>>(x, y, 2.0f);
  else
    before::axpy<<<16, 256>>>(x, y, 2.0f);
  return print_sum(y, n);
}
