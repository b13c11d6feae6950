// The forward pass of attention, tile by tile: softmax(Q K^T / sqrt(D)) V. A block has 64 rows of Q, and two stages of
// K and V in shared memory, swizzled in groups of 8. It uses products of tensor cores and a running softmax.
//
// Q, K, V and out are halves: [head][row][D]. The number of rows is a multiple of 64. A block has 128 threads.
#include <cuda_fp16.h>

namespace attention {

constexpr int block_rows = 64, block_columns = 64, threads = 128;

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void copy_16(const void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}
__device__ void load_4(unsigned (&to)[4], const half* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(from)));
}
__device__ void load_4_transposed(unsigned (&to)[4], const half* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(from)));
}
__device__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ unsigned pack(float low, float high) {
  const half2 both = __floats2half2_rn(low, high);
  return reinterpret_cast<const unsigned&>(both);
}

// Returns the address of a group of eight halves in a tile with rows of D halves.
template <int D>
__device__ int place(int row, int column) {
  return row * D + ((column / 8) ^ (row % 8)) * 8 + column % 8;
}
template <int D>
__device__ void copy_tile(half* to, const half* from) {
#pragma unroll
  for (int i = 0; i < 64 * D / 8 / threads; ++i) {
    const int n = i * threads + threadIdx.x, row = n / (D / 8), column = n % (D / 8) * 8;
    copy_16(to + place<D>(row, column), from + row * D + column);
  }
}

template <int D>
__device__ void attend(half* out, const half* q, const half* k, const half* v, int rows, float scale, half* tiles) {
  half* const tile_q = tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t head = static_cast<size_t>(blockIdx.y) * rows * D;
  q += head + static_cast<size_t>(blockIdx.x) * block_rows * D;
  k += head;
  v += head;
  const auto tile_k = [&](int n) { return tiles + (1 + n % 2 * 2) * 64 * D; };
  const auto tile_v = [&](int n) { return tiles + (2 + n % 2 * 2) * 64 * D; };
  copy_tile<D>(tile_q, q);
  copy_tile<D>(tile_k(0), k);
  commit();
  copy_tile<D>(tile_v(0), v);
  commit();
  wait<1>();
  __syncthreads();
  unsigned of_q[D / 16][4];
#pragma unroll
  for (int i = 0; i < D / 16; ++i) load_4(of_q[i], tile_q + place<D>(warp * 16 + lane % 16, i * 16 + lane / 16 * 8));

  float sums[D / 8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, total[2] = {};
  const int steps = rows / block_columns;
  for (int n = 0; n < steps; ++n) {
    if (n + 1 < steps) {
      copy_tile<D>(tile_k(n + 1), k + static_cast<size_t>(n + 1) * block_columns * D);
      commit();
      copy_tile<D>(tile_v(n + 1), v + static_cast<size_t>(n + 1) * block_columns * D);
      commit();
    }
    // The scores: each warp multiplies 16 rows of Q by 64 rows of K.
    float s[block_columns / 8][4] = {};
#pragma unroll
    for (int i = 0; i < D / 16; ++i)
#pragma unroll
      for (int j = 0; j < block_columns / 16; ++j) {
        unsigned b[4];
        load_4(b, tile_k(n) + place<D>(j * 16 + lane / 16 * 8 + lane % 8, i * 16 + lane / 8 % 2 * 8));
        multiply(s[2 * j], of_q[i], b[0], b[1]);
        multiply(s[2 * j + 1], of_q[i], b[2], b[3]);
      }
    // The running softmax. Four lanes hold a row.
#pragma unroll
    for (int half_of = 0; half_of < 2; ++half_of) {
      float now = largest[half_of];
#pragma unroll
      for (auto& one : s) now = fmaxf(now, fmaxf(one[2 * half_of], one[2 * half_of + 1]));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
      const float shrinks = exp2f((largest[half_of] - now) * scale);
      float sum = 0;
#pragma unroll
      for (auto& one : s)
#pragma unroll
        for (int e = 2 * half_of; e < 2 * half_of + 2; ++e) sum += one[e] = exp2f((one[e] - now) * scale);
      largest[half_of] = now;
      total[half_of] = total[half_of] * shrinks + sum;
#pragma unroll
      for (auto& one : sums) one[2 * half_of] *= shrinks, one[2 * half_of + 1] *= shrinks;
    }
    if (n + 1 < steps)
      wait<2>();
    else
      wait<0>();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < block_columns / 16; ++i) {
      const unsigned a[4] = {pack(s[2 * i][0], s[2 * i][1]), pack(s[2 * i][2], s[2 * i][3]),
                             pack(s[2 * i + 1][0], s[2 * i + 1][1]), pack(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
      for (int j = 0; j < D / 16; ++j) {
        unsigned b[4];
        load_4_transposed(b, tile_v(n) + place<D>(i * 16 + lane % 16, j * 16 + lane / 16 * 8));
        multiply(sums[2 * j], a, b[0], b[1]);
        multiply(sums[2 * j + 1], a, b[2], b[3]);
      }
    }
    if (n + 1 < steps) wait<1>();
    __syncthreads();
  }

#pragma unroll
  for (int half_of = 0; half_of < 2; ++half_of) {
    total[half_of] += __shfl_xor_sync(~0u, total[half_of], 1);
    total[half_of] += __shfl_xor_sync(~0u, total[half_of], 2);
    const float by = __fdividef(1, total[half_of]);  // as with -use_fast_math
    const int row = blockIdx.x * block_rows + warp * 16 + half_of * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
      *reinterpret_cast<unsigned*>(out + head + static_cast<size_t>(row) * D + j * 8 + lane % 4 * 2) =
          pack(sums[j][2 * half_of] * by, sums[j][2 * half_of + 1] * by);
  }
}

}  // namespace attention

extern __shared__ __align__(128) half tiles[];

// A block needs 5 * 64 * D * 2 bytes of dynamic shared memory.
__global__ void __launch_bounds__(attention::threads)
    attention_64(half* out, const half* q, const half* k, const half* v, int rows, float scale) {
  attention::attend<64>(out, q, k, v, rows, scale, tiles);
}
__global__ void __launch_bounds__(attention::threads)
    attention_128(half* out, const half* q, const half* k, const half* v, int rows, float scale) {
  attention::attend<128>(out, q, k, v, rows, scale, tiles);
}
