// A kernel that adds the rows of a matrix. Each block adds one row in shared memory.
#pragma once

constexpr int row_threads = 128;

__global__ void row_sums(const float* in, float* sums, int columns) {
  __shared__ float part[row_threads];
  const int t = threadIdx.x;
  float own = 0;
  for (int c = t; c < columns; c += row_threads) own += in[blockIdx.x * columns + c];
  part[t] = own;
  __syncthreads();
  for (int d = row_threads / 2; d > 0; d /= 2) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
