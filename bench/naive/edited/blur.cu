// Filters a 4096 x 4096 image with 5 x 5 weights: each thread computes 4 x 4 pixels.
#include "../host.cuh"

constexpr int tile = 4;  // the pixels of a thread in each direction

// The width must be a multiple of 4.
template <int radius>
__global__ void blur(const float* in, const float* weights, float* out, int width, int height) {
  static_assert(radius == 2);
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * tile;
  int y = (blockIdx.y * blockDim.y + threadIdx.y) * tile;
  if (x >= width || y >= height) return;
  constexpr int size = 2 * radius + 1, count = size * size;
  float w[(count + 3) / 4 * 4];
#pragma unroll
  for (int i = 0; i < count / 4; i++) ((float4*)w)[i] = ((const float4*)weights)[i];
#pragma unroll
  for (int i = count / 4 * 4; i < count; i++) w[i] = weights[i];
  float sum[tile][tile] = {};
#pragma unroll
  for (int r = 0; r < tile + 2 * radius; r++) {
    int from = y + r - radius;
    float2 left = {}, right = {};
    float4 middle = {};
    if (from >= 0 && from < height) {
      const float* row = in + from * width + x;
      if (x > 0) left = *(const float2*)(row - 2);
      middle = *(const float4*)row;
      if (x + tile < width) right = *(const float2*)(row + tile);
    }
    float value[tile + 2 * radius] = {left.x, left.y, middle.x, middle.y, middle.z, middle.w, right.x, right.y};
#pragma unroll
    for (int i = 0; i < tile; i++) {
      int dy = r - i;
      if (dy >= 0 && dy < size) {
#pragma unroll
        for (int j = 0; j < tile; j++) {
#pragma unroll
          for (int dx = 0; dx < size; dx++) sum[i][j] += w[dy * size + dx] * value[j + dx];
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < tile; i++) {
    if (y + i < height) *(float4*)(out + (y + i) * width + x) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
  }
}

int main() {
  const int n = 4096, radius = 2;
  float* in = filled<float>(n * n, [](int i) { return 1 + noise(i); });
  float* weights = filled<float>(25, [](int i) { return 0.04f + noise(i) / 50; });
  float* out = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(16, 16);
  dim3 blocks((n + 16 * tile - 1) / (16 * tile), (n + 16 * tile - 1) / (16 * tile));
  blur<radius><<<blocks, threads>>>(in, weights, out, n, n);
  return print_checksum(out, n * n);
}
