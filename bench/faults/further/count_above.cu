// Counts the values above each of eight limits. Each limit is a pass over all values, which are more than L2 can hold, or
// all limits are compared with one part of the values after another.
#include "../host.cuh"

constexpr int blocks = 1056, threads = 256, rounds = 128, limits = 8;
constexpr int round_values = blocks * threads, values = rounds * round_values;  // 138 MB
constexpr int rounds_of_part = 8;                                               // 8.7 MB

__device__ float limit_of(int k) { return k * 0.11f; }

namespace before {
__global__ void count_above(const float* value, int* above) {
  const int i = blockIdx.x * threads + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < limits; ++k) {
    int n = 0;
#pragma unroll 8
    for (int r = 0; r < rounds; ++r) n += value[r * round_values + i] > limit_of(k);
    above[k * round_values + i] = n;
  }
}
}  // namespace before

namespace after {
__global__ void count_above(const float* value, int* above) {
  const int i = blockIdx.x * threads + threadIdx.x;
#pragma unroll 1
  for (int part = 0; part < rounds; part += rounds_of_part)
#pragma unroll 1
    for (int k = 0; k < limits; ++k) {
      int n = part == 0 ? 0 : above[k * round_values + i];
#pragma unroll
      for (int r = 0; r < rounds_of_part; ++r) n += value[(part + r) * round_values + i] > limit_of(k);
      above[k * round_values + i] = n;
    }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* value = filled<float>(values, [](int i) { return i % 97 * 0.01f; });
  int* above = filled<int>(limits * round_values, [](int) { return 0; });
  if (is_after)
    after::count_above<<<blocks, threads>>>(value, above);
  else
    before::count_above<<<blocks, threads>>>(value, above);
  return print_sum(above, limits * round_values);
}
