// Only some lanes of a warp reach the barrier.
__global__ void half(int* data) {
  const int t = threadIdx.x;
  if (t < 48) {
    data[t] += 1;
    __syncthreads();
  }
  data[(t + 1) % 64 + 64] = t;
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 128 * sizeof(int));
  cudaMemset(data, 0, 128 * sizeof(int));
  half<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
