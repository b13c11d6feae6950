// Mixes the values of each warp in 64 rounds of exchange.
#include "host.cuh"

constexpr int n = 540672, threads = 1024;

namespace before {
__global__ void warp_rotations(const float* in, float* out) {
  __shared__ float s[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  float x = in[i];
  for (int k = 1; k <= 64; ++k) {
    s[t] = x;
    __syncthreads();
    x = 0.5f * x + 0.25f * s[t / 32 * 32 + (t + k) % 32];
    __syncthreads();
  }
  out[i] = x;
}
}  // namespace before

namespace after {
__global__ void warp_rotations(const float* in, float* out) {
  __shared__ float s[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  float x = in[i];
  for (int k = 1; k <= 64; ++k) {
    s[t] = x;
    __syncwarp();
    x = 0.5f * x + 0.25f * s[t / 32 * 32 + (t + k) % 32];
    __syncwarp();
  }
  out[i] = x;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n, [](int i) { return i % 19; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::warp_rotations<<<n / threads, threads>>>(in, out);
  else
    before::warp_rotations<<<n / threads, threads>>>(in, out);
  return print_sum(out, n);
}
