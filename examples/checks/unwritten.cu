// Adds to counters that nobody has set to zero.
__global__ void count(const int* in, int* counters) {
  __shared__ int bins[32];
  atomicAdd(&bins[in[threadIdx.x] % 32], 1);
  __syncthreads();
  if (threadIdx.x < 32) counters[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 160 * sizeof(int));
  cudaMemset(data, 0, 160 * sizeof(int));
  count<<<1, 128>>>(data, data + 128);
  cudaDeviceSynchronize();
  cudaFree(data);
}
