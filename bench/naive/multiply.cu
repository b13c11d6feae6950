// Multiplies two 1024 x 1024 matrices of floats: each thread computes one element of the product.
#include "host.cuh"

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && column < n) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}

int main() {
  const int n = 1024;
  float* a = filled<float>(n * n, noise);
  float* b = filled<float>(n * n, [](int i) { return noise(i + n * n); });
  float* c = filled<float>(n * n, [](int) { return 0.0f; });
  dim3 threads(16, 16);
  dim3 blocks((n + 15) / 16, (n + 15) / 16);
  multiply<<<blocks, threads>>>(a, b, c, n);
  return print_checksum(c, n * n);
}
