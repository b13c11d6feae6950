// Accesses after the end of shared memory, of every kind. `at`: distance from the start of shared memory, in bytes. The
// block has 64 bytes of static memory, so the granule of 128 bytes ends at 128.
#include <cstdint>
#include <cuda_fp16.h>

extern "C" {

__global__ void reads(float* out, int at) {
  __shared__ float sums[16];
  if (threadIdx.x < 16) sums[threadIdx.x] = 1;
  __syncthreads();
  const char* const bytes = reinterpret_cast<const char*>(sums);
  out[threadIdx.x] = *reinterpret_cast<const volatile float*>(bytes + at + 4 * (threadIdx.x % 4));
}

__global__ void reads_back(float* out, int at) {
  __shared__ float sums[16];
  char* const bytes = reinterpret_cast<char*>(sums) + at;
  *reinterpret_cast<volatile float*>(bytes + 4 * (threadIdx.x % 4)) = 2.0f + threadIdx.x % 4;
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<volatile float*>(bytes + 4 * (threadIdx.x / 8));
}

__global__ void adds(int* out, int at) {
  __shared__ int sums[16];
  int* const word = reinterpret_cast<int*>(reinterpret_cast<char*>(sums) + at);
  out[threadIdx.x] = atomicAdd(word, 1) * 0 + sums[threadIdx.x % 16] * 0;
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<volatile int*>(word);
}

__global__ void loads_rows(int* out, int at) {
  __shared__ __align__(16) int rows[16];
  if (threadIdx.x < 16) rows[threadIdx.x] = 1;
  __syncthreads();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(rows)) + at;
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(row) : "memory");
  out[threadIdx.x] = r;
}

__global__ void copies(int* out, const int* in, int at) {
  __shared__ __align__(16) int rows[16];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(rows)) + at;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  int first;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(first) : "r"(to) : "memory");
  out[threadIdx.x] = first;
}

__global__ void generic(int* out, int at, int chosen) {
  __shared__ int sums[16];
  int* const p = chosen != 0 ? reinterpret_cast<int*>(reinterpret_cast<char*>(sums) + at) : out;
  *reinterpret_cast<volatile int*>(p) = 5;
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<volatile int*>(p);
}

__global__ void both(float* out, int at) {  // static and dynamic memory
  __shared__ float sums[16];
  extern __shared__ float more[];
  sums[threadIdx.x % 16] = 1;
  more[0] = 1;
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x % 16] + *reinterpret_cast<const volatile float*>(reinterpret_cast<const char*>(more) + at);
}

__global__ void none(int* out, int at) {  // without shared memory
  extern __shared__ int dynamic[];
  out[threadIdx.x] = *reinterpret_cast<volatile int*>(reinterpret_cast<char*>(dynamic) + at);
}

__global__ void __cluster_dims__(2, 1, 1) reads_other(int* out, int at) {
  __shared__ int sums[16];
  if (threadIdx.x < 16) sums[threadIdx.x] = 1;
  unsigned mine = static_cast<unsigned>(__cvta_generic_to_shared(sums)) + at, other;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(mine), "r"(blockIdx.x ^ 1));
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(other), "r"(7) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  int value;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(mine) : "memory");
  out[threadIdx.x] = value;
}

__global__ void copies_in_bulk(int* out, const int* in, int bytes) {
  __shared__ __align__(128) int rows[16];
  __shared__ __align__(8) std::uint64_t done;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(rows)),
                 barrier = static_cast<unsigned>(__cvta_generic_to_shared(&done));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("{.reg .b64 q; mbarrier.arrive.expect_tx.shared.b64 q, [%0], %1;}" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(in), "r"(bytes), "r"(barrier)
                 : "memory");
  }
  __syncthreads();
  out[threadIdx.x] = rows[threadIdx.x % 16];
}
}
