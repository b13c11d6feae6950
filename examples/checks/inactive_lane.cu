// A shuffle reads lane 31, which does not take part.
__global__ void last(const int* in, int* out, int n) {
  const int t = threadIdx.x;
  if (t < n) {
    const unsigned active = __activemask();
    out[t] = __shfl_sync(active, in[t], 31);
  }
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  last<<<1, 32>>>(data, data + 32, 20);
  cudaDeviceSynchronize();
  cudaFree(data);
}
