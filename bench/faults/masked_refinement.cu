// Refines the one value in eight that a mask selects.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 540672;

namespace before {
__global__ void masked_refinement(const int* mask, float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mask[i]) {
    float x = values[i];
    for (int k = 0; k < 128; ++k) x = 0.5f * x + __expf(-x);
    values[i] = x;
  }
}
}  // namespace before

namespace after {
__global__ void masked_refinement(const int* mask, float* values) {
  __shared__ int selected[256], count;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (mask[i]) selected[atomicAdd(&count, 1)] = i;
  __syncthreads();
  if (threadIdx.x >= count) return;
  float x = values[selected[threadIdx.x]];
  for (int k = 0; k < 128; ++k) x = 0.5f * x + __expf(-x);
  values[selected[threadIdx.x]] = x;
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
  int* mask = filled<int>(n, [](int i) { return (i * 2654435761u >> 20) % 8 == 0; });
  float* values = filled<float>(n, [](int i) { return i % 19 / 19.0f; });
  if (is_after)
    after::masked_refinement<<<n / 256, 256>>>(mask, values);
  else
    before::masked_refinement<<<n / 256, 256>>>(mask, values);
  printf("%.3e\n", checksum(values, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
