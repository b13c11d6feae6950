// Ages two materials, which alternate from element to element.
#include "host.cuh"

constexpr int n = 270336, steps = 64;

namespace before {
__global__ void two_materials(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float x = in[i];
  if (i % 2 == 0) {
    for (int k = 0; k < steps; ++k) x = x * 0.75f + rsqrtf(x + 1);
  } else {
    for (int k = 0; k < steps; ++k) x = 0.5f * x + __expf(-x);
  }
  out[i] = x;
}
}  // namespace before

namespace after {
__global__ void two_materials(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t / 64 * 64 + t % 32 * 2 + t / 32 % 2;
  float x = in[i];
  if (i % 2 == 0) {
    for (int k = 0; k < steps; ++k) x = x * 0.75f + rsqrtf(x + 1);
  } else {
    for (int k = 0; k < steps; ++k) x = 0.5f * x + __expf(-x);
  }
  out[i] = x;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n, [](int i) { return i % 19 / 19.0f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::two_materials<<<n / 256, 256>>>(in, out);
  else
    before::two_materials<<<n / 256, 256>>>(in, out);
  return print_sum(out, n);
}
