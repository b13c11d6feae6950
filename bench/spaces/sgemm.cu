// A matrix product of floats: tiles in shared memory, TM x TN results for each thread. STAGES=2 loads the next tile into registers first.
#define THREADS (BM / TM * (BN / TN))
#define PAD 4

extern "C" __global__ void __launch_bounds__(THREADS) sgemm(float* c, const float* a, const float* b, int m, int n, int k) {
  __shared__ float as[STAGES][BK][BM + PAD];
  __shared__ __align__(16) float bs[STAGES][BK][BN];
  constexpr int a_parts = BM * BK / 4, b_parts = BN * BK / 4;
  constexpr int a_each = (a_parts + THREADS - 1) / THREADS, b_each = (b_parts + THREADS - 1) / THREADS;
  const int thread = threadIdx.x, tx = thread % (BN / TN), ty = thread / (BN / TN);
  a += static_cast<size_t>(blockIdx.y) * BM * k;
  b += blockIdx.x * BN;
  float4 a_next[a_each], b_next[b_each];
  const auto load = [&](int at) {
#pragma unroll
    for (int i = 0; i < a_each; ++i) {
      const int part = thread + i * THREADS;
      if (a_parts % THREADS == 0 || part < a_parts)
        a_next[i] = *reinterpret_cast<const float4*>(&a[part / (BK / 4) * k + at + part % (BK / 4) * 4]);
    }
#pragma unroll
    for (int i = 0; i < b_each; ++i) {
      const int part = thread + i * THREADS;
      if (b_parts % THREADS == 0 || part < b_parts)
        b_next[i] = *reinterpret_cast<const float4*>(&b[(at + part / (BN / 4)) * n + part % (BN / 4) * 4]);
    }
  };
  const auto store = [&](int stage) {
#pragma unroll
    for (int i = 0; i < a_each; ++i) {
      const int part = thread + i * THREADS, row = part / (BK / 4), column = part % (BK / 4) * 4;
      if (a_parts % THREADS == 0 || part < a_parts) {
        as[stage][column][row] = a_next[i].x;
        as[stage][column + 1][row] = a_next[i].y;
        as[stage][column + 2][row] = a_next[i].z;
        as[stage][column + 3][row] = a_next[i].w;
      }
    }
#pragma unroll
    for (int i = 0; i < b_each; ++i) {
      const int part = thread + i * THREADS;
      if (b_parts % THREADS == 0 || part < b_parts)
        *reinterpret_cast<float4*>(&bs[stage][part / (BN / 4)][part % (BN / 4) * 4]) = b_next[i];
    }
  };
  float sum[TM][TN] = {};
  const auto multiply = [&](int stage) {
#pragma unroll
    for (int at = 0; at < BK; ++at) {
      float x[TM], y[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) x[i] = as[stage][at][i / 4 * (BM / TM * 4) + ty * 4 + i % 4];
#pragma unroll
      for (int j = 0; j < TN; ++j) y[j] = bs[stage][at][j / 4 * (BN / TN * 4) + tx * 4 + j % 4];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += x[i] * y[j];
    }
  };
  if (STAGES == 1) {
    for (int at = 0; at < k; at += BK) {
      load(at);
      store(0);
      __syncthreads();
      multiply(0);
      __syncthreads();
    }
  } else {
    load(0);
    store(0);
    __syncthreads();
    int stage = 0;
    for (int at = 0; at < k; at += BK) {
      if (at + BK < k) load(at + BK);
      multiply(stage);
      if (at + BK < k) store(stage ^ 1);
      __syncthreads();
      stage ^= 1;
    }
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const int row = blockIdx.y * BM + i / 4 * (BM / TM * 4) + ty * 4 + i % 4;
      const int column = blockIdx.x * BN + j / 4 * (BN / TN * 4) + tx * 4;
      *reinterpret_cast<float4*>(&c[static_cast<size_t>(row) * n + column]) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
}
