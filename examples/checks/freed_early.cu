// Frees an array in the order of one stream, before another stream has read it.
__global__ void twice(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&out, 128 * sizeof(int));
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMallocAsync(&in, 128 * sizeof(int), a);
  cudaMemsetAsync(in, 0, 128 * sizeof(int), a);
  cudaStreamSynchronize(a);
  cudaFreeAsync(in, a);
  twice<<<1, 128, 0, b>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
