// Counts the values of 32M bytes: each thread adds one to a counter in global memory.
#include "host.cuh"

__global__ void histogram(const unsigned char* in, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1);
}

int main() {
  const int n = 1 << 25;
  unsigned char* in = filled<unsigned char>(n, [](int i) { return mixed(i) % 256; });
  int* bins = filled<int>(256, [](int) { return 0; });
  histogram<<<(n + 255) / 256, 256>>>(in, bins, n);
  return print_checksum(bins, 256);
}
