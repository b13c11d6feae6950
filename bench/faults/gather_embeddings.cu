// Copies one row of a table for each token.
#include "host.cuh"

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

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* table = filled<float>(words * width, [](int i) { return i % 23 * 0.25f; });
  int* token = filled<int>(tokens, [](int i) { return int(i * 7919ll % words); });
  float* out = filled<float>(tokens * width, [](int) { return 0; });
  if (is_after)
    after::gather_embeddings<<<tokens * width / 256, 256>>>(table, token, out);
  else
    before::gather_embeddings<<<tokens / 256, 256>>>(table, token, out);
  return print_sum(out, tokens * width);
}
