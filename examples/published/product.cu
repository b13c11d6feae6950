// The product of cloudrift-ai/emmy 351, rewritten: 512 x 4096 times 4096 x 28672. Each of four warps computes 64 x 64.
// A has rows of 64 bytes in shared memory, B has two slabs with rows of 128 bytes. An RTX 4090 counted 146.8 million
// conflicts and 180.6 million wavefronts; with a swizzle, 14 thousand conflicts and 33.8 million wavefronts.
//
//     nvcc -arch=sm_89 -lineinfo -cubin product.cu
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void copy(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

template <bool Swizzled>
__device__ void multiply(half* c, const half* a, const half* b) {
  constexpr int n = 28672, k = 4096;
  __shared__ __align__(128) half as[128][32], bs[2][32][64];
  // Returns the column in which group `eight` of a row's halves is stored. A group has 8 halves.
  const auto in_a = [](int row, int eight) { return (Swizzled ? eight ^ row / 2 % 4 : eight) * 8; };
  const auto in_b = [](int row, int eight) { return (Swizzled ? eight ^ row % 8 : eight) * 8; };
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rows = warp / 2 * 64, slab = warp % 2;
  float sum[4][8][4] = {};
  for (int step = 0; step < k; step += 32) {
    for (int i = threadIdx.x; i < 512; i += 128) {
      const int row = i / 4, eight = i % 4;
      copy(&as[row][in_a(row, eight)], a + (blockIdx.y * 128 + row) * k + step + eight * 8);
    }
    for (int i = threadIdx.x; i < 512; i += 128) {
      const int row = i / 8 % 32, eight = i % 8;
      copy(&bs[i / 256][row][in_b(row, eight)],
           b + static_cast<long>(step + row) * n + blockIdx.x * 128 + i / 256 * 64 + eight * 8);
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      unsigned x[4][4], y[4][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = rows + i * 16 + lane % 16, in_k = part * 16 + lane % 16;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(x[i][0]), "=r"(x[i][1]), "=r"(x[i][2]), "=r"(x[i][3])
                     : "r"(shared_address(&as[row][in_a(row, part * 2 + lane / 16)])));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(y[i][0]), "=r"(y[i][1]), "=r"(y[i][2]), "=r"(y[i][3])
                     : "r"(shared_address(&bs[slab][in_k][in_b(in_k, i * 2 + lane / 16)])));
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
              : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j / 2][j % 2 * 2]),
                "r"(y[j / 2][j % 2 * 2 + 1]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j)
      for (int part = 0; part < 2; ++part) {
        const int row = blockIdx.y * 128 + rows + i * 16 + part * 8 + lane / 4;
        const int column = blockIdx.x * 128 + slab * 64 + j * 8 + lane % 4 * 2;
        *reinterpret_cast<half2*>(c + static_cast<long>(row) * n + column) =
            __floats2half2_rn(sum[i][j][part * 2], sum[i][j][part * 2 + 1]);
      }
}

__global__ void product(half* c, const half* a, const half* b) { multiply<false>(c, a, b); }
__global__ void product_xor(half* c, const half* a, const half* b) { multiply<true>(c, a, b); }
