// Paths of a warp with separate uniform registers, in loops around a compare-and-swap and in reductions over the warp.
extern "C" __global__ void uniform_paths(unsigned long long* sums, int* turns, const unsigned* in, int n) {
  __shared__ unsigned h[64];
  __shared__ unsigned long long sum;
  if (threadIdx.x < 64) h[threadIdx.x] = 0;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i];
    atomicAdd(&sum, static_cast<unsigned long long>(v));
    int old = *turns, want;
    do {
      want = old;
      old = atomicCAS(turns, want, want + static_cast<int>(v & 7));
    } while (old != want);
  }
  __syncthreads();
  if (threadIdx.x < 64) h[threadIdx.x] += 1;
  if (threadIdx.x == 0) atomicAdd(sums, sum + h[0]);
}
