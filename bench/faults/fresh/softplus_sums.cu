// Adds 96 values of a table, divided by the temperature of each thread.
#include "../host.cuh"

constexpr int threads = 270336, size = 96;

namespace before {
__global__ void softplus_sums(const float* __restrict__ table, const float* temperature, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float divisor = temperature[t];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < size; ++k) sum = 0.5f * sum + table[k] / divisor;
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void softplus_sums(const float* __restrict__ table, const float* temperature, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float factor = 1 / temperature[t];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < size; ++k) sum = 0.5f * sum + table[k] * factor;
  out[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* table = filled<float>(size, [](int i) { return i % 13 * 0.5f + 0.125f; });
  float* temperature = filled<float>(threads, [](int i) { return 1 + i % 7 * 0.25f; });
  float* out = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::softplus_sums<<<threads / 256, 256>>>(table, temperature, out);
  else
    before::softplus_sums<<<threads / 256, 256>>>(table, temperature, out);
  return print_sum(out, threads);
}
