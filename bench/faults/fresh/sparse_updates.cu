// Iterates the one cell in sixteen that is active.
#include "../host.cuh"

constexpr int n = 811008, rounds = 80;

namespace before {
__global__ void sparse_updates(const unsigned char* active, float* cell) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (active[i] == 0) return;
  float x = cell[i];
  for (int k = 0; k < rounds; ++k) x = __fsqrt_rn(x * x + 0.5f) - 0.25f * x;
  cell[i] = x;
}
}  // namespace before

namespace after {
__global__ void sparse_updates(const unsigned char* active, float* cell) {
  __shared__ int found[256], count;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (active[i] != 0) found[atomicAdd(&count, 1)] = i;
  __syncthreads();
  for (int n = threadIdx.x; n < count; n += blockDim.x) {
    float x = cell[found[n]];
    for (int k = 0; k < rounds; ++k) x = __fsqrt_rn(x * x + 0.5f) - 0.25f * x;
    cell[found[n]] = x;
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  unsigned char* active = filled<unsigned char>(n, [](int i) { return (i * 2246822519u >> 18) % 16 == 3; });
  float* cell = filled<float>(n, [](int i) { return i % 23 / 23.0f; });
  if (is_after)
    after::sparse_updates<<<n / 256, 256>>>(active, cell);
  else
    before::sparse_updates<<<n / 256, 256>>>(active, cell);
  return print_sum(cell, n);
}
