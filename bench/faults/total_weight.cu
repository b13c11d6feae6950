// Sums the weights of all items.
#include "host.cuh"

constexpr int n = 67584;

namespace before {
__global__ void total_weight(const float* weight, float* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(total, weight[i]);
}
}  // namespace before

namespace after {
__global__ void total_weight(const float* weight, float* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = weight[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* weight = filled<float>(n, [](int i) { return i % 11 * 0.25f; });
  float* total = filled<float>(1, [](int) { return 0; });
  if (is_after)
    after::total_weight<<<n / 256, 256>>>(weight, total);
  else
    before::total_weight<<<n / 256, 256>>>(weight, total);
  return print_sum(total, 1);
}
