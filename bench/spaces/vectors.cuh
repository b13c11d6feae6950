// A vector of N floats, which one load or store moves, and sums over warps.
#pragma once

template <int N>
struct alignas(N * 4) floats {
  float at[N];
};

__device__ inline float sum_of_warp(float x) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0U, x, d);
  return x;
}
__device__ inline float most_of_warp(float x) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(~0U, x, d));
  return x;
}
