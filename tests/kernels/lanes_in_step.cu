// Kernels whose lanes are in order only because a warp executes them together, each with a correct variant, and copies
// that are read before they have arrived. They test run --check race.
#include <cuda_pipeline.h>

// The last steps of a reduction by one warp, as they were written before Volta.
template <bool meets>
__device__ void reduce(int* out) {
  __shared__ volatile int sums[64];
  sums[threadIdx.x] = threadIdx.x;
  sums[threadIdx.x + 32] = 1;
  if (meets) __syncwarp();
  for (int step = 32; step > 0; step /= 2) {
    const int other = sums[threadIdx.x + step];
    if (meets) __syncwarp();
    if (threadIdx.x < step) sums[threadIdx.x] += other;
    if (meets) __syncwarp();
  }
  out[threadIdx.x] = sums[0];
}
__global__ void reduces_in_step(int* out) { reduce<false>(out); }
__global__ void reduces_with_meetings(int* out) { reduce<true>(out); }

// One lane writes, and all lanes read.
template <bool meets>
__device__ void spread(int* out) {
  __shared__ int first;
  if (threadIdx.x == 0) first = out[0] + 5;
  if (meets) __syncwarp();
  out[threadIdx.x] = *(volatile int*)&first;
}
__global__ void spreads_in_step(int* out) { spread<false>(out); }
__global__ void spreads_after_meeting(int* out) { spread<true>(out); }

// Only half of the lanes meet. The other half reads what they wrote.
template <bool own>
__device__ void meet_in_halves(int* out) {
  __shared__ int line[32];
  line[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16)
    __syncwarp(0xffff);
  else
    __syncwarp(0xffff0000);
  out[threadIdx.x] = line[threadIdx.x ^ (own ? 1 : 16)];
}
__global__ void meets_in_halves(int* out) { meet_in_halves<true>(out); }
__global__ void reads_other_half(int* out) { meet_in_halves<false>(out); }

// Two lanes of one store write different values to one word.
__global__ void stores_in_pairs(int* out) {
  __shared__ int line[16];
  line[threadIdx.x / 2] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = line[threadIdx.x / 2];
}

// `pending`: the number of copies for which the threads do not wait.
template <int pending>
__device__ void copy(int* out, const int* in) {
  __shared__ int line[2][64];
  for (int half = 0; half < 2; ++half) {
    __pipeline_memcpy_async(&line[half][threadIdx.x], &in[64 * half + threadIdx.x], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(pending);
  __syncthreads();
  out[threadIdx.x] = line[1][63 - threadIdx.x];
}
__global__ void waits_for_copies(int* out, const int* in) { copy<0>(out, in); }
__global__ void waits_for_one_copy(int* out, const int* in) { copy<1>(out, in); }
