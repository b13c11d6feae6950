// Counts digits, most of which are zero, in shared memory.
#include "host.cuh"

constexpr int threads = 67584, each = 64, digits = 10, copies = 32;

namespace before {
__global__ void digit_counts(const int* digit, int* counts) {
  __shared__ int part[digits];
  if (threadIdx.x < digits) part[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int d = digit[k * threads + blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&part[d], k + 1);
  }
  __syncthreads();
  if (threadIdx.x < digits) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}
}  // namespace before

namespace after {
__global__ void digit_counts(const int* digit, int* counts) {
  __shared__ int part[digits * copies];
  for (int j = threadIdx.x; j < digits * copies; j += blockDim.x) part[j] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int d = digit[k * threads + blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&part[d * copies + threadIdx.x % copies], k + 1);
  }
  __syncthreads();
  if (threadIdx.x < digits) {
    int sum = 0;
    for (int c = 0; c < copies; ++c) sum += part[threadIdx.x * copies + (c + threadIdx.x) % copies];
    atomicAdd(&counts[threadIdx.x], sum);
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* digit = filled<int>(threads * each, [](int i) { return (i * 2654435761u >> 16) % 32 < 28 ? 0 : i % digits; });
  int* counts = filled<int>(digits, [](int) { return 0; });
  if (is_after)
    after::digit_counts<<<threads / 256, 256>>>(digit, counts);
  else
    before::digit_counts<<<threads / 256, 256>>>(digit, counts);
  return print_sum(counts, digits);
}
