// Sums the squares of each block of 256 values.
#include "host.cuh"

constexpr int blocks = 4224, threads = 256;

namespace before {
__global__ void energies(const float* in, float* out) {
  __shared__ float square[threads];
  const float value = in[blockIdx.x * threads + threadIdx.x];
  square[threadIdx.x] = value * value;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < threads; ++i) sum += square[i];
    out[blockIdx.x] = sum;
  }
}
}  // namespace before

namespace after {
__global__ void energies(const float* in, float* out) {
  __shared__ float square[threads];
  const float value = in[blockIdx.x * threads + threadIdx.x];
  square[threadIdx.x] = value * value;
  for (int d = threads / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) square[threadIdx.x] += square[threadIdx.x + d];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = square[0];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(blocks * threads, [](int i) { return i % 9 * 0.5f; });
  float* out = filled<float>(blocks, [](int) { return 0; });
  if (is_after)
    after::energies<<<blocks, threads>>>(in, out);
  else
    before::energies<<<blocks, threads>>>(in, out);
  return print_sum(out, blocks);
}
