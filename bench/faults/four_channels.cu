// Applies another function to each of four interleaved channels.
#include "host.cuh"

constexpr int n = 540672;

namespace before {
__global__ void four_channels(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float x = in[i];
  switch (i % 4) {
    case 0:
      for (int k = 0; k < 16; ++k) x = sqrtf(x + k);
      break;
    case 1:
      for (int k = 0; k < 16; ++k) x = logf(x + k + 2);
      break;
    case 2:
      for (int k = 0; k < 16; ++k) x = expf(-x);
      break;
    default:
      for (int k = 0; k < 16; ++k) x = 1 / (x + k);
  }
  out[i] = x;
}
}  // namespace before

namespace after {
__global__ void four_channels(const float* in, float* out) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t / 128 * 128 + t % 32 * 4 + t / 32 % 4;
  float x = in[i];
  switch (i % 4) {
    case 0:
      for (int k = 0; k < 16; ++k) x = sqrtf(x + k);
      break;
    case 1:
      for (int k = 0; k < 16; ++k) x = logf(x + k + 2);
      break;
    case 2:
      for (int k = 0; k < 16; ++k) x = expf(-x);
      break;
    default:
      for (int k = 0; k < 16; ++k) x = 1 / (x + k);
  }
  out[i] = x;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(n, [](int i) { return 0.5f + i % 37 / 37.0f; });
  float* out = filled<float>(n, [](int) { return 0; });
  if (is_after)
    after::four_channels<<<n / 256, 256>>>(in, out);
  else
    before::four_channels<<<n / 256, 256>>>(in, out);
  return print_sum(out, n);
}
