// Adds 64 blocks of 512 floats: shared memory down to a warp, then shuffles. The last launch adds the blocks.
#include "../naive/host.cuh"

constexpr int threads = 256, blocks = 64;

__global__ void block_sums(const float* in, float* sums, int n) {
  __shared__ float part[threads];
  const int t = threadIdx.x, i = blockIdx.x * 2 * threads + t;
  part[t] = (i < n ? in[i] : 0) + (i + threads < n ? in[i + threads] : 0);
  __syncthreads();
  for (int d = threads / 2; d > 32; d /= 2) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  if (t >= 32) return;
  float sum = part[t] + part[t + 32];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (t == 0) sums[blockIdx.x] = sum;
}

__global__ void add_up(const float* sums, float* total) {
  float sum = sums[threadIdx.x] + sums[threadIdx.x + 32];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) *total = sum;
}

int main() {
  const int n = blocks * 2 * threads - 100;
  float* in = filled<float>(n, [](int i) { return float(i % 9); });
  float *sums, *total;
  cudaMalloc(&sums, blocks * sizeof(float));
  cudaMalloc(&total, sizeof(float));
  block_sums<<<blocks, threads>>>(in, sums, n);
  add_up<<<1, 32>>>(sums, total);
  const int status = print_checksum(total, 1);
  cudaFree(total);
  cudaFree(sums);
  cudaFree(in);
  return status;
}
