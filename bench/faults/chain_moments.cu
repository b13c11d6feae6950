// Computes 24 moments of the values along a chain through a table.
#include "host.cuh"

constexpr int chains = 540672, steps = 16, table_size = 1 << 20;

namespace before {
__global__ void chain_moments(const int* next, const float* value, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float moment[24] = {};
  for (int k = 0, at = i % table_size; k < steps; ++k, at = next[at]) {
    const float x = value[at];
    float power = 1;
#pragma unroll
    for (int m = 0; m < 24; ++m) moment[m] += power *= x;
  }
  float sum = 0;
#pragma unroll
  for (int m = 0; m < 24; ++m) sum += moment[m] * moment[23 - m];
  out[i] = sum;
}
}  // namespace before

namespace after {
__global__ void chain_moments(const int* next, const float* value, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float moment[24] = {};
  for (int k = 0, at = i % table_size; k < steps; ++k, at = next[at]) {
    const float x = value[at];
    float power = 1;
#pragma unroll
    for (int m = 0; m < 24; ++m) moment[m] += power *= x;
  }
  float sum = 0;
#pragma unroll
  for (int m = 0; m < 24; ++m) sum += moment[m] * moment[23 - m];
  out[i] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* next = filled<int>(table_size, [](int i) { return (i + 65536 * 5 + 32) % table_size; });
  float* value = filled<float>(table_size, [](int i) { return 0.5f + i % 64 / 128.0f; });
  float* out = filled<float>(chains, [](int) { return 0; });
  if (is_after)
    after::chain_moments<<<chains / 256, 256>>>(next, value, out);
  else
    before::chain_moments<<<chains / 1024, 1024>>>(next, value, out);
  return print_sum(out, chains);
}
