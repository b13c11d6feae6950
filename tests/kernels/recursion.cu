// Recursive functions whose depth differs between lanes. One call saves a convergence barrier, and the next call uses
// the same barrier register.
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recursion(int* out) {
  __shared__ int turned[64];
  turned[threadIdx.x] = fibonacci(threadIdx.x % 12) * 1000 + ackermann(threadIdx.x % 3, threadIdx.x % 5);
  __syncthreads();
  out[threadIdx.x] = turned[63 - threadIdx.x];
}
