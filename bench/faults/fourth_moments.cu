// Sums the fourth powers of the distances from a mean.
#include "host.cuh"

constexpr int threads = 67584, each = 8;

namespace before {
__global__ void fourth_moments(const float* in, float* out, float mean) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += pow(double(in[k * threads + t] - mean), 4.0);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void fourth_moments(const float* in, float* out, float mean) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) {
    const float square = (in[k * threads + t] - mean) * (in[k * threads + t] - mean);
    sum += square * square;
  }
  out[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.25f; });
  float* out = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::fourth_moments<<<threads / 256, 256>>>(in, out, 2);
  else
    before::fourth_moments<<<threads / 256, 256>>>(in, out, 2);
  return print_sum(out, threads);
}
