// Brightens the pixels of an image. Each thread handles 32 pixels.
#include "host.cuh"

constexpr int threads = 16896, each = 32;

namespace before {
__global__ void brighten(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    out[k * threads + t] = in[k * threads + t] * 1.5f + 0.25f;
  }
}
}  // namespace before

namespace after {
__global__ void brighten(const float* __restrict__ in, float* __restrict__ out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) {
    out[k * threads + t] = in[k * threads + t] * 1.5f + 0.25f;
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.5f; });
  float* out = filled<float>(threads * each, [](int) { return 0; });
  if (is_after)
    after::brighten<<<threads / 64, 64>>>(in, out);
  else
    before::brighten<<<threads / 64, 64>>>(in, out);
  return print_sum(out, threads * each);
}
