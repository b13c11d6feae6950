// Products of matrices of halves with float sums, C = A B, rebuilt from the description of spatters/mma-matmul, whose author
// published the times of these steps on an RTX 4090. All matrices have n rows and columns; from the third step on, B is
// transposed. data/published/times.csv has the published times.
//
// scripts/build-cubins compiles it for sm_89.
#include <cuda_fp16.h>

namespace {

__device__ void multiply(float (&sum)[4], const unsigned* a, const unsigned* b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ unsigned both(half low, half high) {
  const half2 pair = __halves2half2(low, high);
  return reinterpret_cast<const unsigned&>(pair);
}

// Steps 1.0 and 1.1: a block computes Tiles x Tiles tiles of 32 x 32 results, and reads halves one by one.
template <int Tiles>
__device__ void product_of_halves(const half* a, const half* b, float* c, int n) {
  __shared__ half as[Tiles * 32][16], bs[16][Tiles * 32];
  const int top = Tiles * 32 * blockIdx.y, left = Tiles * 32 * blockIdx.x;
  const int x = threadIdx.x, y = threadIdx.y, warp = (y * 16 + x) / 32, lane = (y * 16 + x) % 32;
  const int row = 16 * (warp / 4) + lane / 4, column = 8 * (warp % 4), pair = lane % 4 * 2;
  float sums[Tiles][Tiles][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int t = 0; t < 2 * Tiles; ++t) as[16 * t + y][x] = a[(top + 16 * t + y) * n + k + x];
    for (int t = 0; t < 2 * Tiles; ++t) bs[y][16 * t + x] = b[(k + y) * n + left + 16 * t + x];
    __syncthreads();
    for (int i = 0; i < Tiles; ++i) {
      const int at = 32 * i + row;
      const unsigned of_a[4] = {both(as[at][pair], as[at][pair + 1]), both(as[at + 8][pair], as[at + 8][pair + 1]),
                                both(as[at][pair + 8], as[at][pair + 9]),
                                both(as[at + 8][pair + 8], as[at + 8][pair + 9])};
      for (int j = 0; j < Tiles; ++j) {
        const int to = 32 * j + column + lane / 4;
        const unsigned of_b[2] = {both(bs[pair][to], bs[pair + 1][to]), both(bs[pair + 8][to], bs[pair + 9][to])};
        multiply(sums[i][j], of_a, of_b);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < Tiles; ++i)
    for (int j = 0; j < Tiles; ++j)
      for (int part = 0; part < 4; ++part)
        c[(top + 32 * i + row + part / 2 * 8) * n + left + 32 * j + column + pair + part % 2] = sums[i][j][part];
}

__device__ unsigned shared_address(const uint4* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }
__device__ void load_four(unsigned* to, const uint4* at) {
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(at)));
}
__device__ void load_two(unsigned* to, const uint4* at) {
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(shared_address(at)));
}
__device__ void copy(uint4* to, const uint4* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}
__device__ void end_group() { asm volatile("cp.async.commit_group;"); }

// The places of a thread's data in tiles of 32 halves for each row. A line of shared memory holds two rows, and the place in
// the line is exclusive-ored with the number of the line, so that neither stores nor ldmatrix have bank conflicts.
struct places {
  int warp, lane, store_line, store_at, line_a, at_a, line_b, at_b;
  __device__ places() {
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    warp = thread / 32, lane = thread % 32;
    store_line = warp * 4 + lane / 8, store_at = lane % 8 ^ lane / 8;
    line_a = lane % 16 / 2, at_a = (lane / 16 + lane % 2 * 4) ^ line_a % 4;
    line_b = lane % 8 / 2, at_b = (lane / 8 + lane % 2 * 4) ^ line_b % 4;
  }
  // The thread's first piece of a matrix with n columns, of which the block reads the rows from `first`.
  __device__ const uint4* from(const half* matrix, int first, int n) const {
    return reinterpret_cast<const uint4*>(matrix + first * n) + (warp * 8 + lane / 4) * n / 8 + lane % 4;
  }
};

template <int Tiles>
__device__ void store(float* c, int n, int top, int left, const places& p, const float (&sums)[Tiles][Tiles][4]) {
  const int row = top + 16 * Tiles * (p.warp / 4) + p.lane / 4,
            column = left + 8 * Tiles * (p.warp % 4) + p.lane % 4 * 2;
  for (int i = 0; i < Tiles; ++i)
    for (int j = 0; j < Tiles; ++j)
      for (int part = 0; part < 2; ++part)
        *reinterpret_cast<float2*>(c + (row + 16 * i + 8 * part) * n + column + 8 * j) =
            make_float2(sums[i][j][2 * part], sums[i][j][2 * part + 1]);
}

// Steps 2.0 and 2.1: tiles of 64 x 64 results, permuted in shared memory. Step 2.1 reads each fragment of A once.
template <bool Once>
__device__ void product_permuted(const half* a, const half* b, float* c, int n) {
  __shared__ uint4 as[32][8], bs[32][8];
  const places p;
  const int top = blockIdx.y * 64, left = blockIdx.x * 64;
  const uint4 *from_a = p.from(a, top, n), *from_b = p.from(b, left, n);
  const int own_a = 16 * (p.warp / 4) + p.line_a, own_b = 8 * (p.warp % 4) + p.line_b;
  float sums[2][2][4] = {};
  for (int k = 0; k < n / 8; k += 4) {
    as[p.store_line][p.store_at] = from_a[k];
    bs[p.store_line][p.store_at] = from_b[k];
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
      const uint4* const line = as[own_a + 8 * i];
      unsigned of_a[8], of_b[2];
      if (Once) load_four(of_a, line + p.at_a), load_four(of_a + 4, line + (p.at_a ^ 2));
      for (int j = 0; j < 2; ++j)
        for (int half_of_k = 0; half_of_k < 2; ++half_of_k) {
          if (!Once) load_four(of_a + 4 * half_of_k, line + (p.at_a ^ 2 * half_of_k));
          load_two(of_b, bs[own_b + 4 * j] + (p.at_b ^ 2 * half_of_k));
          multiply(sums[i][j], of_a + 4 * half_of_k, of_b);
        }
    }
    __syncthreads();
  }
  store<2>(c, n, top, left, p, sums);
}

// Steps 3.0 and 3.1: three tiles in flight by cp.async; 2 x 2 or 4 x 4 products for each warp.
template <int Tiles>
__device__ void product_in_stages(const half* a, const half* b, float* c, int n) {
  constexpr int stages = 3, lines = 16 * Tiles, pieces = Tiles / 2;
  __shared__ uint4 as[stages][lines][8], bs[stages][lines][8];
  const places p;
  const int top = blockIdx.y * 32 * Tiles, left = blockIdx.x * 32 * Tiles;
  const uint4 *from_a = p.from(a, top, n), *from_b = p.from(b, left, n);
  const int own_a = 8 * Tiles * (p.warp / 4) + p.line_a, own_b = 4 * Tiles * (p.warp % 4) + p.line_b;
  const auto fetch = [&](int stage, int k) {
    for (int i = 0; i < pieces; ++i) copy(&as[stage][p.store_line + 32 * i][p.store_at], from_a + 64 * i * n / 8 + k);
    for (int i = 0; i < pieces; ++i) copy(&bs[stage][p.store_line + 32 * i][p.store_at], from_b + 64 * i * n / 8 + k);
    end_group();
  };
  float sums[Tiles][Tiles][4] = {};
  for (int stage = 0; stage < stages - 1; ++stage) fetch(stage, 4 * stage);
  for (int step = 0; step < n / 32; ++step) {
    const int stage = step % stages;
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2));
    __syncthreads();
    unsigned of_a[Tiles][8], of_b[Tiles][4];
    for (int i = 0; i < Tiles; ++i) {
      load_four(of_a[i], as[stage][own_a + 8 * i] + p.at_a);
      load_four(of_a[i] + 4, as[stage][own_a + 8 * i] + (p.at_a ^ 2));
    }
    for (int j = 0; j < Tiles; ++j) {
      load_two(of_b[j], bs[stage][own_b + 4 * j] + p.at_b);
      load_two(of_b[j] + 2, bs[stage][own_b + 4 * j] + (p.at_b ^ 2));
    }
    fetch((step + stages - 1) % stages, min(4 * (step + stages - 1), n / 8 - 4));
    for (int i = 0; i < Tiles; ++i)
      for (int j = 0; j < Tiles; ++j) {
        multiply(sums[i][j], of_a[i], of_b[j]);
        multiply(sums[i][j], of_a[i] + 4, of_b[j] + 2);
      }
  }
  store<Tiles>(c, n, top, left, p, sums);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256) tensor_plain(const half* a, const half* b, float* c, int n) {
  product_of_halves<1>(a, b, c, n);
}
extern "C" __global__ void __launch_bounds__(256) tensor_tiles(const half* a, const half* b, float* c, int n) {
  product_of_halves<2>(a, b, c, n);
}
extern "C" __global__ void __launch_bounds__(256) tensor_permuted(const half* a, const half* b, float* c, int n) {
  product_permuted<false>(a, b, c, n);
}
extern "C" __global__ void __launch_bounds__(256) tensor_once(const half* a, const half* b, float* c, int n) {
  product_permuted<true>(a, b, c, n);
}
extern "C" __global__ void __launch_bounds__(256) tensor_stages(const half* a, const half* b, float* c, int n) {
  product_in_stages<2>(a, b, c, n);
}
extern "C" __global__ void __launch_bounds__(256) tensor_wide(const half* a, const half* b, float* c, int n) {
  product_in_stages<4>(a, b, c, n);
}
