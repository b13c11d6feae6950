// Adds the elements of an array in a tree: each step adds elements that are 2, 4, 8, ... apart.
#include <cstdio>
#include <vector>

constexpr int threads = 256, blocks = 1056;

__global__ void reduce(float* sums, const float* in) {
  __shared__ float part[threads];
  part[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  for (int stride = 1; stride < threads; stride *= 2) {
    const int at = 2 * stride * threadIdx.x;
    if (at < threads) part[at] += part[at + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main() {
  std::vector<float> in(threads * blocks), sums(blocks);
  for (int i = 0; i < threads * blocks; ++i) in[i] = i % 10;
  float *from, *to;
  cudaMalloc(&from, sizeof(float) * threads * blocks);
  cudaMalloc(&to, sizeof(float) * blocks);
  cudaMemcpy(from, in.data(), sizeof(float) * threads * blocks, cudaMemcpyHostToDevice);
  reduce<<<blocks, threads>>>(to, from);
  cudaMemcpy(sums.data(), to, sizeof(float) * blocks, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int b = 0; b < blocks; ++b) {
    float sum = 0;
    for (int i = 0; i < threads; ++i) sum += in[b * threads + i];
    wrong += sums[b] != sum;
  }
  std::printf("reduction: %d wrong\n", wrong);
  return wrong != 0;
}
