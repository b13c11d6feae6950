// The loop that issue_times.cpp patches: 64 independent FFMA (OP 0), IMAD (OP 1) or LOP3 (OP 2), timed with clock64.
#include <cstdint>
#ifndef OP
#define OP 0
#endif
// 64 independent accumulators; the instructions of the loop are patched.
extern "C" __global__ void k(long long* out, float* in, int n) {
#if OP == 0
  float x[64];
  for (int i = 0; i < 64; ++i) x[i] = in[i * 32 + threadIdx.x % 32];
  __syncthreads();
  long long t0 = clock64();
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < 64; ++i) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[i]) : "f"(x[(i + 1) % 64]), "f"(x[(i + 2) % 64]));
  }
  long long t1 = clock64();
#else
  unsigned x[64];
  for (int i = 0; i < 64; ++i) x[i] = ((unsigned*)in)[i * 32 + threadIdx.x % 32];
  __syncthreads();
  long long t0 = clock64();
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
#if OP == 1
      asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(x[i]) : "r"(x[(i + 1) % 64]), "r"(x[(i + 2) % 64]));
#else
      asm volatile("lop3.b32 %0, %1, %2, %0, 0x96;" : "+r"(x[i]) : "r"(x[(i + 1) % 64]), "r"(x[(i + 2) % 64]));
#endif
  }
  long long t1 = clock64();
#endif
  for (int i = 0; i < 64; ++i) in[i * 32 + threadIdx.x % 32] = x[i];
  if (threadIdx.x % 32 == 0 && blockIdx.x == 0) out[threadIdx.x / 32] = t1 - t0;
}
