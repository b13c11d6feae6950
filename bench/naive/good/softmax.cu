// Softmax of 4096 rows of 2048 floats: a block a row, which stays in registers between a wide load and a wide store.
#include "../host.cuh"

// The result of a binary operation over the values of a block of 256 threads, for all its threads.
template <class F>
__device__ float block_reduce(float value, float* warps, F combine) {
#pragma unroll
  for (int step = 16; step; step /= 2) value = combine(value, __shfl_xor_sync(~0u, value, step));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = warps[threadIdx.x % 8];
#pragma unroll
  for (int step = 4; step; step /= 2) value = combine(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

__global__ void __launch_bounds__(256) softmax(const float* in, float* out) {
  __shared__ float highs[8], totals[8];
  const float4* x = reinterpret_cast<const float4*>(in) + blockIdx.x * 512 + threadIdx.x;
  float4* y = reinterpret_cast<float4*>(out) + blockIdx.x * 512 + threadIdx.x;
  float4 low = x[0], high = x[256];
  float v[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  float highest = v[0];
#pragma unroll
  for (int i = 1; i < 8; ++i) highest = fmaxf(highest, v[i]);
  highest = block_reduce(highest, highs, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += v[i] = __expf(v[i] - highest);
  sum = block_reduce(sum, totals, [](float a, float b) { return a + b; });
  const float scale = 1 / sum;
  y[0] = make_float4(v[0] * scale, v[1] * scale, v[2] * scale, v[3] * scale);
  y[256] = make_float4(v[4] * scale, v[5] * scale, v[6] * scale, v[7] * scale);
}

int main() {
  const int rows = 4096, columns = 2048;
  float* in = filled<float>(rows * columns, [](int i) { return 4 * noise(i); });
  float* out = filled<float>(rows * columns, [](int) { return 0.0f; });
  softmax<<<rows, 256>>>(in, out);  // 8 columns a thread
  return print_checksum(out, rows * columns);
}
