// Adds 64 layers of an image.
#include <cstdio>
#include <cstring>
#include <vector>

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

template <class T, class F>
T* filled(int n, F value) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i) host[i] = value(i);
  T* device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
double checksum(const T* device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(host[i]) * (1 + i % 7);
  return sum;
}

int main(int argc, char** argv) {
  const bool is_after = argc > 1 && !strcmp(argv[1], "after");
  float* layer = filled<float>(pixels * layers, [](int i) { return i % 15 * 0.25f; });
  float* image = filled<float>(pixels, [](int) { return 0; });
  if (is_after)
    after::add_layers<<<pixels / 128, 128>>>(layer, image);
  else
    before::add_layers<<<pixels / 128, 128>>>(layer, image);
  printf("%.3e\n", checksum(image, pixels));
  return cudaDeviceSynchronize() != cudaSuccess;
}
