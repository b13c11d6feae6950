// Sums the powers 1.5 of eight distances per thread.
#include "host.cuh"

constexpr int threads = 270336, each = 8;

namespace before {
__global__ void fall_times(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += powf(in[k * threads + t], 1.5f);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void fall_times(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += in[k * threads + t] * sqrtf(in[k * threads + t]);
  out[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.25f + 0.5f; });
  float* out = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::fall_times<<<threads / 256, 256>>>(in, out);
  else
    before::fall_times<<<threads / 256, 256>>>(in, out);
  return print_sum(out, threads);
}
