// The last block adds what the other blocks have stored, but no block has a fence before its ticket.
__global__ void sum(int* sums, int* tickets) {
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = 5 + blockIdx.x;
  if (atomicAdd(tickets, 1) != gridDim.x - 1) return;
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += sums[b];
  sums[gridDim.x] = all;
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  sum<<<16, 32>>>(data + 1, data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
