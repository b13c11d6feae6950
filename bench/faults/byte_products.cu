// Multiplies vectors of 64 bytes by eight query vectors. Groups of four bytes of all vectors are interleaved.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int vectors = 135168, width = 64, queries = 8;
using byte = signed char;

namespace before {
__global__ void byte_products(const byte* __restrict__ in, const byte* __restrict__ query, int* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum[queries] = {};
  for (int k = 0; k < width; ++k) {
    const int value = in[(k / 4 * vectors + t) * 4 + k % 4];
    for (int q = 0; q < queries; ++q) sum[q] += value * query[q * width + k];
  }
  for (int q = 0; q < queries; ++q) out[q * vectors + t] = sum[q];
}
}  // namespace before

namespace after {
__global__ void byte_products(const byte* __restrict__ in, const byte* __restrict__ query, int* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int *in4 = reinterpret_cast<const int*>(in), *query4 = reinterpret_cast<const int*>(query);
  int sum[queries] = {};
  for (int k = 0; k < width / 4; ++k) {
    const int value = in4[k * vectors + t];
    for (int q = 0; q < queries; ++q) sum[q] = __dp4a(value, query4[q * width / 4 + k], sum[q]);
  }
  for (int q = 0; q < queries; ++q) out[q * vectors + t] = sum[q];
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
  byte* in = filled<byte>(vectors * width, [](int i) { return i % 253 - 120; });
  byte* query = filled<byte>(queries * width, [](int i) { return i % 11 - 3; });
  int* out = filled<int>(vectors * queries, [](int) { return 0; });
  if (is_after)
    after::byte_products<<<vectors / 256, 256>>>(in, query, out);
  else
    before::byte_products<<<vectors / 256, 256>>>(in, query, out);
  printf("%.3e\n", checksum(out, vectors * queries));
  return cudaDeviceSynchronize() != cudaSuccess;
}
