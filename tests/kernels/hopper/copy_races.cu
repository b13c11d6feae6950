// All threads copy, but only the first warp waits for its copies. The second barrier orders what follows.
__global__ void copies_without_commit(int* out, const int* in) {
  __shared__ int x[64];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(x + threadIdx.x)),
               "l"(in + threadIdx.x));
  if (threadIdx.x < 32) asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  const int value = x[63 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = value;
}
