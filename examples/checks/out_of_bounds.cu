// Writes one element after the end of an array.
__global__ void fill(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i;
}

int main() {
  const int n = 1000;
  int* out = nullptr;
  cudaMalloc(&out, n * sizeof(int));
  fill<<<4, 256>>>(out, n);
  cudaDeviceSynchronize();
  cudaFree(out);
}
