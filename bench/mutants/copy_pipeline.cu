// Scales tiles that cp.async copies to two buffers in shared memory: the next tile is copied while this one is used.
#include <cuda_pipeline.h>

#include "../naive/host.cuh"

constexpr int threads = 128, tiles = 6;

__global__ void copy_pipeline(const float* in, float* out) {
  __shared__ __align__(16) float tile[2][threads * 4];
  const int t = threadIdx.x, first = blockIdx.x * tiles;
  auto copy = [&](int i) {
    __pipeline_memcpy_async(&tile[i % 2][t * 4], in + ((first + i) * threads + t) * 4, 16);
    __pipeline_commit();
  };
  copy(0);
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      copy(i + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += tile[i % 2][(t + k * threads + 1) % (4 * threads)];
    out[(first + i) * threads + t] = sum;
    __syncthreads();
  }
}

int main() {
  const int blocks = 8, n = blocks * tiles * threads;
  float* in = filled<float>(n * 4, [](int i) { return float(i % 23); });
  float* out;
  cudaMalloc(&out, n * sizeof(float));
  copy_pipeline<<<blocks, threads>>>(in, out);
  const int status = print_checksum(out, n);
  cudaFree(out);
  cudaFree(in);
  return status;
}
