// C = A B in single precision, with tiles whose sizes are macros, so that `bankwise tune` can choose them. A block
// computes TILE x TILE elements of C in steps of DEPTH, and each thread WORK x WORK of them.
//
//     bankwise tune gemm.cu -k gemm -D TILE=32,64 -D DEPTH=8,16 -D WORK=2,4 --let N=256 --grid 'N/TILE,N/TILE' \
//         --block 'TILE/WORK,TILE/WORK' --arg 'out:f32[N*N]' --arg 'f32[N*N]=random:1' --arg 'f32[N*N]=random:2' --arg i32=N
#ifndef TILE
#define TILE 64
#endif
#ifndef DEPTH
#define DEPTH 8
#endif
#ifndef WORK
#define WORK 4
#endif

constexpr int threads = TILE / WORK * (TILE / WORK);
static_assert(TILE % WORK == 0 && threads <= 1024, "a block has at most 1024 threads");

extern "C" __global__ void __launch_bounds__(threads) gemm(float* c, const float* a, const float* b, int n) {
  __shared__ float a_tile[DEPTH][TILE], b_tile[DEPTH][TILE];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  float sum[WORK][WORK] = {};
  for (int k = 0; k < n; k += DEPTH) {
    for (int i = thread; i < TILE * DEPTH; i += threads) {
      a_tile[i % DEPTH][i / DEPTH] = a[(row + i / DEPTH) * n + k + i % DEPTH];
      b_tile[i / TILE][i % TILE] = b[(k + i / TILE) * n + column + i % TILE];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d)
#pragma unroll
      for (int y = 0; y < WORK; ++y)
#pragma unroll
        for (int x = 0; x < WORK; ++x)
          sum[y][x] += a_tile[d][threadIdx.y * WORK + y] * b_tile[d][threadIdx.x * WORK + x];
    __syncthreads();
  }
  for (int y = 0; y < WORK; ++y)
    for (int x = 0; x < WORK; ++x)
      c[(row + threadIdx.y * WORK + y) * n + column + threadIdx.x * WORK + x] = sum[y][x];
}
