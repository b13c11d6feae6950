// Copies one row of a table for each token.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int tokens = 67584, width = 32, words = 30000;

namespace before {
__global__ void gather_embeddings(const float* __restrict__ table, const int* token, float* __restrict__ out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int word = token[t];
  for (int d = 0; d < width; ++d) {
    out[t * width + d] = table[word * width + d];
  }
}
}  // namespace before

namespace after {
__global__ void gather_embeddings(const float* __restrict__ table, const int* token, float* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int word = token[i / width], d = i % width;
  out[i] = table[word * width + d];
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
  float* table = filled<float>(words * width, [](int i) { return i % 23 * 0.25f; });
  int* token = filled<int>(tokens, [](int i) { return int(i * 7919ll % words); });
  float* out = filled<float>(tokens * width, [](int) { return 0; });
  if (is_after)
    after::gather_embeddings<<<tokens * width / 256, 256>>>(table, token, out);
  else
    before::gather_embeddings<<<tokens / 256, 256>>>(table, token, out);
  printf("%.3e\n", checksum(out, tokens * width));
  return cudaDeviceSynchronize() != cudaSuccess;
}
