// Sums the lengths of twelve vectors per thread.
#include "../host.cuh"

constexpr int threads = 135168, each = 12;

namespace before {
__global__ void hypotenuses(const float* x, const float* y, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += sqrt(1.5 * x[k * threads + t] + 0.25 * y[k * threads + t]);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void hypotenuses(const float* x, const float* y, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += sqrtf(1.5f * x[k * threads + t] + 0.25f * y[k * threads + t]);
  out[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* x = filled<float>(threads * each, [](int i) { return i % 17 * 0.5f + 1; });
  float* y = filled<float>(threads * each, [](int i) { return i % 5 * 0.25f + 1; });
  float* out = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::hypotenuses<<<threads / 256, 256>>>(x, y, out);
  else
    before::hypotenuses<<<threads / 256, 256>>>(x, y, out);
  return print_sum(out, threads);
}
