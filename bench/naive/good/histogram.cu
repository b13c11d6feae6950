// Counts the values of 32M bytes: 16 bytes a load, and counters in shared memory that only one lane of a warp changes.
#include "../host.cuh"

__global__ void __launch_bounds__(1024) histogram(const unsigned char* in, int* bins, int n) {
  __shared__ int counts[256][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int bin = warp; bin < 256; bin += 32) counts[bin][lane] = 0;
  __syncthreads();
  const uint4* wide = reinterpret_cast<const uint4*>(in);
#pragma unroll 2
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x) {
    uint4 v = wide[i];
    unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
      for (int byte = 0; byte < 4; ++byte) atomicAdd(&counts[words[w] >> 8 * byte & 255][lane], 1);
  }
  __syncthreads();
  for (int bin = warp; bin < 256; bin += 32) {
    int count = __reduce_add_sync(~0u, counts[bin][lane]);
    if (lane == 0) atomicAdd(&bins[bin], count);
  }
}

int main() {
  const int n = 1 << 25;
  unsigned char* in = filled<unsigned char>(n, [](int i) { return mixed(i) % 256; });
  int* bins = filled<int>(256, [](int) { return 0; });
  histogram<<<256, 1024>>>(in, bins, n);  // 8 loads a thread
  return print_checksum(bins, 256);
}
