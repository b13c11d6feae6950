// Running sums of rows with COLUMNS floats, a block for each row. A thread sums ITEMS floats in a row. LOAD: 0: a thread loads its own
// floats as vectors, 1: threads load neighbouring floats, which change threads in shared memory. WAY: 0: sums of warps with shuffles, 1: sums
// of all threads in shared memory.
#define TILE (THREADS * ITEMS)

__device__ inline int place(int i) { return i + i / 32; }

extern "C" __global__ void __launch_bounds__(THREADS) scan(float* out, const float* in) {
  __shared__ float exchange[LOAD == 1 ? TILE + TILE / 32 : 1];
  __shared__ float sums[2][WAY == 1 ? THREADS : 32];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  in += static_cast<size_t>(blockIdx.x) * COLUMNS;
  out += static_cast<size_t>(blockIdx.x) * COLUMNS;
  float before = 0;
  for (int tile = 0; tile < COLUMNS; tile += TILE) {
    float x[ITEMS];
    if (LOAD == 0) {
#pragma unroll
      for (int i = 0; i < ITEMS; i += 4) *reinterpret_cast<float4*>(&x[i]) = *reinterpret_cast<const float4*>(&in[tile + thread * ITEMS + i]);
    } else {
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) exchange[place(i * THREADS + thread)] = in[tile + i * THREADS + thread];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) x[i] = exchange[place(thread * ITEMS + i)];
    }
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) x[i] += x[i - 1];
    float own = x[ITEMS - 1], all, ahead;
    if (WAY == 0) {
#pragma unroll
      for (int d = 1; d < 32; d *= 2) {
        const float other = __shfl_up_sync(~0U, own, d);
        if (lane >= d) own += other;
      }
      if (lane == 31) sums[0][warp] = own;
      __syncthreads();
      float of_warps = lane < THREADS / 32 ? sums[0][lane] : 0;
#pragma unroll
      for (int d = 1; d < THREADS / 32; d *= 2) {
        const float other = __shfl_up_sync(~0U, of_warps, d);
        if (lane >= d) of_warps += other;
      }
      all = __shfl_sync(~0U, of_warps, THREADS / 32 - 1);
      const float of_earlier = __shfl_sync(~0U, of_warps, warp == 0 ? 0 : warp - 1);
      ahead = own - x[ITEMS - 1] + (warp == 0 ? 0 : of_earlier);
    } else {
      int from = 0;
      sums[0][thread] = own;
      __syncthreads();
#pragma unroll
      for (int d = 1; d < THREADS; d *= 2) {
        sums[from ^ 1][thread] = thread >= d ? sums[from][thread] + sums[from][thread - d] : sums[from][thread];
        from ^= 1;
        __syncthreads();
      }
      all = sums[from][THREADS - 1];
      ahead = thread == 0 ? 0 : sums[from][thread - 1];
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) x[i] += before + ahead;
    before += all;
    if (LOAD == 0) {
#pragma unroll
      for (int i = 0; i < ITEMS; i += 4) *reinterpret_cast<float4*>(&out[tile + thread * ITEMS + i]) = *reinterpret_cast<const float4*>(&x[i]);
    } else {
      __syncthreads();
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) exchange[place(thread * ITEMS + i)] = x[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) out[tile + i * THREADS + thread] = exchange[place(i * THREADS + thread)];
    }
    __syncthreads();
  }
}
