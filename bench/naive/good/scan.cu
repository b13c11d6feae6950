// Exclusive prefix sums of 1M integers in two launches: the sums of the blocks, and each block's scan on top of them.
#include "../host.cuh"

constexpr int kBlocks = 256, kThreads = 1024;  // 4 integers a thread

__device__ int inclusive_in_warp(int value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    int left = __shfl_up_sync(~0u, value, step);
    if (lane >= step) value += left;
  }
  return value;
}

__global__ void __launch_bounds__(kThreads) block_sums(const int* in, int* sums) {
  __shared__ int warps[32];
  int4 v = reinterpret_cast<const int4*>(in)[blockIdx.x * kThreads + threadIdx.x];
  int sum = __reduce_add_sync(~0u, v.x + v.y + v.z + v.w);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = __reduce_add_sync(~0u, warps[threadIdx.x]);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

__global__ void __launch_bounds__(kThreads) scan_blocks(const int* in, const int* sums, int* out) {
  __shared__ int before[kBlocks / 32], warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * kThreads + threadIdx.x;
  int4 v = reinterpret_cast<const int4*>(in)[i];
  // The first 8 warps add the blocks on the left, while each warp scans its own integers.
  if (threadIdx.x < kBlocks) {
    int left = __reduce_add_sync(~0u, threadIdx.x < blockIdx.x ? sums[threadIdx.x] : 0);
    if (lane == 0) before[warp] = left;
  }
  const int own = v.x + v.y + v.z + v.w, inclusive = inclusive_in_warp(own);
  if (lane == 31) warps[warp] = inclusive;
  __syncthreads();
  int base = lane < warp ? warps[lane] : 0;
  if (lane < kBlocks / 32) base += before[lane];
  int4 result;
  result.x = __reduce_add_sync(~0u, base) + inclusive - own;
  result.y = result.x + v.x;
  result.z = result.y + v.y;
  result.w = result.z + v.z;
  reinterpret_cast<int4*>(out)[i] = result;
}

int main() {
  const int n = 1 << 20;
  int* in = filled<int>(n, [](int i) { return int(mixed(i) % 1000); });
  int* out = filled<int>(n, [](int) { return 0; });
  int* scratch = filled<int>(n, [](int) { return 0; });
  block_sums<<<kBlocks, kThreads>>>(in, scratch);
  scan_blocks<<<kBlocks, kThreads>>>(in, scratch, out);
  return print_checksum(out, n);
}
