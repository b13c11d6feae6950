// Multiplies vectors of 64 bytes by eight query vectors. Groups of four bytes of all vectors are interleaved.
#include "host.cuh"

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

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  byte* in = filled<byte>(vectors * width, [](int i) { return i % 253 - 120; });
  byte* query = filled<byte>(queries * width, [](int i) { return i % 11 - 3; });
  int* out = filled<int>(vectors * queries, [](int) { return 0; });
  if (is_after)
    after::byte_products<<<vectors / 256, 256>>>(in, query, out);
  else
    before::byte_products<<<vectors / 256, 256>>>(in, query, out);
  return print_sum(out, vectors * queries);
}
