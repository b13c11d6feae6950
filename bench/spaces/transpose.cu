// Transposes floats: a block moves a tile of TX x TY, with TX/VEC x ROWS threads. LAYOUT of the tile: 0: plain, 1: padded by one column, 2: swizzled.
#include "vectors.cuh"

#define THREADS (TX / VEC * ROWS)

__device__ inline int place(int row, int column) {
  return LAYOUT == 0 ? row * TX + column : LAYOUT == 1 ? row * (TX + 1) + column : row * TX + (column ^ row % 32);
}

extern "C" __global__ void __launch_bounds__(THREADS) transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[TY * (TX + 1)];
  const int column = threadIdx.x % (TX / VEC) * VEC, first = threadIdx.x / (TX / VEC);
  const int x = blockIdx.x * TX, y = blockIdx.y * TY;
#pragma unroll
  for (int row = first; row < TY; row += ROWS) {
    const floats<VEC> part = *reinterpret_cast<const floats<VEC>*>(&in[static_cast<size_t>(y + row) * width + x + column]);
#pragma unroll
    for (int j = 0; j < VEC; ++j) tile[place(row, column + j)] = part.at[j];
  }
  __syncthreads();
#pragma unroll 4
  for (int at = threadIdx.x; at < TX * TY / VEC; at += THREADS) {
    const int to_row = at / (TY / VEC), to_column = at % (TY / VEC) * VEC;
    floats<VEC> part;
#pragma unroll
    for (int j = 0; j < VEC; ++j) part.at[j] = tile[place(to_column + j, to_row)];
    *reinterpret_cast<floats<VEC>*>(&out[static_cast<size_t>(x + to_row) * height + y + to_column]) = part;
  }
}
