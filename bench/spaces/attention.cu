// Attention with a head dimension of 64 and mma.sync, without storing the scores. A block has BM queries, 16 for each warp, and steps over
// BN keys. QUERIES=1 keeps the queries in registers, 0 reads them from shared memory in each step. STAGES=2 copies the next keys early.
#include "pieces.cuh"

#define D 64
#define WARPS (BM / 16)
#define THREADS (WARPS * 32)

__device__ inline unsigned chunk_at(int row, int chunk) { return row * (D * 2) + (chunk ^ row % 8) * 16; }

template <int Rows>
__device__ inline void load_rows(unsigned to, const half_bits* from) {
#pragma unroll
  for (int i = threadIdx.x; i < Rows * (D / 8); i += THREADS) copy_16_async(to + chunk_at(i / 8, i % 8), from + i * 8);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention(half_bits* out, const half_bits* q, const half_bits* k, const half_bits* v, int rows, float scale) {
  extern __shared__ __align__(128) unsigned char shared[];
  constexpr unsigned q_bytes = BM * D * 2, part_bytes = BN * D * 2;
  const unsigned base = shared_address(shared);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t head = static_cast<size_t>(blockIdx.y) * rows * D, first = head + static_cast<size_t>(blockIdx.x) * BM * D;
  k += head;
  v += head;
  const int steps = rows / BN;
  const auto fill = [&](int step) {
    if (step < steps) {
      const unsigned to = base + q_bytes + step % STAGES * 2 * part_bytes;
      load_rows<BN>(to, k + static_cast<size_t>(step) * BN * D);
      load_rows<BN>(to + part_bytes, v + static_cast<size_t>(step) * BN * D);
    }
    commit_copies();
  };
  load_rows<BM>(base, q + first);
  fill(0);
  unsigned kept[QUERIES ? D / 16 : 1][4];
  float sum[D / 8][4] = {}, most[2] = {-1e30F, -1e30F}, total[2] = {};
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<0>();
    __syncthreads();
    if (STAGES == 2) fill(step + 1);
    const unsigned at_k = base + q_bytes + step % STAGES * 2 * part_bytes, at_v = at_k + part_bytes;
    if (QUERIES && step == 0)
#pragma unroll
      for (int d = 0; d < D / 16; ++d) load_matrices(kept[QUERIES ? d : 0], base + chunk_at(warp * 16 + lane % 16, d * 2 + lane / 16));
    float score[BN / 8][4] = {};
#pragma unroll
    for (int d = 0; d < D / 16; ++d) {
      unsigned x[4];
      if (QUERIES) {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = kept[QUERIES ? d : 0][i];
      } else {
        load_matrices(x, base + chunk_at(warp * 16 + lane % 16, d * 2 + lane / 16));
      }
#pragma unroll
      for (int j = 0; j < BN / 16; ++j) {
        unsigned y[4];
        load_matrices(y, at_k + chunk_at(j * 16 + lane % 8 + lane / 16 * 8, d * 2 + lane / 8 % 2));
        multiply_16_8_16(score[2 * j], x, y[0], y[1]);
        multiply_16_8_16(score[2 * j + 1], x, y[2], y[3]);
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float high = most[half];
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) high = fmaxf(high, fmaxf(score[j][2 * half], score[j][2 * half + 1]) * scale);
      high = fmaxf(high, __shfl_xor_sync(~0U, high, 1));
      high = fmaxf(high, __shfl_xor_sync(~0U, high, 2));
      const float shrink = exp2f(most[half] - high);
      most[half] = high;
      float added = 0;
#pragma unroll
      for (int j = 0; j < BN / 8; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const float p = exp2f(score[j][2 * half + i] * scale - high);
          score[j][2 * half + i] = p;
          added += p;
        }
      total[half] = total[half] * shrink + added;
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        sum[j][2 * half] *= shrink;
        sum[j][2 * half + 1] *= shrink;
      }
    }
#pragma unroll
    for (int part = 0; part < BN / 16; ++part) {
      const unsigned p[4] = {two_halves(score[2 * part][0], score[2 * part][1]), two_halves(score[2 * part][2], score[2 * part][3]),
                             two_halves(score[2 * part + 1][0], score[2 * part + 1][1]),
                             two_halves(score[2 * part + 1][2], score[2 * part + 1][3])};
#pragma unroll
      for (int j = 0; j < D / 16; ++j) {
        unsigned y[4];
        load_matrices_transposed(y, at_v + chunk_at(part * 16 + lane % 16, j * 2 + lane / 16));
        multiply_16_8_16(sum[2 * j], p, y[0], y[1]);
        multiply_16_8_16(sum[2 * j + 1], p, y[2], y[3]);
      }
    }
    if (STAGES == 1) {
      __syncthreads();
      fill(step + 1);
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float all = total[half];
    all += __shfl_xor_sync(~0U, all, 1);
    all += __shfl_xor_sync(~0U, all, 2);
    const float part = 1 / all;
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
      *reinterpret_cast<unsigned*>(&out[first + (warp * 16 + lane / 4 + half * 8) * D + j * 8 + lane % 4 * 2]) =
          two_halves(sum[j][2 * half] * part, sum[j][2 * half + 1] * part);
  }
}
