// mbarriers of GPUs before sm_90, where loads poll the mbarrier's state: phases, cp.async, dropped arrivals.
#include <cstdint>

__device__ std::uint32_t shared_address(const void* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void init(std::uint32_t bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
__device__ std::uint64_t arrive(std::uint32_t bar) {
  std::uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
  return state;
}
__device__ void wait(std::uint32_t bar, std::uint64_t state) {
  for (int done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "l"(state)
                 : "memory");
}

// Reverses each row of `in` through shared memory. Two phases of the mbarrier order a row's stores and loads.
extern "C" __global__ void reverses(const int* in, int* out, int rows) {
  __shared__ std::uint64_t bar;
  __shared__ int row[128];
  const std::uint32_t b = shared_address(&bar);
  if (threadIdx.x == 0) init(b, blockDim.x);
  __syncthreads();
  for (int i = 0; i < rows; ++i) {
    row[threadIdx.x] = in[i * blockDim.x + threadIdx.x];
    wait(b, arrive(b));
    out[i * blockDim.x + threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
    wait(b, arrive(b));
  }
}

// As `reverses`, but nothing orders a row's loads and the next row's stores.
extern "C" __global__ void races(const int* in, int* out, int rows) {
  __shared__ std::uint64_t bar;
  __shared__ int row[128];
  const std::uint32_t b = shared_address(&bar);
  if (threadIdx.x == 0) init(b, blockDim.x);
  __syncthreads();
  for (int i = 0; i < rows; ++i) {
    row[threadIdx.x] = in[i * blockDim.x + threadIdx.x];
    wait(b, arrive(b));
    out[i * blockDim.x + threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
  }
}

// Copies the block's row by cp.async. The mbarrier counts the completed copies.
extern "C" __global__ void copies(const int* in, int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int row[128];
  const std::uint32_t b = shared_address(&bar);
  if (threadIdx.x == 0) init(b, blockDim.x);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&row[threadIdx.x])),
               "l"(in + threadIdx.x)
               : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b) : "memory");
  wait(b, arrive(b));
  out[threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
}

// In the first phase, all threads arrive, and the upper half of them drops out. So the second phase expects only the lower
// half. Each of its threads stores the arrivals that were pending before its own arrival.
extern "C" __global__ void drops(unsigned* pending) {
  __shared__ std::uint64_t bar;
  const std::uint32_t b = shared_address(&bar);
  if (threadIdx.x == 0) init(b, blockDim.x);
  __syncthreads();
  if (threadIdx.x >= blockDim.x / 2) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive_drop.shared.b64 s, [%0]; }" ::"r"(b) : "memory");
    return;
  }
  wait(b, arrive(b));
  const std::uint64_t state = arrive(b);
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending[threadIdx.x]) : "l"(state));
  wait(b, state);
}
