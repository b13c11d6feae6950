// The sum of n floats: each thread adds UNROLL vectors of VEC floats at a time, each block adds its sum to the result.
#include "vectors.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) reduction(float* out, const float* in, int n) {
  typedef floats<VEC> vector;
  __shared__ float parts[THREADS / 32];
  const vector* const from = reinterpret_cast<const vector*>(in);
  const int vectors = n / VEC, stride = gridDim.x * THREADS;
  float sum[UNROLL] = {};
  int at = blockIdx.x * THREADS + threadIdx.x;
  for (; at + (UNROLL - 1) * stride < vectors; at += UNROLL * stride) {
    vector x[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) x[i] = from[at + i * stride];
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
#pragma unroll
      for (int j = 0; j < VEC; ++j) sum[i] += x[i].at[j];
  }
  for (; at < vectors; at += stride)
#pragma unroll
    for (int j = 0; j < VEC; ++j) sum[0] += from[at].at[j];
#pragma unroll
  for (int i = 1; i < UNROLL; ++i) sum[0] += sum[i];
  const float of_warp = sum_of_warp(sum[0]);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = of_warp;
  __syncthreads();
  if (threadIdx.x < 32) {
    const float all = sum_of_warp(threadIdx.x < THREADS / 32 ? parts[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd(out, all);
  }
}
