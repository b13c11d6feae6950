// Declares shared memory in every possible way. trace_test checks the arrays of each kernel.
__shared__ float of_module[40];
__shared__ double unused[3];

template <int n>
__device__ float turned(float value) {
  __shared__ float buffer[n];
  buffer[threadIdx.x] = value;
  __syncthreads();
  return buffer[31 - threadIdx.x];
}

__device__ __noinline__ float called(float value) {
  __shared__ __align__(64) float in_function[32];
  in_function[threadIdx.x] = value;
  __syncthreads();
  return in_function[threadIdx.x ^ 1];
}

// Each array begins at a multiple of its alignment, with gaps between the arrays.
__global__ void declared(float* out) {
  __shared__ char bytes[5];
  __shared__ __align__(128) float4 aligned[32];
  __shared__ short halves[3];
  if (threadIdx.x < 5) bytes[threadIdx.x] = static_cast<char>(threadIdx.x);
  if (threadIdx.x < 3) halves[threadIdx.x] = static_cast<short>(threadIdx.x);
  aligned[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
  of_module[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = called(turned<48>(aligned[31 - threadIdx.x].x)) + of_module[31 - threadIdx.x] +
                     halves[threadIdx.x % 3] + bytes[threadIdx.x % 5];
}

// After a static array, two arrays are in dynamic memory. Only the launch determines their sizes.
__global__ void carved(float* out) {
  extern __shared__ float pool[];
  __shared__ float fixed[32];
  float *a = pool, *b = pool + 2 * blockDim.x;
  fixed[threadIdx.x] = threadIdx.x;
  a[threadIdx.x] = threadIdx.x;
  a[threadIdx.x + blockDim.x] = 1;
  b[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = a[2 * threadIdx.x] + b[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x ^ 1];
}

// A wrong index reaches the next array. The report shows no array names, because they would be wrong.
__global__ void past_the_end(float* out, int n) {
  __shared__ float first[32], second[32];
  first[threadIdx.x] = 1;
  second[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x + n] + second[threadIdx.x];
}

// The store is not executed in this launch.
__global__ void idle(float* out, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = 1;
  if (n == 77) {
    __syncthreads();
    tile[threadIdx.x + 32] = out[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

// Every lane of every block reads a different word, so each warp makes a distinct access.
__global__ void scattered(float* out) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; ++i) at = at * 1664525 + 1013904223;
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[at >> 22 & 1023];
}
