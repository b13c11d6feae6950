// Right and wrong uses of barriers, shuffles and votes, for --check sync. The numbers of lanes are arguments, so that the
// compiler cannot know the branches.

// --- Wrong

// The lanes from `lanes` on do not take part, but the mask names them.
extern "C" __global__ void names_others(int* out, int lanes) {
  int v = threadIdx.x;
  if (threadIdx.x < lanes) v = __shfl_xor_sync(0xffffffff, v, 1);
  out[threadIdx.x] = v;
}
// Lanes of the branch are missing in the mask.
extern "C" __global__ void misses_callers(int* out, unsigned mask, int lanes) {
  int v = threadIdx.x;
  if (threadIdx.x < lanes) v = __shfl_xor_sync(mask, v, 1);
  out[threadIdx.x] = v;
}
// Lane 20 does not take part.
extern "C" __global__ void reads_lane_20(int* out, int lanes) {
  int v = threadIdx.x;
  if (threadIdx.x < lanes) v = __shfl_sync(0xffff, v, 20);
  out[threadIdx.x] = v;
}
// The upper lanes of the branch read lanes outside.
extern "C" __global__ void reads_neighbours(int* out, int lanes) {
  int v = threadIdx.x;
  if (threadIdx.x < lanes) v += __shfl_down_sync(0xffff, v, 8);
  out[threadIdx.x] = v;
}
// Half a warp does not wait.
extern "C" __global__ void waits_in_part(int* out, int threads) {
  __shared__ int kept[64];
  kept[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < threads) __syncthreads();
  out[threadIdx.x] = kept[63 - threadIdx.x];
}

// Nothing initialises the mbarrier.
extern "C" __global__ void arrives_at_nothing(int* out) {
  __shared__ unsigned long long barrier;
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&barrier)))
               : "memory");
  out[threadIdx.x] = static_cast<int>(state);
}

// --- Right

extern "C" __global__ void names_callers(int* out, int lanes) {
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < lanes);
  int v = threadIdx.x;
  if (threadIdx.x < lanes) {
    v += __shfl_sync(mask, v, 0);
    __syncwarp(mask);
    if (__any_sync(mask, v > 3)) v = -v;
  }
  __syncthreads();
  out[threadIdx.x] = v;
}
// The value of a lane that does not take part is not used.
extern "C" __global__ void guards_neighbours(int* out, int lanes) {
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < lanes);
  int v = threadIdx.x;
  if (threadIdx.x < lanes) {
    const int other = __shfl_down_sync(mask, v, 1);
    if (threadIdx.x + 1 < lanes) v += other;
  }
  out[threadIdx.x] = v;
}
extern "C" __global__ void reduces_warp(int* out) {
  int v = threadIdx.x;
  for (int by = 16; by != 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
// The lanes that have ended do not take part, but the others do not read them.
extern "C" __global__ void names_ended(int* out, const int* in, int threads) {
  if (threadIdx.x >= threads) return;
  int v = in[threadIdx.x];
  if (v < 100) v += __shfl_xor_sync(0xffffffff, v, 1);
  out[threadIdx.x] = v;
}
// Threads that return early count as arrived.
extern "C" __global__ void returns_early(int* out, int threads) {
  __shared__ int kept[64];
  if (threadIdx.x >= threads) return;
  kept[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = kept[threads - 1 - threadIdx.x];
}
// Each half of the block has a barrier of its own.
extern "C" __global__ void waits_by_halves(int* out) {
  __shared__ int kept[128];
  kept[threadIdx.x] = threadIdx.x;
  const int half = threadIdx.x / 64;
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  out[threadIdx.x] = kept[threadIdx.x ^ 32];
}
// --- Doubtful: the barrier opens when the other threads have ended

// The lanes from `lanes` on work elsewhere, and end there.
extern "C" __global__ void leaves_barrier(int* out, int lanes) {
  __shared__ int kept[64];
  kept[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= lanes) {
    for (int i = 0; i < lanes; ++i) *static_cast<volatile int*>(&out[threadIdx.x]) = i;
    return;
  }
  __syncthreads();
  out[threadIdx.x] = kept[lanes - 1 - threadIdx.x];
}
// The barrier has a guard, so the upper lanes skip its instruction. On an H200, synccheck reports only this kernel.
extern "C" __global__ void goes_around(int* out, int lanes) {
  __shared__ int kept[64];
  kept[threadIdx.x] = threadIdx.x;
  int value = 0;
  if (threadIdx.x < lanes) {
    __syncthreads();
    value = kept[lanes - 1 - threadIdx.x];
  }
  out[threadIdx.x] = value;
}
