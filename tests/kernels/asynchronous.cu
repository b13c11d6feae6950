// Instructions on shared memory that have no lane addresses, and accesses to another block's memory. The counts by
// Nsight Compute's source page are in data/sm_90/source_page.csv. These launches were measured:
//
//     barriers<<<1, 64>>>()   bulk<<<1, 64, 8192>>>(g, h)   other_block<<<2, 32>>>()   own_block<<<2, 32>>>()
//     bulk_across<<<2, 32, 16384>>>()   tensor<<<1, 64, 16384>>>(m, n), 32 x 64 of 256 x 256 words, 128-byte swizzle
#include <cuda.h>

#include <cstdint>

__device__ unsigned out[4096];
__device__ __forceinline__ unsigned sa(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p,[%0],%1;\n@!p bra L;}" ::"r"(bar),
               "r"(parity)
               : "memory");
}
__global__ void barriers() {
  __shared__ alignas(8) uint64_t b[8];
  if (threadIdx.x < 4)
    asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(sa(&b[threadIdx.x])), "r"(blockDim.x) : "memory");
  __syncthreads();
  asm volatile("{.reg .b64 s; mbarrier.arrive.shared::cta.b64 s,[%0];}" ::"r"(sa(&b[0])) : "memory");
  wait(sa(&b[0]), 0);
  asm volatile("{.reg .b64 s; mbarrier.arrive.shared::cta.b64 s,[%0];}" ::"r"(sa(&b[threadIdx.x & 3])) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(sa(&b[1])) : "memory");
}
__global__ void bulk(const char* g, char* h) {
  extern __shared__ __align__(128) char s[];
  __shared__ alignas(8) uint64_t b;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0],1;" ::"r"(sa(&b)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s,[%0],4096;}" ::"r"(sa(&b)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],4096,[%2];" ::"r"(sa(s)),
                 "l"(g), "r"(sa(&b))
                 : "memory");
  }
  __syncthreads();
  wait(sa(&b), 0);
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],4096;" ::"l"(h), "r"(sa(s)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0],[%1],4096;" ::"l"(h), "r"(sa(s))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
__global__ void tensor(const __grid_constant__ CUtensorMap m, const __grid_constant__ CUtensorMap n) {
  extern __shared__ __align__(1024) char big[];
  char* s = big;
  __shared__ alignas(8) uint64_t b;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0],1;" ::"r"(sa(&b)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s,[%0],8192;}" ::"r"(sa(&b)) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3}],[%4];" ::"r"(
            sa(s)),
        "l"(&m), "r"(0), "r"(0), "r"(sa(&b))
        : "memory");
  }
  __syncthreads();
  wait(sa(&b), 0);
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0,{%1,%2}],[%3];" ::"l"(&n), "r"(0), "r"(0),
                 "r"(sa(s))
                 : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0,{%1,%2}],[%3];" ::"l"(&n),
                 "r"(0), "r"(0), "r"(sa(s))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
template <int Step>
__device__ void remote(unsigned a, unsigned bar) {
  unsigned v, w;
  float4 q;
  asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(v) : "r"(a + threadIdx.x * 4 * Step) : "memory");
  asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3},[%4];"
               : "=f"(q.x), "=f"(q.y), "=f"(q.z), "=f"(q.w)
               : "r"(a + threadIdx.x * 16 * Step)
               : "memory");
  asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(a + threadIdx.x * 4 * Step), "r"(v + 1) : "memory");
  asm volatile("atom.shared::cluster.add.u32 %0,[%1],%2;"
               : "=r"(w)
               : "r"(a + threadIdx.x * 4 * Step), "r"(v)
               : "memory");
  out[threadIdx.x] = v + w + __float_as_uint(q.x) + __float_as_uint(q.y) + __float_as_uint(q.z) + __float_as_uint(q.w);
  asm volatile("red.shared::cluster.add.u32 [%0],%1;" ::"r"(a + threadIdx.x * 4 * Step), "r"(v) : "memory");
  asm volatile("atom.shared::cluster.cas.b32 %0,[%1],%2,%3;"
               : "=r"(w)
               : "r"(a + threadIdx.x * 4 * Step), "r"(v), "r"(w)
               : "memory");
  out[threadIdx.x + 32] = w;
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%0];" ::"r"(bar) : "memory");
}
__global__ void __cluster_dims__(2, 1, 1) other_block() {
  __shared__ alignas(16) unsigned s[4096];
  __shared__ alignas(8) uint64_t b;
  for (int i = threadIdx.x; i < 4096; i += 32) s[i] = i;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0],32;" ::"r"(sa(&b)) : "memory");
  unsigned rank;
  asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  unsigned a, bar;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(a) : "r"(sa(s)), "r"(rank ^ 1));
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(bar) : "r"(sa(&b)), "r"(rank ^ 1));
  if (rank == 0) {
    remote<1>(a, bar);
    remote<2>(a, bar);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%1,[%2];" ::"r"(a + threadIdx.x * 4),
                 "r"(rank), "r"(bar)
                 : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  out[64 + rank * 32 + threadIdx.x] = s[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) own_block() {
  __shared__ alignas(16) unsigned s[4096];
  __shared__ alignas(8) uint64_t b;
  for (int i = threadIdx.x; i < 4096; i += 32) s[i] = i;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0],32;" ::"r"(sa(&b)) : "memory");
  unsigned rank;
  asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  unsigned a, bar;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(a) : "r"(sa(s)), "r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(bar) : "r"(sa(&b)), "r"(rank));
  if (rank == 0) {
    remote<1>(a, bar);
    remote<2>(a, bar);
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  out[64 + rank * 32 + threadIdx.x] = s[threadIdx.x];
}
// Copies from shared memory to the shared memory of another block.
__global__ void __cluster_dims__(2, 1, 1) bulk_across() {
  extern __shared__ __align__(128) char s[];
  __shared__ alignas(8) uint64_t b;
  unsigned rank;
  asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0],1;" ::"r"(sa(&b)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s,[%0],4096;}" ::"r"(sa(&b)) : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0) {
    unsigned a, bar;
    asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(a) : "r"(sa(s)), "r"(rank ^ 1));
    asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(bar) : "r"(sa(&b)), "r"(rank ^ 1));
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0],[%1],4096,[%2];" ::"r"(a + 8192),
        "r"(sa(s)), "r"(bar)
        : "memory");
  }
  wait(sa(&b), 0);
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
