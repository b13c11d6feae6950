// Counts how often each of 16 grades occurs.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int threads = 67584, each = 4, grades = 16;

namespace before {
__global__ void grade_counts(const int* grade, int* counts) {
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[grade[i]], 1);
  }
}
}  // namespace before

namespace after {
__global__ void grade_counts(const int* grade, int* counts) {
  __shared__ int part[grades];
  if (threadIdx.x < grades) part[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int i = k * threads + blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&part[grade[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < grades) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
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
  int* grade = filled<int>(threads * each, [](int i) { return i * 2654435761u >> 28; });
  int* counts = filled<int>(grades, [](int) { return 0; });
  if (is_after)
    after::grade_counts<<<threads / 256, 256>>>(grade, counts);
  else
    before::grade_counts<<<threads / 256, 256>>>(grade, counts);
  printf("%.3e\n", checksum(counts, grades));
  return cudaDeviceSynchronize() != cudaSuccess;
}
