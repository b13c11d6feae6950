// Adds 16M floats: four wide loads in flight a thread, shuffles in a warp, and one atomic a block.
#include "../host.cuh"

__device__ float warp_sum(float value) {
  for (int step = 16; step; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__global__ void __launch_bounds__(256) sum(const float* in, float* out, int n) {
  __shared__ float warps[8];
  const float4* wide = reinterpret_cast<const float4*>(in);
  const int threads = gridDim.x * blockDim.x;
  float total = 0;
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += threads) {
    float4 v = wide[i];
    total += (v.x + v.y) + (v.z + v.w);
  }
  total = warp_sum(total);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x < 32) {
    total = warp_sum(threadIdx.x < 8 ? warps[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd(out, total);
  }
}

int main() {
  const int n = 1 << 24;
  // Small integers: a float holds their sum exactly, so that the order of the additions does not matter.
  float* in = filled<float>(n, [](int i) { return float(int(mixed(i) % 3) - 1); });
  float* out = filled<float>(1, [](int) { return 0.0f; });
  sum<<<1024, 256>>>(in, out, n);  // 16 loads a thread
  return print_checksum(out, 1);
}
