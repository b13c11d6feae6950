// Products of float matrices in tiles of shared memory, without tensor cores: BM x BN x BK tiles, TM x TN results of a thread.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM / TM * (BN / TN)) sgemm(int n, const float* a, const float* b, float* c) {
  constexpr int threads = BM / TM * (BN / TN);
  __shared__ float as[BK][BM], bs[BK][BN];
  float sum[TM][TN] = {}, x[TM], y[TN];
  const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  a += (size_t)blockIdx.y * BM * n, b += blockIdx.x * BN, c += (size_t)blockIdx.y * BM * n + blockIdx.x * BN;
  for (int k = 0; k < n; k += BK) {
#pragma unroll
    for (int i = threadIdx.x * 4; i < BM * BK; i += threads * 4) {
      float4 v = *(const float4*)(a + (size_t)(i / BK) * n + k + i % BK);
      as[i % BK][i / BK] = v.x, as[i % BK + 1][i / BK] = v.y, as[i % BK + 2][i / BK] = v.z,
                     as[i % BK + 3][i / BK] = v.w;
    }
#pragma unroll
    for (int i = threadIdx.x * 4; i < BN * BK; i += threads * 4)
      *(float4*)&bs[i / BN][i % BN] = *(const float4*)(b + (size_t)(k + i / BN) * n + i % BN);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < BK; ++l) {
#pragma unroll
      for (int i = 0; i < TM; ++i) x[i] = as[l][row * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) y[j] = bs[l][column * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4) *(float4*)(c + (size_t)(row * TM + i) * n + column * TN + j) = *(float4*)&sum[i][j];
}
int main(int argc, char** argv) {
  int only = argc > 1 ? atoi(argv[1]) : -1, number = 0;
  float *a, *b, *c;
  const int most = 2048;
  cudaMalloc(&a, most * most * 4), cudaMalloc(&b, most * most * 4), cudaMalloc(&c, most * most * 4);
  cudaMemset(a, 0, most * most * 4), cudaMemset(b, 0, most * most * 4);
  for (int n : {1024, 2048}) {
#define RUN(BM, BN, BK, TM, TN)                                                         \
  if (only < 0 || only == number) {                                                     \
    printf("%d,sgemm %d " #BM "x" #BN "x" #BK " " #TM "x" #TN "\n", number, n);         \
    sgemm<BM, BN, BK, TM, TN><<<dim3(n / BN, n / BM), BM / TM*(BN / TN)>>>(n, a, b, c); \
  }                                                                                     \
  ++number;
    RUN(64, 64, 8, 4, 4)
    RUN(64, 64, 16, 8, 4) RUN(64, 128, 8, 8, 8) RUN(64, 128, 16, 4, 8) RUN(128, 64, 8, 8, 8) RUN(128, 128, 8, 8, 8)
        RUN(128, 128, 16, 8, 8) RUN(128, 128, 32, 8, 8) RUN(128, 128, 8, 8, 4) RUN(128, 256, 8, 8, 16)
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
