// Frees an array twice, and does not look at the error.
__global__ void clear(int* out) { out[threadIdx.x] = 0; }

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 64 * sizeof(int));
  clear<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(out);
}
