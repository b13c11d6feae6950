// Each even element of a row passes through 48 steps of a filter. A block has a row of 512 elements.
#include "../host.cuh"

constexpr int rows = 1056, width = 512, steps = 48;

namespace before {
__global__ void early_threads(const float* in, float* out) {
  __shared__ float s[width];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * width + t];
  __syncthreads();
  if (t % 2 == 0) {
    float x = s[t];
    for (int k = 0; k < steps; ++k) x = 0.5f * x + __sinf(x);
    out[blockIdx.x * width / 2 + t / 2] = x;
  }
}
}  // namespace before

namespace after {
__global__ void early_threads(const float* in, float* out) {
  __shared__ float s[width];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * width + t];
  __syncthreads();
  if (t < width / 2) {
    float x = s[2 * t];
    for (int k = 0; k < steps; ++k) x = 0.5f * x + __sinf(x);
    out[blockIdx.x * width / 2 + t] = x;
  }
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(rows * width, [](int i) { return i % 31 / 31.0f; });
  float* out = filled<float>(rows * width / 2, [](int) { return 0; });
  if (is_after)
    after::early_threads<<<rows, width>>>(in, out);
  else
    before::early_threads<<<rows, width>>>(in, out);
  return print_sum(out, rows * width / 2);
}
