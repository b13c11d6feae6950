// A matrix product of f16 with mma.sync: C = A * B^T, both with K contiguous. cp.async fills STAGES tiles in shared memory, whose chunks
// of 16 bytes are swizzled. A warp computes WM x WN results.
#include "pieces.cuh"

#define WARPS (BM / WM * (BN / WN))
#define THREADS (WARPS * 32)

__device__ inline unsigned chunk_at(int row, int chunk) {
  return row * (BK * 2) + (BK == 64 ? chunk ^ row % 8 : chunk ^ row / 2 % 4) * 16;
}

template <int Rows>
__device__ inline void load_tile(unsigned to, const half_bits* from, int k) {
  constexpr int in_row = BK / 8;
#pragma unroll
  for (int i = threadIdx.x; i < Rows * in_row; i += THREADS)
    copy_16_async(to + chunk_at(i / in_row, i % in_row), from + static_cast<size_t>(i / in_row) * k + i % in_row * 8);
}

extern "C" __global__ void __launch_bounds__(THREADS) hgemm(half_bits* c, const half_bits* a, const half_bits* b, int n, int k) {
  extern __shared__ __align__(128) unsigned char shared[];
  constexpr unsigned a_bytes = BM * BK * 2, stage_bytes = (BM + BN) * BK * 2;
  const unsigned base = shared_address(shared);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
  a += static_cast<size_t>(blockIdx.y) * BM * k;
  b += static_cast<size_t>(blockIdx.x) * BN * k;
  const int steps = k / BK;
  const auto fill = [&](int step) {
    if (step < steps) {
      const unsigned to = base + step % STAGES * stage_bytes;
      load_tile<BM>(to, a + step * BK, k);
      load_tile<BN>(to + a_bytes, b + step * BK, k);
    }
    commit_copies();
  };
  float sum[WM / 16][WN / 8][4] = {};
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) fill(s);
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    fill(step + STAGES - 1);
    const unsigned at_a = base + step % STAGES * stage_bytes, at_b = at_a + a_bytes;
#pragma unroll
    for (int part = 0; part < BK / 16; ++part) {
      unsigned x[WM / 16][4], y[WN / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) load_matrices(x[i], at_a + chunk_at(warp_row + i * 16 + lane % 16, part * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < WN / 16; ++j)
        load_matrices(y[j], at_b + chunk_at(warp_column + j * 16 + lane % 8 + lane / 16 * 8, part * 2 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) multiply_16_8_16(sum[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      const int row = blockIdx.y * BM + warp_row + i * 16 + lane / 4, column = blockIdx.x * BN + warp_column + j * 8 + lane % 4 * 2;
      *reinterpret_cast<unsigned*>(&c[static_cast<size_t>(row) * n + column]) = two_halves(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<unsigned*>(&c[static_cast<size_t>(row + 8) * n + column]) = two_halves(sum[i][j][2], sum[i][j][3]);
    }
}
