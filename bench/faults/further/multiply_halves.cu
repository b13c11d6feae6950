// Multiplies matrices of halves: tiles in shared memory, and products by the arithmetic pipes or by the tensor cores.
#include <cuda_fp16.h>
#include <mma.h>

#include "../host.cuh"

constexpr int n = 1024, tile = 64, depth = 16;

namespace before {
__global__ void multiply(const __half* a, const __half* b, float* c) {
  __shared__ __half of_a[depth][tile + 2], of_b[depth][tile];
  const int row = blockIdx.y * tile, column = blockIdx.x * tile, ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += depth) {
    for (int i = threadIdx.x; i < tile * depth; i += 256) {
      of_a[i % depth][i / depth] = a[(row + i / depth) * n + k + i % depth];
      of_b[i / tile][i % tile] = b[(k + i / tile) * n + column + i % tile];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < depth; ++d)
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x)
          sum[y][x] += __half2float(of_a[d][ty * 4 + y]) * __half2float(of_b[d][tx * 4 + x]);
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) c[(row + ty * 4 + y) * n + column + tx * 4 + x] = sum[y][x];
}
}  // namespace before

namespace after {
using namespace nvcuda;
__global__ void multiply(const __half* a, const __half* b, float* c) {
  const int warp = threadIdx.x / 32, row = blockIdx.y * tile + warp / 4 * 32, column = blockIdx.x * tile + warp % 4 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];
  for (auto& s : sum) wmma::fill_fragment(s, 0.f);
  for (int k = 0; k < n; k += 16) {
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> of_b;
    wmma::load_matrix_sync(of_b, b + k * n + column, n);
    for (int i = 0; i < 2; ++i) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> of_a;
      wmma::load_matrix_sync(of_a, a + (row + i * 16) * n + k, n);
      wmma::mma_sync(sum[i], of_a, of_b, sum[i]);
    }
  }
  for (int i = 0; i < 2; ++i) wmma::store_matrix_sync(c + (row + i * 16) * n + column, sum[i], n, wmma::mem_row_major);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  __half* a = filled<__half>(n * n, [](int i) { return __float2half(i % 5); });
  __half* b = filled<__half>(n * n, [](int i) { return __float2half(i % 3); });
  float* c = filled<float>(n * n, [](int) { return 0; });
  if (is_after)
    after::multiply<<<dim3(n / tile, n / tile), 256>>>(a, b, c);
  else
    before::multiply<<<dim3(n / tile, n / tile), 256>>>(a, b, c);
  return print_sum(c, n * n);
}
