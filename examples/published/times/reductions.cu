// Sums of an array of floats, rebuilt from the article "Embarrassingly Parallel Reduction in CUDA" of masterskepticista,
// which measured them on an RTX 3090. Each block adds its sum to the result with an atomic.
// data/published/times.csv has the published numbers.
//
// scripts/build-cubins compiles it for sm_86.

extern __shared__ float buffer[];

extern "C" __global__ void sum_by_atomics(float* out, const float4* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 v = x[i];
  atomicAdd(out, v.x + v.y + v.z + v.w);
}
extern "C" __global__ void sum_interleaved(float* out, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (i >= n) return;
  buffer[t] = x[i];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) buffer[t] += buffer[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, buffer[0]);
}
extern "C" __global__ void sum_without_divergence(float* out, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (i >= n) return;
  buffer[t] = x[i];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    const int at = 2 * s * t;
    if (at < blockDim.x) buffer[at] += buffer[at + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, buffer[0]);
}
extern "C" __global__ void sum_sequential(float* out, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (i >= n) return;
  buffer[t] = x[i];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) buffer[t] += buffer[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, buffer[0]);
}
__device__ void add_in_warp(volatile float* b, int t) {
  b[t] += b[t + 32];
  b[t] += b[t + 16];
  b[t] += b[t + 8];
  b[t] += b[t + 4];
  b[t] += b[t + 2];
  b[t] += b[t + 1];
}
__device__ void finish(float* out, int t) {
  __syncthreads();
  for (int s = blockDim.x / 2; s > 32; s /= 2) {
    if (t < s) buffer[t] += buffer[t + s];
    __syncthreads();
  }
  if (t < 32) add_in_warp(buffer, t);
  if (t == 0) atomicAdd(out, buffer[0]);
}
extern "C" __global__ void sum_last_warp(float* out, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (i >= n) return;
  buffer[t] = x[i];
  finish(out, t);
}
extern "C" __global__ void sum_two_loads(float* out, const float* x, int n) {
  const int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x, t = threadIdx.x;
  if (i >= n) return;
  buffer[t] = x[i] + x[i + blockDim.x];
  finish(out, t);
}
