// Sums the features of a batch. Each thread sums one feature of one part of the batch.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int batch = 1024, features = 2048;

namespace before {
__global__ void feature_sums(const float* values, float* sums) {
  const int feature = blockIdx.x * blockDim.x + threadIdx.x, part = batch / gridDim.y;
  float sum = 0;
  for (int b = blockIdx.y * part; b < (blockIdx.y + 1) * part; ++b) sum += values[b * features + feature];
  atomicAdd(&sums[feature], sum);
}
}  // namespace before

namespace after {
__global__ void feature_sums(const float* values, float* sums) {
  const int feature = blockIdx.x * blockDim.x + threadIdx.x, part = batch / gridDim.y;
  float sum = 0;
  for (int b = blockIdx.y * part; b < (blockIdx.y + 1) * part; ++b) sum += values[b * features + feature];
  atomicAdd(&sums[feature], sum);
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
  float* values = filled<float>(batch * features, [](int i) { return i % 11 * 0.25f; });
  float* sums = filled<float>(features, [](int) { return 0; });
  if (is_after)
    after::feature_sums<<<dim3(features / 256, 64), 256>>>(values, sums);
  else
    before::feature_sums<<<dim3(features / 256, 1), 256>>>(values, sums);
  printf("%.3e\n", checksum(sums, features));
  return cudaDeviceSynchronize() != cudaSuccess;
}
