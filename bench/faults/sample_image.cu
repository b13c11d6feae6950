// Sums every 37th pixel of an image whose rows have a pitch.
#include "host.cuh"

constexpr int threads = 135168, each = 64, width = 500, height = 300, pitch = 512;

namespace before {
__global__ void sample_image(const float* image, float* out, int image_width) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) {
    const int pixel = t + k * 37;
    sum += image[pixel / image_width * pitch + pixel % image_width];
  }
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void sample_image(const float* image, float* out, int image_width) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  int row = t / image_width, column = t % image_width;
  for (int k = 0; k < each; ++k) {
    sum += image[row * pitch + column];
    column += 37;
    if (column >= image_width) column -= image_width, ++row;
  }
  out[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* image = filled<float>(pitch * height, [](int i) { return i % 11 * 0.25f; });
  float* out = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::sample_image<<<threads / 256, 256>>>(image, out, width);
  else
    before::sample_image<<<threads / 256, 256>>>(image, out, width);
  return print_sum(out, threads);
}
