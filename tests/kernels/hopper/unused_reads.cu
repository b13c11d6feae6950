// Kernels that load elements of shared memory that no thread has written, and take them or not.

__device__ int loaded(const int* shared) {
  int value;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))));
  return value;
}

// Each thread merges two lists of `n` elements: it loads an element of each, also past their ends, and takes the right
// one.
__global__ void merges(int* out, int n) {
  __shared__ int a[64], b[64];
  if (threadIdx.x < n) a[threadIdx.x] = 2 * threadIdx.x, b[threadIdx.x] = 2 * threadIdx.x + 1;
  __syncthreads();
  int i = 0, j = 0;
  for (int k = 0; k < 2 * n; ++k) {
    const int from_a = loaded(&a[i]), from_b = loaded(&b[j]);
    const bool takes_a = j == n || (i < n && from_a < from_b);
    if (threadIdx.x == 0) out[k] = takes_a ? from_a : from_b;
    takes_a ? ++i : ++j;
  }
}

// The same without the test for the end of the first list.
__global__ void merges_wrong(int* out, int n) {
  __shared__ int a[64], b[64];
  if (threadIdx.x < n) a[threadIdx.x] = 2 * threadIdx.x, b[threadIdx.x] = 2 * threadIdx.x + 1;
  __syncthreads();
  int i = 0, j = 0;
  for (int k = 0; k < 2 * n; ++k) {
    const int from_a = loaded(&a[i]), from_b = loaded(&b[j]);
    const bool takes_a = j == n || from_a < from_b;
    if (threadIdx.x == 0) out[k] = takes_a ? from_a : from_b;
    takes_a ? ++i : ++j;
  }
}
