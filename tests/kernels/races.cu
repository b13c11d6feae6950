// Kernels whose result depends on the order of warps, each with a correct variant. They test run --check and --seed.
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

// Reads the neighbour's value too early. The correct variant has the missing barrier.
template <bool ordered>
__device__ void shift(int* out) {
  __shared__ int line[256];
  line[threadIdx.x] = threadIdx.x;
  if (ordered) __syncthreads();
  out[threadIdx.x] = line[(threadIdx.x + 32) % blockDim.x];
}
__global__ void reads_early(int* out) { shift<false>(out); }
__global__ void reads_in_order(int* out) { shift<true>(out); }

// Fills a buffer again while other warps still read it.
template <bool ordered>
__device__ void refill(int* out) {
  __shared__ int buffer[256];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    buffer[threadIdx.x] = round + threadIdx.x;
    __syncthreads();
    sum += buffer[(threadIdx.x + 64) % blockDim.x];
    if (ordered) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void refills_early(int* out) { refill<false>(out); }
__global__ void refills_in_order(int* out) { refill<true>(out); }

// All warps write to one word, and the last value remains. If all warps write the same value, the order has no effect.
__global__ void writes_together(int* out) {
  __shared__ int winner;
  winner = threadIdx.x / 32;
  __syncthreads();
  out[threadIdx.x] = winner;
}
__global__ void writes_the_same(int* out) {
  __shared__ volatile int flag;
  flag = 7;
  __syncthreads();
  out[threadIdx.x] = flag;
}

// The two halves of a warp access the same words, first while they are diverged, then after they have reconverged.
__global__ void diverges(int* out) {
  __shared__ volatile int line[32];
  line[threadIdx.x] = -1;
  __syncwarp();
  int sum = 0;
  if (out[threadIdx.x] == 0)
    for (int i = 0; i < 4; ++i) {
      line[threadIdx.x] = clock();
      sum += line[(threadIdx.x + 16) % 32];
    }
  else
    for (int i = 0; i < 4; ++i) {
      line[threadIdx.x] = i;
      sum -= line[(threadIdx.x + 16) % 32];
    }
  out[threadIdx.x] = sum;
}
__global__ void meets_again(int* out) {
  __shared__ volatile int line[32];
  if (out[threadIdx.x] == 0)
    line[threadIdx.x] = threadIdx.x;
  else
    line[threadIdx.x] = 2 * threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = line[(threadIdx.x + 16) % 32];
}

// A reduction that halves the number of threads. Its last five steps are within a warp.
__global__ void reduces(float* out, const float* in) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 32; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    for (int s = 16; s > 0; s /= 2) {
      const float other = part[threadIdx.x + s];
      __syncwarp();
      part[threadIdx.x] += other;
      __syncwarp();
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// Different warps write bytes of one word.
__global__ void writes_bytes(unsigned char* out) {
  __shared__ unsigned char line[256];
  line[threadIdx.x % 64 * 4 + threadIdx.x / 64] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = line[threadIdx.x];
}

// Counts a histogram with atomics, and reads it with or without a barrier before the read.
template <bool ordered>
__device__ void count(int* out, const int* in) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 64], 1);
  if (ordered) __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = bins[threadIdx.x];
}
__global__ void counts_early(int* out, const int* in) { count<false>(out, in); }
__global__ void counts_in_order(int* out, const int* in) { count<true>(out, in); }

// One warp produces values, and another warp consumes them. They synchronise with named barriers or an mbarrier.
__global__ void hands_over(int* out) {
  __shared__ int line[32];
  if (threadIdx.x < 32) {
    line[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
    out[threadIdx.x - 32] = line[(threadIdx.x + 1) % 32];
  }
}
__global__ void hands_over_by_mbarrier(int* out) {
  __shared__ int line[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0) init(&full, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 32) line[threadIdx.x] = threadIdx.x;
  full.arrive_and_wait();
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = line[(threadIdx.x + 1) % 32];
}

// Half of the array is never written.
__global__ void reads_nothing(int* out) {
  __shared__ int line[64];
  line[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = line[2 * threadIdx.x];
}

// The first thread of each block takes a number from a counter, so the numbers depend on the order of the blocks.
__global__ void takes_numbers(int* out, int* next) {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(next, 1);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = base;
}
