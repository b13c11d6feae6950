// Reads one element after the end of an array in shared memory.
__global__ void shift(const int* in, int* out) {
  __shared__ int line[60];
  const int t = threadIdx.x;
  line[t] = in[t];
  __syncthreads();
  out[t] = line[t + 1];
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 120 * sizeof(int));
  cudaMemset(data, 0, 120 * sizeof(int));
  shift<<<1, 60>>>(data, data + 60);
  cudaDeviceSynchronize();
  cudaFree(data);
}
