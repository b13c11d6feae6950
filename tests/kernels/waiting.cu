// Kernels whose blocks wait for each other, and mbarriers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// In each round, every thread reads a value that a thread of another block wrote before grid.sync().
__global__ void meets_grid(int* values, int rounds) {
  cg::grid_group grid = cg::this_grid();
  const unsigned n = grid.size(), i = grid.thread_rank();
  for (int r = 0; r < rounds; ++r) {
    const int neighbour = values[(i + blockDim.x) % n];
    grid.sync();
    values[i] += neighbour;
    grid.sync();
  }
}

// Block b waits until block b + 1 has arrived, so the last block continues first.
__global__ void waits_for_later(volatile int* flags, int* order) {
  const int b = blockIdx.x, last = gridDim.x - 1;
  if (threadIdx.x == 0) {
    if (b != last)
      while (flags[b + 1] == 0) {
      }
    order[b] = atomicAdd(order + gridDim.x, 1);
    __threadfence();
    flags[b] = 1;
  }
}

// Computes an inclusive sum in one pass: each block adds the value that the previous block has published.
__global__ void scans(const int* in, int* out, int* sums, int* ready) {
  __shared__ int line[256];
  __shared__ int before;
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  line[t] = in[i];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int add = t >= d ? line[t - d] : 0;
    __syncthreads();
    line[t] += add;
    __syncthreads();
  }
  if (t == 255) {
    int sum = 0;
    if (blockIdx.x != 0) {
      while (atomicAdd(ready + blockIdx.x - 1, 0) == 0) __nanosleep(20);
      sum = atomicAdd(sums + blockIdx.x - 1, 0);
    }
    before = sum;
    atomicExch(sums + blockIdx.x, sum + line[255]);
    __threadfence();
    atomicExch(ready + blockIdx.x, 1);
  }
  __syncthreads();
  out[i] = before + line[t];
}

// Blocks take a lock one after another, and hold it while their threads meet at a barrier.
__global__ void locks(int* lock, int* counter) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

// The two halves of a block pass a buffer back and forth, using two barriers.
__global__ void hands_over(int* out, int rounds) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full, empty;
  __shared__ int buffer[32];
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 32) {
      buffer[threadIdx.x] = r * 100 + threadIdx.x;
      (void)full.arrive();
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      sum += buffer[63 - threadIdx.x];
      (void)empty.arrive();
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Warps leave the barrier for good, one after another.
__global__ void drops_out(int* out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier meet;
  __shared__ int count;
  if (threadIdx.x == 0) {
    init(&meet, blockDim.x);
    count = 0;
  }
  __syncthreads();
  for (unsigned r = 0; r < threadIdx.x / 32; ++r) {
    atomicAdd(&count, 1);
    meet.arrive_and_wait();
  }
  meet.arrive_and_drop();
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}

// Copies in two stages with cuda::pipeline.
__global__ void pipelines(const int* in, int* out, int rounds) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stage[2][128];
  cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int r = 0; r <= rounds; ++r) {
    if (r < rounds) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[r % 2], in + r * 128, sizeof stage[0], pipe);
      pipe.producer_commit();
    }
    if (r > 0) {
      pipe.consumer_wait();
      sum += stage[(r - 1) % 2][threadIdx.x ^ 1];
      pipe.consumer_release();
    }
  }
  out[threadIdx.x] = sum;
}

// Bulk copies to shared memory and back. An mbarrier tracks the first copy.
__global__ void copies_bulk(const int* in, int* out, int bytes) {
  __shared__ alignas(128) int line[256];
  __shared__ unsigned long long full;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&full));
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(line));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.proxy.async.shared::cta;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
                 "l"(in), "r"(bytes), "r"(at)
                 : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
  }
  unsigned done = 0;
  while (done == 0)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  line[threadIdx.x] += 1000;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(target), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;");
  }
}

// Four lanes of one warp use an mbarrier. `out` receives the values that its instructions return, in order.
__global__ void tells_state(unsigned* out) {
  __shared__ unsigned long long word;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&word));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 10;" ::"r"(at));
  __syncwarp();
  unsigned long long s;
  unsigned n, done;
  const auto note = [&](unsigned row) {
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(s));
    out[row * 4 + threadIdx.x] = n;
  };
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at) : "memory");
  note(0);  // 10 10 10 10
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(s) : "r"(at) : "memory");
  note(1);  // 6 5 4 3
  asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
               : "=r"(done)
               : "r"(at), "l"(s)
               : "memory");
  out[8 + threadIdx.x] = done;  // 0
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(s) : "r"(at) : "memory");
  }
  __syncwarp();
  asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
               : "=r"(done)
               : "r"(at)
               : "memory");
  out[12 + threadIdx.x] = done;  // 0, because 64 bytes are pending
  if (threadIdx.x == 0) asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncwarp();
  asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
               : "=r"(done)
               : "r"(at)
               : "memory");
  out[16 + threadIdx.x] = done;  // 1
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(s) : "r"(at) : "memory");
  note(5);  // 10 10 10 10
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
  if (threadIdx.x == 0) asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(s) : "r"(at) : "memory");
  __syncwarp();
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at) : "memory");
  note(6);  // 6 6 6 6, because four lanes have dropped out
}

// Arrives four times at an mbarrier that expects two arrivals.
__global__ void arrives_too_often(unsigned long long* out) {
  __shared__ unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at));
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 4;" : "=l"(*out) : "r"(at));
}
__global__ void reduces_bulk(int* out) {
  __shared__ alignas(16) int line[32];
  line[threadIdx.x] = 1;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(line));
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 128;" ::"l"(out), "r"(at));
}

// Waits with plain loads, which the machine code repeats. Block 0 waits for block 1, which begins later.
__global__ void waits_plainly(int* flag, int* out) {
  if (blockIdx.x + 1 < gridDim.x)
    while (flag[blockIdx.x + 1] == 0) __threadfence();
  out[blockIdx.x] = gridDim.x - blockIdx.x;
  flag[blockIdx.x] = 1;
}
__global__ void waits_asleep(int* flag, int* out) {
  if (blockIdx.x + 1 < gridDim.x)
    while (flag[blockIdx.x + 1] == 0) __nanosleep(50);
  out[blockIdx.x] = gridDim.x - blockIdx.x;
  __threadfence();
  flag[blockIdx.x] = 1;
}
__global__ void waits_at_barriers(int* flag, int* out) {
  if (blockIdx.x + 1 < gridDim.x)
    for (;;) {
      __syncthreads();
      if (flag[blockIdx.x + 1] != 0) break;
    }
  out[blockIdx.x] = gridDim.x - blockIdx.x;
  __syncthreads();
  flag[blockIdx.x] = 1;
}
__global__ void waits_acquiring(int* flag, int* out) {
  int seen = blockIdx.x + 1 < gridDim.x ? 0 : 1;
  while (seen == 0)
    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(flag + blockIdx.x + 1) : "memory");
  out[blockIdx.x] = gridDim.x - blockIdx.x;
  asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(flag + blockIdx.x), "r"(1) : "memory");
}
