// Clamps values to a range.
#include "host.cuh"

constexpr int n = 1 << 19;

namespace before {
__global__ void clamp_values(const float* in, float* out, float low, float high) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fminf(fmaxf(in[i], low), high);
}
}  // namespace before

namespace after {
__global__ void clamp_values(const float* in, float* out, float low, float high) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fminf(fmaxf(in[i], low), high);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n, [](int i) { return i % 50; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::clamp_values<<<n / 256, 256>>>(in, out, 5, 30);
  else
    before::clamp_values<<<n / 8, 8>>>(in, out, 5, 30);
  return print_sum(out, n);
}
