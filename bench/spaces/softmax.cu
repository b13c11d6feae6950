// Softmax of rows with COLUMNS floats, a block for each row. KEEP: between the passes, a row is 0: read again, 1: kept in registers, 2: kept
// in shared memory.
#include "vectors.cuh"

#define EACH (COLUMNS / THREADS / VEC)

template <class Combine>
__device__ inline float of_block(float x, float start, float* parts, Combine combine) {
  if (THREADS == 32) return x;
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  float all = start;
#pragma unroll
  for (int i = 0; i < THREADS / 32; ++i) all = combine(all, parts[i]);
  return all;
}

extern "C" __global__ void __launch_bounds__(THREADS) softmax(float* out, const float* in) {
  typedef floats<VEC> vector;
  __shared__ float high_parts[THREADS / 32], sum_parts[THREADS / 32];
  extern __shared__ __align__(16) unsigned char shared[];
  vector* const row_shared = reinterpret_cast<vector*>(shared);
  const vector* const from = reinterpret_cast<const vector*>(in + static_cast<size_t>(blockIdx.x) * COLUMNS);
  vector* const to = reinterpret_cast<vector*>(out + static_cast<size_t>(blockIdx.x) * COLUMNS);
  constexpr int unrolled = KEEP == 1 ? EACH : 4;
  vector kept[KEEP == 1 ? EACH : 1];
  float high = -1e30F;
#pragma unroll unrolled
  for (int i = 0; i < EACH; ++i) {
    const vector x = from[i * THREADS + threadIdx.x];
    if (KEEP == 1) kept[KEEP == 1 ? i : 0] = x;
    if (KEEP == 2) row_shared[i * THREADS + threadIdx.x] = x;
#pragma unroll
    for (int j = 0; j < VEC; ++j) high = fmaxf(high, x.at[j]);
  }
  high = of_block(most_of_warp(high), -1e30F, high_parts, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
#pragma unroll unrolled
  for (int i = 0; i < EACH; ++i) {
    vector x = KEEP == 1 ? kept[KEEP == 1 ? i : 0] : KEEP == 2 ? row_shared[i * THREADS + threadIdx.x] : from[i * THREADS + threadIdx.x];
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
      x.at[j] = __expf(x.at[j] - high);
      sum += x.at[j];
    }
    if (KEEP == 1) kept[KEEP == 1 ? i : 0] = x;
    if (KEEP == 2) row_shared[i * THREADS + threadIdx.x] = x;
  }
  const float part = 1 / of_block(sum_of_warp(sum), 0, sum_parts, [](float a, float b) { return a + b; });
#pragma unroll unrolled
  for (int i = 0; i < EACH; ++i) {
    vector x = KEEP == 1 ? kept[KEEP == 1 ? i : 0] : KEEP == 2 ? row_shared[i * THREADS + threadIdx.x] : from[i * THREADS + threadIdx.x];
#pragma unroll
    for (int j = 0; j < VEC; ++j) x.at[j] = (KEEP == 0 ? __expf(x.at[j] - high) : x.at[j]) * part;
    to[i * THREADS + threadIdx.x] = x;
  }
}
