// Softmax of 4096 rows of 2048 floats: a block computes one row.
#include "../host.cuh"

const int threads = 256;

// The highest value, or the sum, of the values of a block's threads.
template <class F>
__device__ float of_block(float value, F combined) {
  __shared__ float values[threads];
  __syncthreads();
  values[threadIdx.x] = value;
  __syncthreads();
  for (int s = threads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) values[threadIdx.x] = combined(values[threadIdx.x], values[threadIdx.x + s]);
    __syncthreads();
  }
  return values[0];
}

__global__ void softmax(const float* in, float* out, int rows, int columns) {
  int row = blockIdx.x;
  const float* x = in + row * columns;
  float* y = out + row * columns;
  const int most = 8;  // values of a thread: columns is at most most * threads
  float values[most];
  float highest = -INFINITY;
#pragma unroll
  for (int k = 0; k < most; k++) {
    int i = threadIdx.x + k * threads;
    values[k] = i < columns ? x[i] : -INFINITY;
    highest = fmaxf(highest, values[k]);
  }
  highest = of_block(highest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
#pragma unroll
  for (int k = 0; k < most; k++) {
    values[k] = expf(values[k] - highest);
    sum += values[k];
  }
  sum = of_block(sum, [](float a, float b) { return a + b; });
  float scale = 1 / sum;
#pragma unroll
  for (int k = 0; k < most; k++) {
    int i = threadIdx.x + k * threads;
    if (i < columns) y[i] = values[k] * scale;
  }
}

int main() {
  const int rows = 4096, columns = 2048;
  float* in = filled<float>(rows * columns, [](int i) { return 4 * noise(i); });
  float* out = filled<float>(rows * columns, [](int) { return 0.0f; });
  softmax<<<rows, threads>>>(in, out, rows, columns);
  return print_checksum(out, rows * columns);
}
