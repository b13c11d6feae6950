// Moves values along a curve in 32 steps.
#include "host.cuh"

constexpr int n = 270336;

namespace before {
__global__ void ease_curve(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 32; ++k) x = 0.55 * x + 0.3 - 0.05 * x * x;
  out[i] = x;
}
}  // namespace before

namespace after {
__global__ void ease_curve(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int k = 0; k < 32; ++k) x = 0.55f * x + 0.3f - 0.05f * x * x;
  out[i] = x;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n, [](int i) { return i % 19 / 19.0f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::ease_curve<<<n / 256, 256>>>(in, out);
  else
    before::ease_curve<<<n / 256, 256>>>(in, out);
  return print_sum(out, n);
}
