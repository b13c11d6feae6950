// Two streams: one makes values, the other squares them. An event orders the streams, and the host waits for both.
#include "../naive/host.cuh"

__global__ void make(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = i % 31;
}
__global__ void square(const float* values, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = values[i] * values[i];
}

int main() {
  const int n = 5000, blocks = (n + 255) / 256;
  float *values, *out, *host;
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMallocHost(&host, n * sizeof(float));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t made;
  cudaEventCreate(&made);
  make<<<blocks, 256, 0, first>>>(values, n);
  cudaEventRecord(made, first);
  cudaStreamWaitEvent(second, made, 0);
  square<<<blocks, 256, 0, second>>>(values, out, n);
  cudaMemcpyAsync(host, out, n * sizeof(float), cudaMemcpyDeviceToHost, second);
  cudaStreamSynchronize(second);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += host[i];
  printf("%.0f\n", sum);
  cudaFreeHost(host);
  cudaFree(out);
  cudaFree(values);
  return cudaGetLastError() != cudaSuccess;
}
