// Measures accesses to the memory of a cluster's blocks. Each launch does one thing, so that Nsight Compute's counters
// show its cost. tests/probes/README.md has the commands, data/sm_90/cluster_memory.csv has the results.
//
//     ld          a wide load through a generic pointer, of the block's own memory
//     ld.cluster  the same load by ld.shared::cluster
//     copy        cp.async.bulk from a block's shared memory to the other block's memory
//
// Prints a row for each launch: name, parameters (addresses by lane; or bytes, source and destination), mask.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

__device__ unsigned sh(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ unsigned mapped(unsigned at, unsigned rank) {
  unsigned m;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(m) : "r"(at), "r"(rank));
  return m;
}
__device__ unsigned own_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

extern __shared__ __align__(1024) unsigned char memory[];

template <int Bytes, bool InCluster>
__global__ void load(const unsigned* at, unsigned mask, unsigned* out) {
  const unsigned a = sh(memory) + at[threadIdx.x], m = mapped(a, own_rank());
  unsigned long long generic;
  asm volatile("cvta.shared.u64 %0, %1;" : "=l"(generic) : "l"(static_cast<unsigned long long>(a)));
  if ((mask >> threadIdx.x & 1) == 0) return;
  unsigned x = 0, y = 0, z = 0, w = 0;
  if constexpr (InCluster && Bytes == 16)
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(m));
  else if constexpr (InCluster)
    asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(m));
  else if constexpr (Bytes == 16)
    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(generic));
  else
    asm volatile("ld.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(generic));
  out[threadIdx.x] = x + y + z + w;
}

__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2) copy(unsigned bytes, unsigned from, unsigned to, unsigned* out) {
  __shared__ __align__(8) unsigned long long barrier;
  const bool takes = own_rank() == 1, is_first = threadIdx.x == 0;
  if (is_first) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(sh(&barrier)));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(sh(&barrier)), "r"(takes ? bytes : 0));
  }
  cluster_barrier();
  if (is_first && !takes && bytes != 0)
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     mapped(sh(memory + to), 1)),
                 "r"(sh(memory + from)), "r"(bytes), "r"(mapped(sh(&barrier), 1))
                 : "memory");
  if (is_first && takes && bytes != 0)
    asm volatile(
        "{ .reg .pred done;\nWAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra WAIT; }" ::"r"(
            sh(&barrier))
        : "memory");
  cluster_barrier();
  if (is_first) out[own_rank()] = memory[to];
}

int main() {
  unsigned *at, *out;
  cudaMalloc(&at, 128);
  cudaMalloc(&out, 128);
  std::mt19937 random(7);
  std::printf("what,parameters,mask\n");
  for (int n = 0; n < 40; ++n)
    for (const unsigned bytes : {8u, 16u}) {
      const unsigned places = (n % 4 == 0 ? 64u : n % 4 == 1 ? 128u : n % 4 == 2 ? 512u : 32u) * 16 / bytes;
      std::vector<unsigned> address(32);
      for (unsigned& a : address) a = random() % places * bytes;
      for (unsigned lane = 0; lane < 32 && n >= 20 && n < 25; ++lane)
        address[lane] = bytes * (n == 20 ? lane & 1 : n == 21 ? lane : n == 22 ? lane % 16 : n == 23 ? lane % 8 : lane / 2);
      const unsigned mask = n < 30 ? 0xffffffffu : static_cast<unsigned>(random());
      cudaMemcpy(at, address.data(), 128, cudaMemcpyHostToDevice);
      std::string list;
      for (const unsigned a : address) list += (list.empty() ? "" : " ") + std::to_string(a);
      const int shared = 16384;
      if (bytes == 8) {
        load<8, false><<<1, 32, shared>>>(at, mask, out);
        load<8, true><<<1, 32, shared>>>(at, mask, out);
      } else {
        load<16, false><<<1, 32, shared>>>(at, mask, out);
        load<16, true><<<1, 32, shared>>>(at, mask, out);
      }
      for (const char* what : {"ld.generic.b", "ld.cluster.b"})
        std::printf("%s%u,%s,%08x\n", what, 8 * bytes, list.c_str(), mask);
    }
  for (const unsigned bytes : {0u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u, 4096u})
    for (const unsigned from : {0u, 16u, 64u})
      for (const unsigned to : {0u, 16u, 64u}) {
        copy<<<2, 32, 16384>>>(bytes, from, to, out);
        std::printf("copy,%u %u %u,1\n", bytes, from, to);
      }
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  return status != cudaSuccess;
}
