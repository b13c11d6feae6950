// Atomics that the compiler turns into loops, and accesses that race with them.
#include <cuda_fp16.h>

// ptxas turns each of these atomics into a loop of LDS and ATOMS.CAST.SPIN.
template <class T>
__device__ void add_all(T* out, int n) {
  __shared__ T sum;
  if (threadIdx.x == 0) sum = T(0);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&sum, T(i));
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}
extern "C" __global__ void adds_floats(float* out, int n) { add_all(out, n); }
extern "C" __global__ void adds_doubles(double* out, int n) { add_all(out, n); }
extern "C" __global__ void adds_longs(unsigned long long* out, int n) { add_all(out, n); }
extern "C" __global__ void adds_halves(__half* out, int n) {
  __shared__ __half sum[2];
  if (threadIdx.x < 2) sum[threadIdx.x] = __half(0.0f);
  __syncthreads();
  atomicAdd(&sum[threadIdx.x & 1], __half(1.0f));
  __syncthreads();
  if (threadIdx.x == 0) *out = sum[n & 1];
}

// The source itself contains a loop, with a load before it.
extern "C" __global__ void takes_the_most(float* out, const float* in) {
  __shared__ int most;
  if (threadIdx.x == 0) most = __float_as_int(0.0f);
  __syncthreads();
  int old = most;
  while (__int_as_float(old) < in[threadIdx.x]) {
    const int assumed = old;
    old = atomicCAS(&most, assumed, __float_as_int(in[threadIdx.x]));
    if (old == assumed) break;
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = __int_as_float(most);
}

// There is no barrier before the last read.
extern "C" __global__ void reads_a_sum_early(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1.0f);
  out[threadIdx.x] = sum;
}

// Nothing orders the first store and the additions.
extern "C" __global__ void clears_late(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

// The old value is not used, so the exchange is a write.
extern "C" __global__ void exchanges(int* out) {
  __shared__ int word[64];
  atomicExch(&word[threadIdx.x], int(threadIdx.x));
  __syncthreads();
  out[threadIdx.x] = word[63 - threadIdx.x];
}
extern "C" __global__ void exchanges_and_looks(int* out) {
  __shared__ int word[64];
  out[threadIdx.x] = atomicExch(&word[threadIdx.x], int(threadIdx.x));
}

// The atomic on a single half updates the whole word that contains it.
extern "C" __global__ void adds_one_half(__half* out) {
  __shared__ __half sum;
  if (threadIdx.x == 0) sum = __half(0.0f);
  __syncthreads();
  atomicAdd(&sum, __half(1.0f));
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}
