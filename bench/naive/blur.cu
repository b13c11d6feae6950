// Filters a 4096 x 4096 image with 5 x 5 weights: each thread computes one pixel.
#include "host.cuh"

__global__ void blur(const float* in, const float* weights, float* out, int width, int height, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -radius; dy <= radius; dy++) {
    for (int dx = -radius; dx <= radius; dx++) {
      if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height) {
        float weight = weights[(dy + radius) * (2 * radius + 1) + dx + radius];
        sum += weight * in[(y + dy) * width + x + dx];
      }
    }
  }
  out[y * width + x] = sum;
}

int main() {
  const int n = 4096, radius = 2;
  float* in = filled<float>(n * n, [](int i) { return 1 + noise(i); });
  float* weights = filled<float>(25, [](int i) { return 0.04f + noise(i) / 50; });
  float* out = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(16, 16);
  dim3 blocks((n + 15) / 16, (n + 15) / 16);
  blur<<<blocks, threads>>>(in, weights, out, n, n, radius);
  return print_checksum(out, n * n);
}
