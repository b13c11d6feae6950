// Relaxes each value towards a fixed point in 128 steps.
#include "host.cuh"

constexpr int n = 265 * 1024 * 8;

namespace before {
__global__ void relax_values(const float* in, float* out) {
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) {
    float value = in[i];
    for (int k = 0; k < 128; ++k) value = 0.75f * value + 1;
    out[i] = value;
  }
}
}  // namespace before

namespace after {
__global__ void relax_values(const float* in, float* out) {
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) {
    float value = in[i];
    for (int k = 0; k < 128; ++k) value = 0.75f * value + 1;
    out[i] = value;
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n, [](int i) { return i % 9; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::relax_values<<<264, 1024>>>(in, out);
  else
    before::relax_values<<<265, 1024>>>(in, out);
  return print_sum(out, n);
}
