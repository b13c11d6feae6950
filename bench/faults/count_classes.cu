// Counts the classes of pixels with one set of counters per thread.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int blocks = 528, threads = 256, classes = 16, each = 32;

namespace before {
__global__ void count_classes(const unsigned char* pixel, int* counts) {
  constexpr int pitch = classes;
  __shared__ int counter[threads * pitch];
  const int t = threadIdx.x;
  for (int i = t; i < threads * pitch; i += threads) counter[i] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int c = pixel[(blockIdx.x * each + k) * threads + t];
    ++counter[t * pitch + c];
  }
  __syncthreads();
  int sum = 0;
  for (int k = t / classes; k < threads; k += threads / classes) sum += counter[k * pitch + t % classes];
  counts[blockIdx.x * threads + t] = sum;
}
}  // namespace before

namespace after {
__global__ void count_classes(const unsigned char* pixel, int* counts) {
  constexpr int pitch = classes + 1;
  __shared__ int counter[threads * pitch];
  const int t = threadIdx.x;
  for (int i = t; i < threads * pitch; i += threads) counter[i] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int c = pixel[(blockIdx.x * each + k) * threads + t];
    ++counter[t * pitch + c];
  }
  __syncthreads();
  int sum = 0;
  for (int k = t / classes; k < threads; k += threads / classes) sum += counter[k * pitch + t % classes];
  counts[blockIdx.x * threads + t] = sum;
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
  unsigned char* pixel = filled<unsigned char>(blocks * threads * each, [](int i) { return i / 64 * 5 % classes; });
  int* counts = filled<int>(blocks * threads, [](int) { return 0; });
  if (is_after)
    after::count_classes<<<blocks, threads>>>(pixel, counts);
  else
    before::count_classes<<<blocks, threads>>>(pixel, counts);
  printf("%.3e\n", checksum(counts, blocks * threads));
  return cudaDeviceSynchronize() != cudaSuccess;
}
