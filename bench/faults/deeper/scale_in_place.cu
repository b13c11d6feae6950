// Scales an array with one wide load in flight, and with two.
#include "../host.cuh"

constexpr int n = 16896 * 64;

namespace before {
__global__ void scale_in_place(float* x, float a) {
  float4* x4 = reinterpret_cast<float4*>(x);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 v = x4[i];
    x4[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
  }
}
}  // namespace before

namespace after {
__global__ void scale_in_place(float* x, float a) {
  float4* x4 = reinterpret_cast<float4*>(x);
  const int step = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + step < n / 4; i += 2 * step) {
    const float4 v = x4[i], w = x4[i + step];
    x4[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
    x4[i + step] = make_float4(a * w.x, a * w.y, a * w.z, a * w.w);
  }
  if (i < n / 4) {
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
