// Adds eight windows of a signal that begin at multiples of 2,051 samples.
#include "../host.cuh"

constexpr int windows = 8, width = 540672;

namespace before {
constexpr int hop = 2051;
__global__ void scale_windows(const float* signal, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int w = 0; w < windows; ++w) sum += signal[w * (width + hop) + i + 3];
  out[i] = sum;
}
}  // namespace before

namespace after {
constexpr int hop = 2048;
__global__ void scale_windows(const float* signal, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int w = 0; w < windows; ++w) sum += signal[w * (width + hop) + i];
  out[i] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  const int hop = is_after ? after::hop : before::hop, first = is_after ? 0 : 3;
  float* signal = filled<float>(windows * (width + 2051) + 64, [=](int i) {
    const int w = (i - first) / (width + hop), at = (i - first) % (width + hop);
    return (w + at) % 13 * 0.25f;
  });
  float* out = filled<float>(width, [](int) { return 0; });
  if (is_after)
    after::scale_windows<<<width / 256, 256>>>(signal, out);
  else
    before::scale_windows<<<width / 256, 256>>>(signal, out);
  return print_sum(out, width);
}
