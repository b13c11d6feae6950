// Layer norm of 8192 rows of 1024 floats: a warp a row.
#include "../host.cuh"

// The sum of value over the lanes of a warp, in each lane.
__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

// A warp computes a row of at most 128 * most columns.
__global__ void layer_norm(const float* in, const float* scale, const float* shift, float* out, int columns, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* x = (const float4*)(in + row * columns);
  float4* y = (float4*)(out + row * columns);

  constexpr int most = 8;
  float4 values[most];
  float sum = 0;
#pragma unroll
  for (int j = 0; j < most; j++) {
    int i = lane + 32 * j;
    values[j] = i < columns / 4 ? x[i] : make_float4(0, 0, 0, 0);
  }
#pragma unroll
  for (int j = 0; j < most; j++) sum += values[j].x + values[j].y + values[j].z + values[j].w;
  float mean = warp_sum(sum) / columns;

  sum = 0;
#pragma unroll
  for (int j = 0; j < most; j++) {
    if (lane + 32 * j < columns / 4) {
      float4& v = values[j];
      v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
      sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
  }
  float variance = warp_sum(sum) / columns;

  float factor = 1 / sqrtf(variance + 1e-5f);
#pragma unroll
  for (int j = 0; j < most; j++) {
    int i = lane + 32 * j;
    if (i < columns / 4) {
      float4 v = values[j], a = ((const float4*)scale)[i], b = ((const float4*)shift)[i];
      y[i] = make_float4(v.x * factor * a.x + b.x, v.y * factor * a.y + b.y, v.z * factor * a.z + b.z,
                         v.w * factor * a.w + b.w);
    }
  }
}

int main() {
  const int rows = 8192, columns = 1024;
  float* in = filled<float>(rows * columns, [](int i) { return 3 * noise(i) + 1; });
  float* scale = filled<float>(columns, [](int i) { return 1 + noise(i) / 2; });
  float* shift = filled<float>(columns, [](int i) { return noise(i + 5000); });
  float* out = filled<float>(rows * columns, [](int) { return 0.0f; });
  layer_norm<<<(rows + 7) / 8, 256>>>(in, scale, shift, out, columns, rows);
  return print_checksum(out, rows * columns);
}
