// Sums 16 waves at each point.
#include "host.cuh"

constexpr int n = 270336;

namespace before {
__global__ void wave_heights(const float* x, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float height = 20;
  for (int k = 1; k <= 16; ++k) height += sinf(x[i] * k) / k;
  out[i] = height;
}
}  // namespace before

namespace after {
__global__ void wave_heights(const float* x, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float height = 20;
  for (int k = 1; k <= 16; ++k) height += __sinf(x[i] * k) / k;
  out[i] = height;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* x = filled<float>(n, [](int i) { return i % 1000 / 5000.0f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::wave_heights<<<n / 256, 256>>>(x, out);
  else
    before::wave_heights<<<n / 256, 256>>>(x, out);
  return print_sum(out, n);
}
