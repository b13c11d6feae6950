// Counts 256 values in shared memory with atomics, then adds the counts to the totals in global memory.
//
//     bankwise run histogram.cu -k histogram_shared --grid 4 --block 256 --arg out:u32[256] --arg u8[4096]=random:1 \
//         --arg i32=4096
#include "check.cuh"

constexpr int bins = 256;

// Lanes that count the same value wait for each other, and so do lanes whose values share a bank.
__global__ void histogram_shared(unsigned* counts, const unsigned char* in, int n) {
  __shared__ unsigned bin[bins];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) bin[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bin[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&counts[i], bin[i]);
}

// Adds weights instead of ones. Every lane adds a different number, so the hardware cannot just count lanes.
__global__ void histogram_weighted(unsigned* sums, const unsigned char* in, int n) {
  __shared__ unsigned bin[bins];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) bin[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bin[in[i] % 16 * 16], static_cast<unsigned>(in[i]));
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&sums[i], bin[i]);
}

int main() {
  const int n = 4096;
  std::vector<unsigned char> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<unsigned char>(i * 37 + i / 64);
  const gpu_buffer<unsigned char> from(in);
  bool right = true;
  const auto run = [&](const char* name, void (*kernel)(unsigned*, const unsigned char*, int), bool weighted) {
    const gpu_buffer<unsigned> to(bins);
    kernel<<<4, 256>>>(to.get(), from.get(), n);
    CUDA_CHECK(cudaGetLastError());
    std::vector<unsigned> expected(bins);
    for (const unsigned char value : in) expected[weighted ? value % 16 * 16 : value] += weighted ? value : 1u;
    right &= report_result(name, to.host() == expected);
  };
  run("histogram_shared", histogram_shared, false);
  run("histogram_weighted", histogram_weighted, true);
  return right ? 0 : 1;
}
