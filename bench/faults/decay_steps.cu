// Decays each value by its own number of steps.
#include <algorithm>

#include "host.cuh"

constexpr int n = 270336;

namespace before {
__global__ void decay_steps(const int* order, const int* steps, float* values) {
  const int i = order[blockIdx.x * blockDim.x + threadIdx.x], count = steps[i];
  float x = values[i];
#pragma unroll 1
  for (int k = 0; k < count; ++k) x = x * 0.96875f + 0.125f * rsqrtf(x);
  values[i] = x;
}
}  // namespace before

namespace after {
__global__ void decay_steps(const int* order, const int* steps, float* values) {
  const int i = order[blockIdx.x * blockDim.x + threadIdx.x], count = steps[i];
  float x = values[i];
#pragma unroll 1
  for (int k = 0; k < count; ++k) x = x * 0.96875f + 0.125f * rsqrtf(x);
  values[i] = x;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  std::vector<int> sorted(n);
  for (int i = 0; i < n; ++i) sorted[i] = i;
  const auto count = [](int i) { return i * 2654435761u >> 16 & 255; };
  if (is_after) std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return count(a) < count(b); });
  int* order = filled<int>(n, [&](int i) { return sorted[i]; });
  int* steps = filled<int>(n, count);
  float* values = filled<float>(n, [](int i) { return 2 + i % 31; });
  if (is_after)
    after::decay_steps<<<n / 256, 256>>>(order, steps, values);
  else
    before::decay_steps<<<n / 256, 256>>>(order, steps, values);
  return print_sum(values, n);
}
