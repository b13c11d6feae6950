// A cluster that relies on the time that its blocks need, as CUTLASS's example 93 does.
#include <cstdint>

// Each block clears a mailbox in its shared memory. After some work, it writes to the mailbox of the next block. No
// barrier orders the two writes to a mailbox.
extern "C" __global__ void __cluster_dims__(4, 1, 1) fills_mailboxes(float x, uint32_t* out) {
  __shared__ uint32_t mailbox;
  mailbox = 0;
#pragma unroll 1
  for (int i = 0; i < 100; ++i) x = x * x + 0.5f;
  uint32_t rank, next;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(next)
      : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&mailbox))), "r"((rank + 1) % 4));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(next), "r"(x == 0 ? 0 : rank + 100) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  out[blockIdx.x * blockDim.x + threadIdx.x] = mailbox;
}
