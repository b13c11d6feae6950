// Adds 16M floats: each thread adds many of them, and each block adds its sums in a tree in shared memory.
#include "../host.cuh"

__global__ void sum(const float* in, float* out, int n) {
  __shared__ float values[256];
  float total = 0;
  const int rounds = 8;
  int stride = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n - (rounds - 1) * stride; i += rounds * stride) {
    float x[rounds];
#pragma unroll
    for (int k = 0; k < rounds; k++) x[k] = in[i + k * stride];
#pragma unroll
    for (int k = 0; k < rounds; k++) total += x[k];
  }
  for (; i < n; i += stride) total += in[i];
  values[threadIdx.x] = total;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) values[threadIdx.x] += values[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, values[0]);
}

int main() {
  const int n = 1 << 24;
  // Small integers: a float holds their sum exactly, so that the order of the additions does not matter.
  float* in = filled<float>(n, [](int i) { return float(int(mixed(i) % 3) - 1); });
  float* out = filled<float>(1, [](int) { return 0.0f; });
  sum<<<132 * 8, 256>>>(in, out, n);
  return print_checksum(out, 1);
}
