// The reduction of csarofeen/pytorch 1276, rewritten: a block of 8 x 32 threads adds along y, at x * 32 + y in shared
// memory. In every access, eight words are in one bank. A Titan RTX counted 121,856 conflicts.
//
//     nvcc -arch=sm_75 -lineinfo -cubin block_reduce.cu

__device__ void add_along_y(float& sum, float* s) {
  const int y = threadIdx.y, at = threadIdx.x * 32 + y;
  s[at] = sum;
  __syncthreads();
#pragma unroll
  for (int by = 16; by > 1; by /= 2) {
    if (y < by) s[at] += s[at + by];
    __syncthreads();
  }
  if (y == 0) sum = s[at] + s[at + 1];
  __syncthreads();
}

__global__ void block_reduce(float* out, const float* in) {
  __shared__ float s[256];
  const int column = (blockIdx.x * 8 + threadIdx.x) * 4;
  float sum[4] = {};
  for (int row = threadIdx.y; row < 128; row += 32)
    for (int i = 0; i < 4; ++i) sum[i] += in[row * 4096 + column + i];
  for (int i = 0; i < 4; ++i) add_along_y(sum[i], s);
  if (threadIdx.y == 0)
    for (int i = 0; i < 4; ++i) out[column + i] = sum[i];
}
