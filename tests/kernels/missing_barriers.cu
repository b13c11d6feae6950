// Kernels that lack a barrier, but whose results are right on a GPU, because warps that leave a barrier together stay in
// step for a while.

// Sums of blocks. The barrier before the last warp's part is missing.
extern "C" __global__ void sum_volatile(int* out, const int* in) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  for (int d = blockDim.x / 2; d > 32; d >>= 1) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t < 32) {
    volatile int* v = s;
    for (int d = 32; d > 0; d >>= 1) v[t] += v[t + d];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void sum_sync_warp(int* out, const int* in) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 32; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    if (d > 64) __syncthreads();
  }
  if (t < 32)
    for (int d = 32; d > 0; d >>= 1) {
      const int v = s[t] + s[t + d];
      __syncwarp();
      s[t] = v;
      __syncwarp();
    }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void sum_shuffle(int* out, const int* in) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = blockDim.x / 2; d >= 32; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    if (d > 64) __syncthreads();
  }
  if (t < 32) {
    int v = s[t];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}

// The first warp adds up the sums of the warps.
extern "C" __global__ void sum_of_warps(int* out, const int* in) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  int v = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if (t % 32 == 0) s[t / 32] = v;
  if (t < 32) {
    v = t < blockDim.x / 32 ? s[t] : 0;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}

template <int threads>
__device__ void sum_unrolled(int* out, const int* in) {
  extern __shared__ int parts[];
  const int t = threadIdx.x;
  parts[t] = in[blockIdx.x * threads + t];
  __syncthreads();
  if (threads >= 1024) {
    if (t < 512) parts[t] += parts[t + 512];
    __syncthreads();
  }
  if (threads >= 512) {
    if (t < 256) parts[t] += parts[t + 256];
    __syncthreads();
  }
  if (threads >= 256) {
    if (t < 128) parts[t] += parts[t + 128];
    __syncthreads();
  }
  if (t < 64) parts[t] += parts[t + 64];
  if (t < 32) {
    volatile int* v = parts;
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
  if (t == 0) out[blockIdx.x] = parts[0];
}
extern "C" __global__ void sum_unrolled_128(int* out, const int* in) { sum_unrolled<128>(out, in); }
extern "C" __global__ void sum_unrolled_1024(int* out, const int* in) { sum_unrolled<1024>(out, in); }

// No step has a barrier.
extern "C" __global__ void sum_bare(int* out, const int* in) {
  extern __shared__ int s[];
  volatile int* v = s;
  const int t = threadIdx.x;
  v[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1)
    if (t < d) v[t] += v[t + d];
  if (t == 0) out[blockIdx.x] = v[0];
}

// Inclusive scans: without the barrier between the loads and the stores of a step, and without a barrier between two
// steps.
extern "C" __global__ void scan_one_buffer(int* out, const int* in) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = s[t];
}

extern "C" __global__ void scan_two_buffers(int* out, const int* in) {
  extern __shared__ int s[];
  const int t = threadIdx.x, n = blockDim.x;
  int from = 0, to = n;
  s[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    s[to + t] = t >= d ? s[from + t] + s[from + t - d] : s[from + t];
    if (d != 8) __syncthreads();
    const int next = from;
    from = to;
    to = next;
  }
  out[blockIdx.x * n + t] = s[from + t];
}

// The barrier before the next tile is missing.
extern "C" __global__ void tiles(int* out, const int* in, int tiles) {
  extern __shared__ int s[];
  const int t = threadIdx.x, n = blockDim.x;
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    s[t] = in[(blockIdx.x * tiles + i) * n + t];
    __syncthreads();
    for (int j = 0; j < n; ++j) sum += s[j] * (1 + (t + j) % 3);
  }
  out[blockIdx.x * n + t] = sum;
}

// One warp loads the next tile from global memory while the other warps still read the last one.
extern "C" __global__ void producer(int* out, const int* in, int tiles) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  int sum = 0;
  if (t < 32) s[t] = in[blockIdx.x * tiles * 32 + t];
  for (int i = 1; i <= tiles; ++i) {
    __syncthreads();
    if (t < 32) {
      sum += s[t];
      if (i < tiles) s[t] = in[(blockIdx.x * tiles + i) * 32 + t];
    } else {
      for (int j = 0; j < 32; ++j) sum += s[(t + j) % 32];
    }
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}

// The barriers after the bins are cleared, and before they are read, are missing.
extern "C" __global__ void histogram(int* out, const int* in, int count) {
  extern __shared__ int s[];
  const int t = threadIdx.x, n = blockDim.x;
  s[t] = 0;
  for (int i = t; i < count; i += n) atomicAdd(&s[in[blockIdx.x * count + i] % n], 1);
  out[blockIdx.x * n + t] = s[t];
}

extern "C" __global__ void broadcast(int* out, const int* in) {
  __shared__ volatile int s;
  const int t = threadIdx.x, v = in[blockIdx.x * blockDim.x];
  __syncthreads();
  if (t == 0) s = v;
  out[blockIdx.x * blockDim.x + t] = s;
}

// All threads read their neighbours, and then write.
extern "C" __global__ void shift(int* out, const int* in, int times) {
  extern __shared__ int s[];
  const int t = threadIdx.x, n = blockDim.x;
  s[t] = in[blockIdx.x * n + t];
  for (int k = 0; k < times; ++k) {
    __syncthreads();
    const int v = s[(t + n - 1) % n];
    s[t] = v;
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[t];
}

extern "C" __global__ void reverse(int* out, const int* in) {
  extern __shared__ int s[];
  const int t = threadIdx.x, n = blockDim.x;
  s[t] = in[blockIdx.x * n + t];
  out[blockIdx.x * n + t] = s[n - 1 - t];
}

// A right kernel: each warp uses its own part of shared memory, with more accesses than turns may end in a loop.
extern "C" __global__ void own_parts(int* out, int rounds) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  volatile int* v = s;
  v[t] = t;
  for (int i = 0; i < rounds; ++i) v[t] = v[t ^ 1] + i;
  out[blockIdx.x * blockDim.x + t] = v[t];
}

// Two warps write and end. The barrier of the other two warps does not wait for them.
extern "C" __global__ void reads_of_ended(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 64) {
    s[t] = in[t];
    return;
  }
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[t] = s[t - 64];
}

// The same with a barrier of all threads, which the ended threads do not delay: no race.
extern "C" __global__ void reads_of_ended_in_order(int* out, const int* in) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 64) {
    s[t] = in[t];
    return;
  }
  __syncthreads();
  out[t] = s[t - 64];
}
