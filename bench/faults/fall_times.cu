// Sums the powers 1.5 of eight distances per thread.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int threads = 270336, each = 8;

namespace before {
__global__ void fall_times(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += powf(in[k * threads + t], 1.5f);
  out[t] = sum;
}
}  // namespace before

namespace after {
__global__ void fall_times(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += in[k * threads + t] * sqrtf(in[k * threads + t]);
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
  float* in = filled<float>(threads * each, [](int i) { return i % 19 * 0.25f + 0.5f; });
  float* out = filled<float>(threads, [](int) { return 0; });
  if (is_after)
    after::fall_times<<<threads / 256, 256>>>(in, out);
  else
    before::fall_times<<<threads / 256, 256>>>(in, out);
  printf("%.3e\n", checksum(out, threads));
  return cudaDeviceSynchronize() != cudaSuccess;
}
