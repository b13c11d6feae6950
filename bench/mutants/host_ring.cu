// Copies chunks from pinned memory in a stream. The host fills a chunk again only after its event.
#include "../naive/host.cuh"

__global__ void add_chunk(const int* chunk, int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sums[i] += chunk[i];
}

int main() {
  const int n = 1024, chunks = 6;
  int *host[2], *device[2], *sums;
  cudaEvent_t copied[2];
  for (int i = 0; i < 2; ++i) {
    cudaMallocHost(&host[i], n * sizeof(int));
    cudaMalloc(&device[i], n * sizeof(int));
    cudaEventCreate(&copied[i]);
  }
  cudaMalloc(&sums, n * sizeof(int));
  cudaMemset(sums, 0, n * sizeof(int));
  cudaDeviceSynchronize();
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int c = 0; c < chunks; ++c) {
    const int at = c % 2;
    if (c >= 2) cudaEventSynchronize(copied[at]);
    for (int i = 0; i < n; ++i) host[at][i] = c * i % 13;
    cudaMemcpyAsync(device[at], host[at], n * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaEventRecord(copied[at], stream);
    add_chunk<<<n / 256, 256, 0, stream>>>(device[at], sums, n);
  }
  cudaStreamSynchronize(stream);
  const int status = print_checksum(sums, n);
  for (int i = 0; i < 2; ++i) {
    cudaFreeHost(host[i]);
    cudaFree(device[i]);
  }
  cudaFree(sums);
  return status;
}
