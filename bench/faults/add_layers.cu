// Adds 64 layers of an image.
#include "host.cuh"

constexpr int pixels = 33792, layers = 64;

namespace before {
__global__ void add_layers(const float* layer, float* image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < layers; ++k) {
    image[i] += layer[k * pixels + i];
  }
}
}  // namespace before

namespace after {
__global__ void add_layers(const float* layer, float* image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = image[i];
  for (int k = 0; k < layers; ++k) sum += layer[k * pixels + i];
  image[i] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* layer = filled<float>(pixels * layers, [](int i) { return i % 15 * 0.25f; });
  float* image = filled<float>(pixels, [](int) { return 0; });
  if (is_after)
    after::add_layers<<<pixels / 128, 128>>>(layer, image);
  else
    before::add_layers<<<pixels / 128, 128>>>(layer, image);
  return print_sum(image, pixels);
}
