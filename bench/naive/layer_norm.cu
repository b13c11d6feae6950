// Layer norm of 8192 rows of 1024 floats: a block a row, whose first thread adds what the others found.
#include "host.cuh"

__global__ void layer_norm(const float* in, const float* scale, const float* shift, float* out, int columns) {
  __shared__ float partial[256];
  __shared__ float mean, variance;
  const float* x = in + blockIdx.x * columns;
  float* y = out + blockIdx.x * columns;

  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < blockDim.x; i++) total += partial[i];
    mean = total / columns;
  }
  __syncthreads();

  sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += (x[i] - mean) * (x[i] - mean);
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < blockDim.x; i++) total += partial[i];
    variance = total / columns;
  }
  __syncthreads();

  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[i] = (x[i] - mean) / sqrtf(variance + 1e-5f) * scale[i] + shift[i];
}

int main() {
  const int rows = 8192, columns = 1024;
  float* in = filled<float>(rows * columns, [](int i) { return 3 * noise(i) + 1; });
  float* scale = filled<float>(columns, [](int i) { return 1 + noise(i) / 2; });
  float* shift = filled<float>(columns, [](int i) { return noise(i + 5000); });
  float* out = filled<float>(rows * columns, [](int) { return 0.0f; });
  layer_norm<<<rows, 256>>>(in, scale, shift, out, columns);
  return print_checksum(out, rows * columns);
}
