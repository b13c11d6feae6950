// Adds 16M floats: each block adds 256 of them in a tree in shared memory.
#include "host.cuh"

__global__ void sum(const float* in, float* out, int n) {
  __shared__ float values[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) values[threadIdx.x] += values[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, values[0]);
}

int main() {
  const int n = 1 << 24;
  // Small integers: a float holds their sum exactly, so that the order of the additions does not matter.
  float* in = filled<float>(n, [](int i) { return float(int(mixed(i) % 3) - 1); });
  float* out = filled<float>(1, [](int) { return 0.0f; });
  sum<<<(n + 255) / 256, 256>>>(in, out, n);
  return print_checksum(out, 1);
}
