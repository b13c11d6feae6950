// Exchanges values within a warp through shared memory, and relies on lanes that run together.
__global__ void rotate(int* data) {
  __shared__ int line[32];
  const int t = threadIdx.x;
  line[t] = data[t];
  data[t] = line[(t + 1) % 32];
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 32 * sizeof(int));
  cudaMemset(data, 0, 32 * sizeof(int));
  rotate<<<1, 32>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
