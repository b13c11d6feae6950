// Counts the values of 32M bytes: each block counts in shared memory.
#include "../host.cuh"

const int threads = 256, copies = 32;

__global__ void histogram(const unsigned char* in, int* bins, int n) {
  __shared__ int counts[256][copies];  // a copy of the counters for each lane, so that lanes use different banks
  int lane = threadIdx.x % copies;
  for (int k = threadIdx.x; k < 256 * copies; k += threads) (&counts[0][0])[k] = 0;
  __syncthreads();
  // Twice sixteen bytes for each thread in each round. The next round's bytes are requested before this round counts.
  const uint4* wide = reinterpret_cast<const uint4*>(in);
  const int chains = 2;
  int stride = gridDim.x * threads;
  int i = blockIdx.x * threads + threadIdx.x;
  uint4 next[chains];
#pragma unroll
  for (int c = 0; c < chains; c++)
    if (i + c * stride < n / 16) next[c] = wide[i + c * stride];
  for (; i < n / 16; i += chains * stride) {
    uint4 now[chains];
#pragma unroll
    for (int c = 0; c < chains; c++) {
      now[c] = next[c];
      if (i + (chains + c) * stride < n / 16) next[c] = wide[i + (chains + c) * stride];
    }
#pragma unroll
    for (int c = 0; c < chains; c++) {
      if (i + c * stride >= n / 16) break;
      const unsigned words[4] = {now[c].x, now[c].y, now[c].z, now[c].w};
#pragma unroll
      for (int k = 0; k < 16; k++) atomicAdd(&counts[words[k / 4] >> k % 4 * 8 & 255][lane], 1);
    }
  }
  for (int k = n / 16 * 16 + blockIdx.x * threads + threadIdx.x; k < n; k += stride) atomicAdd(&counts[in[k]][lane], 1);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < copies; k++) sum += counts[threadIdx.x][(threadIdx.x + k) % copies];
  atomicAdd(&bins[threadIdx.x], sum);
}

int main() {
  const int n = 1 << 25;
  unsigned char* in = filled<unsigned char>(n, [](int i) { return mixed(i) % 256; });
  int* bins = filled<int>(256, [](int) { return 0; });
  histogram<<<132 * 6, threads>>>(in, bins, n);
  return print_checksum(bins, 256);
}
