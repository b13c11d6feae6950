// Multiplies two square matrices without tiles.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int side = 320;

namespace before {
__global__ void multiply_matrices(const float* a, const float* b, float* c) {
  const int row = blockIdx.x * 16 + threadIdx.x, column = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < side; ++k) sum += a[row * side + k] * b[k * side + column];
  c[row * side + column] = sum;
}
}  // namespace before

namespace after {
__global__ void multiply_matrices(const float* a, const float* b, float* c) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < side; ++k) sum += a[row * side + k] * b[k * side + column];
  c[row * side + column] = sum;
}
}  // namespace after

template <class T, class F>
T* filled(int n, F value) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i) host[i] = value(i);
  T* device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
double checksum(const T* device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(host[i]) * (1 + i % 7);
  return sum;
}

int main(int argc, char** argv) {
  const bool is_after = argc > 1 && !strcmp(argv[1], "after");
  float* a = filled<float>(side * side, [](int i) { return i % 7 * 0.25f; });
  float* b = filled<float>(side * side, [](int i) { return i % 5 * 0.5f; });
  float* c = filled<float>(side * side, [](int) { return 0; });
  if (is_after)
    after::multiply_matrices<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(a, b, c);
  else
    before::multiply_matrices<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(a, b, c);
  printf("%.3e\n", checksum(c, side * side));
  return cudaDeviceSynchronize() != cudaSuccess;
}
