// A histogram of 32 bins: every thread counts in its own row, then the block adds the rows up.
#include <cstdio>
#include <vector>

constexpr int threads = 64, bins = 32, blocks = 4, each = 64;

__global__ void histogram(unsigned* out, const unsigned char* in) {
  __shared__ unsigned counts[threads][bins];
  for (int b = 0; b < bins; ++b) counts[threadIdx.x][b] = 0;
  const unsigned char* mine = in + (blockIdx.x * threads + threadIdx.x) * each;
  for (int i = 0; i < each; ++i) ++counts[threadIdx.x][mine[i] % bins];
  __syncthreads();
  if (threadIdx.x < bins) {
    unsigned sum = 0;
    for (int t = 0; t < threads; ++t) sum += counts[t][threadIdx.x];
    atomicAdd(&out[threadIdx.x], sum);
  }
}

int main() {
  std::vector<unsigned char> in(blocks * threads * each);
  std::vector<unsigned> out(bins), expected(bins);
  unsigned random = 1;
  for (unsigned char& c : in) {
    random = random * 1664525u + 1013904223u;
    c = random >> 24;
    ++expected[c % bins];
  }
  unsigned char* from;
  unsigned* to;
  cudaMalloc(&from, in.size());
  cudaMalloc(&to, sizeof(unsigned) * bins);
  cudaMemcpy(from, in.data(), in.size(), cudaMemcpyHostToDevice);
  cudaMemset(to, 0, sizeof(unsigned) * bins);
  histogram<<<blocks, threads>>>(to, from);
  cudaMemcpy(out.data(), to, sizeof(unsigned) * bins, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int b = 0; b < bins; ++b) wrong += out[b] != expected[b];
  std::printf("histogram: %d wrong\n", wrong);
  return wrong != 0;
}
