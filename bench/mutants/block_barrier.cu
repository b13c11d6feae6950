// A producer warp and three consumer warps exchange tiles through two cuda::barrier objects in shared memory.
#include <cuda/barrier>

#include "../naive/host.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init  // init() makes the barriers

constexpr int tiles = 5, side = 96;

__global__ void block_barrier(const int* in, int* out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier full, empty;
  __shared__ int tile[side];
  const int t = threadIdx.x;
  if (t == 0) {
    init(&full, blockDim.x);
    init(&empty, blockDim.x);
  }
  __syncthreads();
  if (t < 32) {
    for (int k = 0; k < tiles; ++k) {
      if (k > 0) empty.arrive_and_wait();
      for (int i = t; i < side; i += 32) tile[i] = in[k * side + i];
      (void)full.arrive();
    }
  } else {
    for (int k = 0; k < tiles; ++k) {
      full.arrive_and_wait();
      out[k * side + t - 32] = tile[t - 32] + tile[side - 1 - (t - 32)];
      if (k + 1 < tiles) (void)empty.arrive();
    }
  }
}

int main() {
  const int n = tiles * side;
  int* in = filled<int>(n, [](int i) { return i * 5 % 37; });
  int* out;
  cudaMalloc(&out, n * sizeof(int));
  block_barrier<<<1, 32 + side>>>(in, out);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  return status;
}
