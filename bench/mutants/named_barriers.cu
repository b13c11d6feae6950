// Two pairs of warps work on halves of a block, each with its own named barrier, and meet at the end.
#include "../naive/host.cuh"

__device__ void meet(int barrier, int count) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory"); }

__global__ void named_barriers(const int* in, int* out) {
  __shared__ int part[2][64], sums[2];
  const int half = threadIdx.x / 64, t = threadIdx.x % 64;
  part[half][t] = in[blockIdx.x * 128 + threadIdx.x];
  meet(1 + half, 64);
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) part[half][t] += part[half][t + d];
    meet(1 + half, 64);
  }
  if (t == 0) sums[half] = part[half][0];
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0] - sums[1];
}

int main() {
  const int blocks = 20;
  int* in = filled<int>(blocks * 128, [](int i) { return int(mixed(i) % 50); });
  int* out;
  cudaMalloc(&out, blocks * sizeof(int));
  named_barriers<<<blocks, 128>>>(in, out);
  const int status = print_checksum(out, blocks);
  cudaFree(in);
  cudaFree(out);
  return status;
}
