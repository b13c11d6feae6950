// One step of a radix sort: counts of 16 digits by block, prefix sums of the counts, and stable places in each block.
#include "../naive/host.cuh"

constexpr int threads = 128, blocks = 8, digits = 16;

__global__ void count_digits(const unsigned* in, int* counts) {
  __shared__ int bin[digits];
  if (threadIdx.x < digits) bin[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bin[in[blockIdx.x * threads + threadIdx.x] % digits], 1);
  __syncthreads();
  if (threadIdx.x < digits) counts[threadIdx.x * gridDim.x + blockIdx.x] = bin[threadIdx.x];
}

__global__ void scan_counts(int* counts) {
  __shared__ int line[2][threads];
  const int t = threadIdx.x;
  int at = 0;
  const int own = counts[t];
  line[0][t] = own;
  __syncthreads();
  for (int d = 1; d < threads; d *= 2, at ^= 1) {
    line[at ^ 1][t] = line[at][t] + (t >= d ? line[at][t - d] : 0);
    __syncthreads();
  }
  counts[t] = line[at][t] - own;
}

__global__ void place(const unsigned* in, const int* counts, unsigned* out) {
  __shared__ unsigned char digit[threads];
  const int t = threadIdx.x;
  const unsigned value = in[blockIdx.x * threads + t];
  digit[t] = value % digits;
  __syncthreads();
  int before = 0;
  for (int i = 0; i < t; ++i) before += digit[i] == digit[t];
  out[counts[digit[t] * gridDim.x + blockIdx.x] + before] = value;
}

int main() {
  const int n = threads * blocks;
  unsigned* in = filled<unsigned>(n, [](int i) { return mixed(i) % 4096; });
  unsigned* out;
  int* counts;
  cudaMalloc(&out, n * sizeof(unsigned));
  cudaMalloc(&counts, digits * blocks * sizeof(int));
  count_digits<<<blocks, threads>>>(in, counts);
  scan_counts<<<1, digits * blocks>>>(counts);
  place<<<blocks, threads>>>(in, counts, out);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  cudaFree(counts);
  return status;
}
