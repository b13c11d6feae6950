// Averages each pixel of an image with the 15 pixels below. The rows of the image have a border pixel.
#include "host.cuh"

constexpr int width = 1024, height = 1024, taps = 16;

namespace before {
constexpr int pitch = width + 1;
__global__ void smooth_columns(const float* image, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < taps; ++k) sum += image[(y + k) * pitch + x];
  out[y * width + x] = sum / taps;
}
}  // namespace before

namespace after {
constexpr int pitch = width + 32;
__global__ void smooth_columns(const float* image, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < taps; ++k) sum += image[(y + k) * pitch + x];
  out[y * width + x] = sum / taps;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  const int pitch = is_after ? after::pitch : before::pitch;
  float* image = filled<float>(pitch * (height + taps), [=](int i) { return (i / pitch + i % pitch) % 17 / 16.0f; });
  float* out = filled<float>(width * height, [](int) { return 0; });
  if (is_after)
    after::smooth_columns<<<dim3(width / 256, height), 256>>>(image, out);
  else
    before::smooth_columns<<<dim3(width / 256, height), 256>>>(image, out);
  return print_sum(out, width * height);
}
