// Each warp refills its part of shared memory in several rounds, and its first lane shares a result with the others.
#include "../naive/host.cuh"

constexpr int warps = 4, rounds = 6;

__global__ void warp_rounds(const int* in, int* out) {
  __shared__ int part[warps][32], best[warps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = (blockIdx.x * warps + warp) * rounds * 32;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    part[warp][lane] = in[first + r * 32 + lane];
    __syncwarp();
    sum += part[warp][(lane * 7 + r) % 32];
    __syncwarp();
  }
  const int high = __reduce_max_sync(0xffffffffu, sum);
  if (lane == 0) best[warp] = high;
  __syncwarp();
  out[(blockIdx.x * warps + warp) * 32 + lane] = sum * 10 / best[warp];
}

int main() {
  const int blocks = 3, n = blocks * warps * 32;
  int* in = filled<int>(n * rounds, [](int i) { return int(mixed(i) % 50) + 1; });
  int* out;
  cudaMalloc(&out, n * sizeof(int));
  warp_rounds<<<blocks, warps * 32>>>(in, out);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  return status;
}
