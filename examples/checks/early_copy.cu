// Reads the bytes of an asynchronous copy without waiting for it.
#include <cuda_pipeline.h>

__global__ void twice(const int* in, int* out) {
  __shared__ int line[128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&line[t], &in[t], 4);
  __pipeline_commit();
  out[t] = 2 * line[t];
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 256 * sizeof(int));
  cudaMemset(data, 0, 256 * sizeof(int));
  twice<<<1, 128>>>(data, data + 128);
  cudaDeviceSynchronize();
  cudaFree(data);
}
