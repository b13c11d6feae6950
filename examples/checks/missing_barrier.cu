// Reads what another warp writes, without a barrier. On a GPU, the result is usually right.
__global__ void reverse(int* data) {
  __shared__ int line[256];
  const int t = threadIdx.x;
  line[t] = data[t];
  data[t] = line[255 - t];
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 256 * sizeof(int));
  cudaMemset(data, 0, 256 * sizeof(int));
  reverse<<<1, 256>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
