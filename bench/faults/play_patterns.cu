// Each thread filters 64 samples of its own pattern of 16 values.
#include "host.cuh"

constexpr int n = 1 << 18, threads = 64, size = 16;

namespace before {
__global__ void play_patterns(const float* in, float* out, int step) {
  __shared__ float values[threads][181];
  const int i = blockIdx.x * threads + threadIdx.x;
  float* pattern = values[threadIdx.x];
  for (int k = 0; k < size; ++k) pattern[k] = in[k * n + i];
  float level = 0;
  for (int k = 0; k < 64; ++k) level = 0.75f * level + 0.25f * pattern[k * step % size];
  out[i] = level;
}
}  // namespace before

namespace after {
__global__ void play_patterns(const float* in, float* out, int step) {
  __shared__ float values[threads][17];
  const int i = blockIdx.x * threads + threadIdx.x;
  float* pattern = values[threadIdx.x];
  for (int k = 0; k < size; ++k) pattern[k] = in[k * n + i];
  float level = 0;
  for (int k = 0; k < 64; ++k) level = 0.75f * level + 0.25f * pattern[k * step % size];
  out[i] = level;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n * size, [](int i) { return i % 29; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::play_patterns<<<n / threads, threads>>>(in, out, 5);
  else
    before::play_patterns<<<n / threads, threads>>>(in, out, 5);
  return print_sum(out, n);
}
