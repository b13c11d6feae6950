// Sums the fourth powers of the distances from a mean.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int threads = 67584, each = 8;

namespace before {
__global__ void fourth_moments(const float* in, float* out, float mean) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += pow(double(in[k * threads + t] - mean), 4.0);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void fourth_moments(const float* in, float* out, float mean) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) {
    const float square = (in[k * threads + t] - mean) * (in[k * threads + t] - mean);
    sum += square * square;
  }
  out[t] = sum;
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
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.25f; });
  float* out = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::fourth_moments<<<threads / 256, 256>>>(in, out, 2);
  else
    before::fourth_moments<<<threads / 256, 256>>>(in, out, 2);
  printf("%.3e\n", checksum(out, threads));
  return cudaDeviceSynchronize() != cudaSuccess;
}
