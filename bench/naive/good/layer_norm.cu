// Layer norm of 8192 rows of 1024 floats: a warp a row, which stays in registers. No barriers.
#include "../host.cuh"

__device__ float warp_sum(float value) {
#pragma unroll
  for (int step = 16; step; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__global__ void __launch_bounds__(256) layer_norm(const float* in, const float* scale, const float* shift, float* out) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  const float4* x = reinterpret_cast<const float4*>(in) + row * 256 + lane;
  const float4* scales = reinterpret_cast<const float4*>(scale) + lane;
  const float4* shifts = reinterpret_cast<const float4*>(shift) + lane;
  float4* y = reinterpret_cast<float4*>(out) + row * 256 + lane;
  float4 v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = x[i * 32];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  const float mean = warp_sum(sum) / 1024;
  float squares = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i].x -= mean, v[i].y -= mean, v[i].z -= mean, v[i].w -= mean;
    squares += (v[i].x * v[i].x + v[i].y * v[i].y) + (v[i].z * v[i].z + v[i].w * v[i].w);
  }
  const float factor = rsqrtf(warp_sum(squares) / 1024 + 1e-5f);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float4 s = scales[i * 32], t = shifts[i * 32];
    y[i * 32] = make_float4(v[i].x * factor * s.x + t.x, v[i].y * factor * s.y + t.y, v[i].z * factor * s.z + t.z,
                            v[i].w * factor * s.w + t.w);
  }
}

int main() {
  const int rows = 8192, columns = 1024;
  float* in = filled<float>(rows * columns, [](int i) { return 3 * noise(i) + 1; });
  float* scale = filled<float>(columns, [](int i) { return 1 + noise(i) / 2; });
  float* shift = filled<float>(columns, [](int i) { return noise(i + 5000); });
  float* out = filled<float>(rows * columns, [](int) { return 0.0f; });
  layer_norm<<<rows / 8, 256>>>(in, scale, shift, out);
  return print_checksum(out, rows * columns);
}
