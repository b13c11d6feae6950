// Refines the one value in eight that a mask selects.
#include "host.cuh"

constexpr int n = 540672;

namespace before {
__global__ void masked_refinement(const int* mask, float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mask[i]) {
    float x = values[i];
    for (int k = 0; k < 128; ++k) x = 0.5f * x + __expf(-x);
    values[i] = x;
  }
}
}  // namespace before

namespace after {
__global__ void masked_refinement(const int* mask, float* values) {
  __shared__ int selected[256], count;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (mask[i]) selected[atomicAdd(&count, 1)] = i;
  __syncthreads();
  if (threadIdx.x >= count) return;
  float x = values[selected[threadIdx.x]];
  for (int k = 0; k < 128; ++k) x = 0.5f * x + __expf(-x);
  values[selected[threadIdx.x]] = x;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* mask = filled<int>(n, [](int i) { return (i * 2654435761u >> 20) % 8 == 0; });
  float* values = filled<float>(n, [](int i) { return i % 19 / 19.0f; });
  if (is_after)
    after::masked_refinement<<<n / 256, 256>>>(mask, values);
  else
    before::masked_refinement<<<n / 256, 256>>>(mask, values);
  return print_sum(values, n);
}
