// Copies through shared memory without conflicts, although profilers report some: a tile of halves that only fills a
// part of the declared array, a pipeline of cp.async, and a reduction that calls a function with its values in local
// memory.
//
//     nvcc -std=c++17 -arch=sm_90 -lineinfo -O3 copies.cu -o copies
//     ncu --metrics l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum ./copies
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "../check.cuh"

// A tile of 16 rows of 32 halves, written 8 rows at a time. The tile needs 1,024 bytes, but `Bytes` bytes are declared.
template <int Bytes>
__device__ void copy_tile(const std::uint16_t* in) {
  __shared__ volatile std::uint16_t tile[Bytes / 2];
  for (int row = threadIdx.x / 32; row < 16; row += 8) {
    const int i = row * 32 + threadIdx.x % 32;
    tile[i] = in[i];
  }
}

__global__ void tile_tight(const std::uint16_t* in) { copy_tile<1024>(in); }
__global__ void tile_roomy(const std::uint16_t* in) { copy_tile<32768>(in); }

// Each thread copies 4 bytes to shared memory by cp.async, and then to `out`.
__global__ void copy_async(float* out, const float* in) {
  __shared__ float block[256];
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&block[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[i] = *static_cast<volatile float*>(&block[threadIdx.x]);
}

// Makes the same copy with an ordinary load.
__global__ void copy_plain(float* out, const float* in) {
  __shared__ volatile float block[256];
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  block[threadIdx.x] = in[i];
  out[i] = block[threadIdx.x];
}

// This function is not inlined. Its argument is the address of a sum in local memory.
__device__ __noinline__ void add_to(float* sum, float x) { *sum += x; }

__global__ void reduce_calling(float* out, const float* in) {
  __shared__ float sums[256];
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  sums[threadIdx.x] = in[i];
  __syncthreads();
  for (unsigned half = 128; half != 0; half /= 2) {
    if (threadIdx.x < half) {
      float sum = sums[threadIdx.x];
      add_to(&sum, sums[threadIdx.x + half]);
      sums[threadIdx.x] = sum;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

int main() {
  const std::size_t n = std::size_t{1} << 22;
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
  CUDA_CHECK(cudaMemset(in, 0, n * sizeof(float)));
  const auto* halves = reinterpret_cast<const std::uint16_t*>(in);
  for (const unsigned blocks : {1U, 1024U, 16384U}) {
    tile_tight<<<blocks, 256>>>(halves);
    tile_roomy<<<blocks, 256>>>(halves);
    copy_async<<<blocks, 256>>>(out, in);
    copy_plain<<<blocks, 256>>>(out, in);
    reduce_calling<<<blocks, 256>>>(out, in);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  std::puts("done");
}
