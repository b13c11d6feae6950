// Keeps the odd values of an array in order within a warp: ballots, a shuffle of the warp's place, and an atomic.
#include "../naive/host.cuh"

__global__ void compaction(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool keeps = i < n && in[i] % 2 == 1;
  const unsigned kept = __ballot_sync(0xffffffffu, keeps);
  int first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(kept));
  first = __shfl_sync(0xffffffffu, first, 0);
  if (keeps) {
    out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
    const unsigned same = __match_any_sync(kept, in[i] % 4);
    if (lane == __ffs(same) - 1) atomicAdd(count + 1, 1);
  }
}

__global__ void total(const int* out, int* count) {
  int sum = 0;
  for (int i = threadIdx.x; i < count[0]; i += blockDim.x) sum += out[i];
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (threadIdx.x == 0) count[2] = sum;
}

int main() {
  const int n = 2000;
  int* in = filled<int>(n, [](int i) { return int(mixed(i) % 1000); });
  int *out, *count;
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&count, 3 * sizeof(int));
  cudaMemset(count, 0, 3 * sizeof(int));
  compaction<<<16, 128>>>(in, out, count, n);
  total<<<1, 32>>>(out, count);
  const int status = print_checksum(count, 3);
  cudaFree(in);
  cudaFree(out);
  cudaFree(count);
  return status;
}
