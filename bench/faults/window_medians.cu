// Finds the middle one of each 15 neighbouring values.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 1 << 18, threads = 64, window = 15;

namespace before {
__global__ void window_medians(const int* in, int* out) {
  __shared__ int values[threads][181];
  const int i = blockIdx.x * threads + threadIdx.x;
  int* mine = values[threadIdx.x];
  for (int k = 0; k < window; ++k) {
    const int value = in[(i + k) % n];
    int at = k;
    for (; at > 0 && mine[at - 1] > value; --at) mine[at] = mine[at - 1];
    mine[at] = value;
  }
  out[i] = mine[window / 2];
}
}  // namespace before

namespace after {
__global__ void window_medians(const int* in, int* out) {
  __shared__ int values[threads][17];
  const int i = blockIdx.x * threads + threadIdx.x;
  int* mine = values[threadIdx.x];
  for (int k = 0; k < window; ++k) {
    const int value = in[(i + k) % n];
    int at = k;
    for (; at > 0 && mine[at - 1] > value; --at) mine[at] = mine[at - 1];
    mine[at] = value;
  }
  out[i] = mine[window / 2];
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
  int* in = filled<int>(n, [](int i) { return i * 37 % 1009; });
  int* out = filled<int>(n, [](int) { return 0; });
  if (is_after)
    after::window_medians<<<n / threads, threads>>>(in, out);
  else
    before::window_medians<<<n / threads, threads>>>(in, out);
  printf("%.3e\n", checksum(out, n));
  return cudaDeviceSynchronize() != cudaSuccess;
}
