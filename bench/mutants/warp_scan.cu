// Prefix sums within each warp, through two lines of shared memory.
#include "../naive/host.cuh"

constexpr int threads = 128;

__global__ void warp_scan(const int* in, int* out) {
  __shared__ int line[2][threads];
  const int t = threadIdx.x, lane = t % 32, i = blockIdx.x * threads + t;
  int at = 0;
  line[0][t] = in[i];
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    int value = line[at][t];
    if (lane >= d) value += line[at][t - d];
    at ^= 1;
    line[at][t] = value;
    __syncwarp();
  }
  out[i] = line[at][t - lane + 31 - lane];
}

int main() {
  const int blocks = 6, n = blocks * threads;
  int* in = filled<int>(n, [](int i) { return i % 9; });
  int* out;
  cudaMalloc(&out, n * sizeof(int));
  warp_scan<<<blocks, threads>>>(in, out);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  return status;
}
