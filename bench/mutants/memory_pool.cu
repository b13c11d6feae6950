// Memory of the stream-ordered pool: allocated, used and freed in one stream, and read in another after an event.
#include "../naive/host.cuh"

__global__ void fill(int* to, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i * by;
}
__global__ void add(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

int main() {
  const int n = 3000, blocks = 12;
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t filled_a, added;
  cudaEventCreateWithFlags(&filled_a, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&added, cudaEventDisableTiming);
  int *x, *y;
  cudaMallocAsync(&x, n * sizeof(int), a);
  fill<<<blocks, 256, 0, a>>>(x, n, 3);
  cudaEventRecord(filled_a, a);
  cudaMallocAsync(&y, n * sizeof(int), b);
  cudaMemsetAsync(y, 0, n * sizeof(int), b);
  cudaStreamWaitEvent(b, filled_a, 0);
  add<<<blocks, 256, 0, b>>>(y, x, n);
  cudaEventRecord(added, b);
  cudaStreamWaitEvent(a, added, 0);
  cudaFreeAsync(x, a);
  cudaStreamSynchronize(b);
  const int status = print_checksum(y, n);
  cudaFreeAsync(y, b);
  cudaDeviceSynchronize();
  return status;
}
