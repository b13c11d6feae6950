// Adds a multiple of one vector to another. Each thread handles 16 elements.
#include "host.cuh"

constexpr int threads = 67584, each = 16;

namespace before {
__global__ void axpy(const float* __restrict__ x, float* __restrict__ y, float a) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    const int i = t * each + k;
    y[i] += a * x[i];
  }
}
}  // namespace before

namespace after {
__global__ void axpy(const float* __restrict__ x, float* __restrict__ y, float a) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + t;
    y[i] += a * x[i];
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* x = filled<float>(threads * each, [](int i) { return i % 9 * 0.5f; });
  float* y = filled<float>(threads * each, [](int i) { return i % 4; });
  if (is_after)
    after::axpy<<<threads / 256, 256>>>(x, y, 2.0f);
  else
    before::axpy<<<threads / 256, 256>>>(x, y, 2.0f);
  return print_sum(y, threads * each);
}
