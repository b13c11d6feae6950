// Scales a vector in place in a loop over the grid.
#include "host.cuh"

constexpr int n = 16896 * 64;

namespace before {
__global__ void scale_in_place(float* x, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] = a * x[i];
  }
}
}  // namespace before

namespace after {
__global__ void scale_in_place(float* x, float a) {
  float4* x4 = reinterpret_cast<float4*>(x);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 v = x4[i];
    x4[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* x = filled<float>(n, [](int i) { return i % 29; });
  if (is_after)
    after::scale_in_place<<<264, 64>>>(x, 1.5f);
  else
    before::scale_in_place<<<264, 64>>>(x, 1.5f);
  return print_sum(x, n);
}
