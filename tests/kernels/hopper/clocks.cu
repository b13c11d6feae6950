// Kernels that read clocks, for clock_waits_test and launch_clocks_test.
#include <cuda_runtime.h>

__device__ unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)::"memory");
  return t;
}

// --- Loops that only wait for a time

extern "C" __global__ void waits(long long clocks) {
  const long long from = clock64();
  while (clock64() - from < clocks) {
  }
}
extern "C" __global__ void waits_shortly(unsigned* out, unsigned clocks) {
  const unsigned from = clock();
  while (clock() - from < clocks) {
  }
  *out = clock() - from;
}
extern "C" __global__ void waits_asleep(unsigned long long time) {
  const unsigned long long from = nanoseconds();
  while (nanoseconds() - from < time) __nanosleep(100);
}

// --- Loops that read a clock and do something else

extern "C" __global__ void adds_clocks(long long* out, int rounds) {
  long long sum = 0, last = clock64();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    const long long now = clock64();
    sum += now - last;
    last = now;
  }
  *out = sum;
}
extern "C" __global__ void looks_at_memory(volatile int* flag, long long clocks) {
  const long long from = clock64();
  while (*flag == 0 && clock64() - from < clocks) {
  }
}

// --- Kernels that measure what they do

extern "C" __global__ void chases(const unsigned* next, unsigned* out, long long* clocks, int loads) {
  for (int round = 0; round < 2; ++round) {
    unsigned at = 0;
    const long long from = clock64();
#pragma unroll 1
    for (int i = 0; i < loads; ++i) at = next[at];
    *out = at;
    if (at == 0xffffffff) return;
    clocks[round] = clock64() - from;
  }
}
extern "C" __global__ void multiplies(float* out, long long* clocks, int rounds) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) a = a * 1.5f + 1, b = b * 1.5f + 1, c = c * 1.5f + 1, d = d * 1.5f + 1;
  if (a + b + c + d == 12345) *out = a;
  const long long took = clock64() - from;
  __syncthreads();
  clocks[threadIdx.x / 32] = took;
}
// The second half of the block waits at the barrier until the first half has arrived.
extern "C" __global__ void meets(long long* clocks, int rounds) {
  float a = threadIdx.x;
  const long long from = clock64();
  if (threadIdx.x < blockDim.x / 2)
    for (int i = 0; i < rounds; ++i) a = a * 1.5f + 1;
  __syncthreads();
  clocks[threadIdx.x / 32] = clock64() - from + (a == 12345);
}
extern "C" __global__ void sleeps(unsigned time, int times) {
  for (int i = 0; i < times; ++i) __nanosleep(time);
}
extern "C" __global__ void tells(unsigned long long* out) { out[blockIdx.x] = nanoseconds(); }
