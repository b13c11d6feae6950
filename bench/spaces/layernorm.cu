// Layer norm of rows with COLUMNS floats in registers: WARPS warps for a row, ROWS rows for a block. PASSES=1 computes the variance from sums
// of squares, 2 from the differences to the mean.
#include "vectors.cuh"

#define EACH (COLUMNS / (WARPS * 32) / VEC)

__device__ inline float of_row(float x, float* parts) {
  x = sum_of_warp(x);
  if (WARPS == 1) return x;
  const int warp = threadIdx.x / 32;
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[warp] = x;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < WARPS; ++i) sum += parts[warp / WARPS * WARPS + i];
  return sum;
}

extern "C" __global__ void __launch_bounds__(WARPS* ROWS * 32)
    layernorm(float* out, const float* in, const float* scale, const float* shift) {
  typedef floats<VEC> vector;
  __shared__ float parts[WARPS * ROWS], square_parts[WARPS * ROWS];
  const int row = blockIdx.x * ROWS + threadIdx.x / (WARPS * 32), thread = threadIdx.x % (WARPS * 32);
  const vector* const from = reinterpret_cast<const vector*>(in + static_cast<size_t>(row) * COLUMNS);
  vector x[EACH];
  float sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    x[i] = from[i * WARPS * 32 + thread];
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
      sum += x[i].at[j];
      if (PASSES == 1) squares += x[i].at[j] * x[i].at[j];
    }
  }
  const float mean = of_row(sum, parts) / COLUMNS;
  if (PASSES == 2) {
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
      for (int j = 0; j < VEC; ++j) squares += (x[i].at[j] - mean) * (x[i].at[j] - mean);
  }
  const float mean_square = of_row(squares, square_parts) / COLUMNS;
  const float variance = PASSES == 1 ? mean_square - mean * mean : mean_square;
  const float factor = rsqrtf(variance + 1e-5F);
  vector* const to = reinterpret_cast<vector*>(out + static_cast<size_t>(row) * COLUMNS);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int at = i * WARPS * 32 + thread;
    const vector s = reinterpret_cast<const vector*>(scale)[at], t = reinterpret_cast<const vector*>(shift)[at];
#pragma unroll
    for (int j = 0; j < VEC; ++j) x[i].at[j] = (x[i].at[j] - mean) * factor * s.at[j] + t.at[j];
    to[at] = x[i];
  }
}
