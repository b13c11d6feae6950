// Blocks update a minimum and its place under a lock in global memory.
#include "../naive/host.cuh"

struct best {
  int value, place;
};

__global__ void spin_lock(const int* in, int* lock, best* lowest, int n) {
  __shared__ int values[64], places[64];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? in[i] : 1 << 30;
  places[t] = i;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d && values[t + d] < values[t]) values[t] = values[t + d], places[t] = places[t + d];
    __syncthreads();
  }
  if (t != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  if (values[0] < lowest->value) *lowest = {values[0], places[0]};
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  const int n = 1000;
  int* in = filled<int>(n, [](int i) { return int(mixed(i + 77) % 100000) + 2; });
  int* lock;
  cudaMalloc(&lock, sizeof(int));
  cudaMemset(lock, 0, sizeof(int));
  best *lowest, first = {1 << 30, -1};
  cudaMalloc(&lowest, sizeof(best));
  cudaMemcpy(lowest, &first, sizeof(best), cudaMemcpyHostToDevice);
  spin_lock<<<16, 64>>>(in, lock, lowest, n);
  return print_checksum(reinterpret_cast<int*>(lowest), 2);
}
