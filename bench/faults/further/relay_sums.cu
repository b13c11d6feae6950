// Two warps pass values to each other, and correct them in few or many steps. A block has eight such pairs.
#include "../host.cuh"

constexpr int blocks = 132, pairs = 8, rounds = 64, most_steps = 24;

namespace before {
__global__ void relay_sums(const int* steps, const float* in, float* out) {
  __shared__ float values[pairs][64];
  const int t = threadIdx.x % 64, pair = threadIdx.x / 64, row = blockIdx.x * pairs + pair;
  float sum = in[row * 64 + t];
  for (int r = 0; r < rounds; ++r) {
    values[pair][t] = sum;
    __syncthreads();
    const float other = values[pair][(t + 33) % 64];
    for (int n = steps[row * rounds + r]; n > 0; --n) sum = sqrtf(0.5f * sum * sum + other);
    __syncthreads();
  }
  out[row * 64 + t] = sum;
}
}  // namespace before

namespace after {
__device__ void meet(int pair) { asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory"); }

__global__ void relay_sums(const int* steps, const float* in, float* out) {
  __shared__ float values[pairs][64];
  const int t = threadIdx.x % 64, pair = threadIdx.x / 64, row = blockIdx.x * pairs + pair;
  float sum = in[row * 64 + t];
  for (int r = 0; r < rounds; ++r) {
    values[pair][t] = sum;
    meet(pair);
    const float other = values[pair][(t + 33) % 64];
    for (int n = steps[row * rounds + r]; n > 0; --n) sum = sqrtf(0.5f * sum * sum + other);
    meet(pair);
  }
  out[row * 64 + t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* steps = filled<int>(blocks * pairs * rounds, [](int i) { return i * 7919ll % 997 < 125 ? most_steps : 1; });
  float* in = filled<float>(blocks * pairs * 64, [](int i) { return i % 7; });
  float* out = filled<float>(blocks * pairs * 64, [](int) { return 0; });
  if (is_after)
    after::relay_sums<<<blocks, pairs * 64>>>(steps, in, out);
  else
    before::relay_sums<<<blocks, pairs * 64>>>(steps, in, out);
  return print_sum(out, blocks * pairs * 64);
}
