// Counts how often each of 16 grades occurs.
#include "host.cuh"

constexpr int threads = 67584, each = 4, grades = 16;

namespace before {
__global__ void grade_counts(const int* grade, int* counts) {
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[grade[i]], 1);
  }
}
}  // namespace before

namespace after {
__global__ void grade_counts(const int* grade, int* counts) {
  __shared__ int part[grades];
  if (threadIdx.x < grades) part[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&part[grade[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < grades) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* grade = filled<int>(threads * each, [](int i) { return i * 2654435761u >> 28; });
  int* counts = filled<int>(grades, [](int) { return 0; });
  if (is_after)
    after::grade_counts<<<threads / 256, 256>>>(grade, counts);
  else
    before::grade_counts<<<threads / 256, 256>>>(grade, counts);
  return print_sum(counts, grades);
}
