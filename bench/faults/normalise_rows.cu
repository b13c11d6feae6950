// Divides each row of 128 values by its sum.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int rows = 16896, columns = 128;

namespace before {
__global__ void normalise_rows(const float* in, float* out) {
  __shared__ float row[12000];
  const int t = threadIdx.x;
  const float value = in[blockIdx.x * columns + t];
  row[t] = value;
  for (int d = columns / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) row[t] += row[t + d];
  }
  __syncthreads();
  out[blockIdx.x * columns + t] = value / row[0];
}
}  // namespace before

namespace after {
__global__ void normalise_rows(const float* in, float* out) {
  __shared__ float row[columns];
  const int t = threadIdx.x;
  const float value = in[blockIdx.x * columns + t];
  row[t] = value;
  for (int d = columns / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) row[t] += row[t + d];
  }
  __syncthreads();
  out[blockIdx.x * columns + t] = value / row[0];
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
  float* in = filled<float>(rows * columns, [](int i) { return i % 13 + 1; });
  float* out = filled<float>(rows * columns, [](int) { return 0; });
  if (is_after)
    after::normalise_rows<<<rows, columns>>>(in, out);
  else
    before::normalise_rows<<<rows, columns>>>(in, out);
  printf("%.3e\n", checksum(out, rows * columns));
  return cudaDeviceSynchronize() != cudaSuccess;
}
