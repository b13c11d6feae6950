// Adds rows of 64 floats with one warp each, in shared memory, with __syncwarp() between the steps.
#include "../naive/host.cuh"

constexpr int warps = 4, rows = 256;

__global__ void warp_sums(const float* in, float* sums) {
  __shared__ float part[warps][64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.x * warps + warp;
  float* own = part[warp];
  own[lane] = in[row * 64 + lane];
  own[lane + 32] = in[row * 64 + lane + 32];
  __syncwarp();
  for (int d = 32; d > 0; d /= 2) {
    const float sum = own[lane] + own[lane + d];
    __syncwarp();
    if (lane < d) own[lane] = sum;
    __syncwarp();
  }
  if (lane == 0) sums[row] = own[0];
}

int main() {
  float* in = filled<float>(rows * 64, [](int i) { return float(i % 11); });
  float* sums;
  cudaMalloc(&sums, rows * sizeof(float));
  cudaMemset(sums, 0, rows * sizeof(float));
  warp_sums<<<rows / warps, warps * 32>>>(in, sums);
  const int status = print_checksum(sums, rows);
  cudaFree(sums);
  cudaFree(in);
  return status;
}
