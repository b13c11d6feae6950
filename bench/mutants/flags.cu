// Prefix sums over blocks: each block waits for the flag of the one before, adds its own sum, and sets its flag.
#include <cuda/atomic>

#include "../naive/host.cuh"

constexpr int threads = 64, blocks = 16;

__global__ void flags(const int* in, int* sums, int* flag, int* out) {
  __shared__ int before, warps[threads / 32];
  const int t = threadIdx.x, b = blockIdx.x;
  int value = in[b * threads + t];
  const int own = __reduce_add_sync(0xffffffffu, value);
  if (t % 32 == 0) warps[t / 32] = own;
  __syncthreads();
  if (t == 0) {
    int left = 0;
    if (b > 0) {
      cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag[b - 1]);
      while (ready.load(cuda::memory_order_acquire) == 0) {
      }
      left = sums[b - 1];
    }
    before = left;
    sums[b] = left + warps[0] + warps[1];
    cuda::atomic_ref<int, cuda::thread_scope_device>(flag[b]).store(1, cuda::memory_order_release);
  }
  __syncthreads();
  out[b * threads + t] = before + value;
}

int main() {
  int* in = filled<int>(threads * blocks, [](int i) { return i % 7; });
  int *sums, *flag, *out;
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMalloc(&flag, blocks * sizeof(int));
  cudaMalloc(&out, threads * blocks * sizeof(int));
  cudaMemset(flag, 0, blocks * sizeof(int));
  flags<<<blocks, threads>>>(in, sums, flag, out);
  return print_checksum(out, threads * blocks);
}
