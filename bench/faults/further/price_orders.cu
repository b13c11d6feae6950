// Looks prices up in a table of 64 KB, which is in pinned memory of the host, or in memory of the device.
#include "../host.cuh"

constexpr int n = 270336, items = 16384;

namespace before {
__global__ void price_orders(const int* item, const float* price, float* cost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cost[i] = 1.25f * price[item[i]];
}
}  // namespace before

namespace after {
__global__ void price_orders(const int* item, const float* price, float* cost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cost[i] = 1.25f * price[item[i]];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float *price, *copy, *cost = filled<float>(n, [](int) { return 0; });
  int* item = filled<int>(n, [](int i) { return i * 37 % items; });
  cudaMallocHost(&price, items * sizeof(float));
  for (int i = 0; i < items; ++i) price[i] = i % 100 * 0.5f;
  if (is_after) {
    cudaMalloc(&copy, items * sizeof(float));
    cudaMemcpy(copy, price, items * sizeof(float), cudaMemcpyHostToDevice);
    after::price_orders<<<n / 256, 256>>>(item, copy, cost);
  } else {
    before::price_orders<<<n / 256, 256>>>(item, price, cost);
  }
  return print_sum(cost, n);
}
