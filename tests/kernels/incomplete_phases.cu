// Loops that wait for a phase of an mbarrier that never completes. Some of the loops give up.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
// The mbarrier expects one arrival more than the threads of the block make.
__device__ void make_barrier(unsigned long long* word) {
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(word)));
  __syncthreads();
}
#define LOOK(instruction, rest)                                                                                   \
  asm volatile("{.reg .pred p; mbarrier." instruction ".parity.shared::cta.b64 p, [%1], 0" rest "; selp.u32 %0, 1, 0, p;}" \
               : "=r"(done)                                                                                       \
               : "r"(shared_address(&word))                                                                       \
               : "memory")

extern "C" __global__ void lacks_an_arrival(int* out) {
  __shared__ barrier meet;
  if (threadIdx.x == 0) init(&meet, blockDim.x + 1);
  __syncthreads();
  meet.arrive_and_wait();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void lacks_a_commit(int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stage[64];
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  pipe.consumer_wait();
  out[threadIdx.x] = stage[threadIdx.x];
  pipe.consumer_release();
}
extern "C" __global__ void has_a_time_hint(int* out) {
  __shared__ unsigned long long word;
  make_barrier(&word);
  unsigned done = 0;
  while (done == 0) LOOK("try_wait", ", 0x989680");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void sleeps_longer(int* out) {
  __shared__ unsigned long long word;
  make_barrier(&word);
  unsigned done = 0, nanoseconds = 8;
  for (;;) {
    LOOK("test_wait", "");
    if (done != 0) break;
    __nanosleep(nanoseconds);
    if (nanoseconds < 256) nanoseconds *= 2;
  }
  out[threadIdx.x] = 1;
}
// The second warp waits for the first warp.
extern "C" __global__ void others_meet(int* out) {
  __shared__ unsigned long long word;
  make_barrier(&word);
  unsigned done = 0;
  while (threadIdx.x < 32 && done == 0) LOOK("try_wait", ", 0x989680");
  __syncthreads();
  out[threadIdx.x] = 1;
}

// These end.
extern "C" __global__ void gives_up_by_clock(int* out) {
  __shared__ unsigned long long word;
  make_barrier(&word);
  unsigned done = 0;
  const long long begin = clock64();
  while (done == 0 && clock64() - begin < 3000000) LOOK("test_wait", "");
  out[threadIdx.x] = done + 1;
}
extern "C" __global__ void gives_up_by_count(int* out) {
  __shared__ unsigned long long word;
  make_barrier(&word);
  unsigned done = 0;
  for (int n = 0; n < 200000 && done == 0; ++n) LOOK("test_wait", "");
  out[threadIdx.x] = done + 1;
}
extern "C" __global__ void gives_up_after_time(int* out) {
  __shared__ barrier meet;
  if (threadIdx.x == 0) init(&meet, blockDim.x + 1);
  __syncthreads();
  out[threadIdx.x] = (meet.try_wait_for(meet.arrive(), cuda::std::chrono::milliseconds(2)) ? 1 : 0) + 1;
}
// The first warp arrives after a long computation.
extern "C" __global__ void arrives_late(int* out) {
  __shared__ unsigned long long word;
  make_barrier(&word);
  if (threadIdx.x < 32) {
    float x = threadIdx.x;
    for (int n = 0; n < 1000000; ++n) x = x * 0.5f + 1;
    out[threadIdx.x] = static_cast<int>(x);
    if (threadIdx.x == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&word)) : "memory");
  } else {
    unsigned done = 0;
    while (done == 0) LOOK("try_wait", ", 0x989680");
    out[threadIdx.x] = 1;
  }
}
