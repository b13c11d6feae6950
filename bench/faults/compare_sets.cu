// Compares two sets of 5632 values by their products with the reversed sets.
#include "host.cuh"

constexpr int pairs = 1056, sets = 64, size = 5632, threads = 128;

namespace before {
__device__ float fold(const float* in, float* buffer) {
  for (int i = threadIdx.x; i < size; i += threads) buffer[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < size; i += threads) sum += buffer[i] * buffer[size - 1 - i];
  return sum;
}
__global__ void compare_sets(const float* in, float* out) {
  __shared__ float first[size];
  __shared__ float second[size];
  const float* set = in + blockIdx.x % sets * 2 * size;
  const float a = fold(set, first);
  __syncthreads();
  const float b = fold(set + size, second);
  out[blockIdx.x * threads + threadIdx.x] = a - b;
}
}  // namespace before

namespace after {
__device__ float fold(const float* in, float* buffer) {
  for (int i = threadIdx.x; i < size; i += threads) buffer[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < size; i += threads) sum += buffer[i] * buffer[size - 1 - i];
  return sum;
}
__global__ void compare_sets(const float* in, float* out) {
  __shared__ float first[size];

  const float* set = in + blockIdx.x % sets * 2 * size;
  const float a = fold(set, first);
  __syncthreads();
  const float b = fold(set + size, first);
  out[blockIdx.x * threads + threadIdx.x] = a - b;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(sets * 2 * size, [](int i) { return (i + i / size) % 13 * 0.25f; });
  float* out = filled<float>(pairs * threads, [](int) { return 0; });
  if (is_after)
    after::compare_sets<<<pairs, threads>>>(in, out);
  else
    before::compare_sets<<<pairs, threads>>>(in, out);
  return print_sum(out, pairs * threads);
}
