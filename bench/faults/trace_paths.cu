// Follows a path through a table. Some paths end in a small linear system.
#include "host.cuh"

constexpr int paths = 540672, steps = 12, size = 7, table_size = 1 << 20;

namespace before {
__global__ void trace_paths(const int* next, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  for (int k = 0; k < steps; ++k) at = next[at];
  float result = at;
  if (at % 16384 == 5) {
    float m[size][size];
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) m[r][c] = next[at + r * size + c] % 8 + (r == c) * 64;
#pragma unroll
    for (int p = 0; p < size; ++p)
#pragma unroll
      for (int r = p + 1; r < size; ++r)
#pragma unroll
        for (int c = size - 1; c >= p; --c) m[r][c] -= m[p][c] * (m[r][p] / m[p][p]);
    for (int p = 0; p < size; ++p) result += m[p][p];
  }
  out[i] = result;
}
}  // namespace before

namespace after {
__global__ void __launch_bounds__(256, 8) trace_paths(const int* next, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  for (int k = 0; k < steps; ++k) at = next[at];
  float result = at;
  if (at % 16384 == 5) {
    float m[size][size];
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) m[r][c] = next[at + r * size + c] % 8 + (r == c) * 64;
#pragma unroll
    for (int p = 0; p < size; ++p)
#pragma unroll
      for (int r = p + 1; r < size; ++r)
#pragma unroll
        for (int c = size - 1; c >= p; --c) m[r][c] -= m[p][c] * (m[r][p] / m[p][p]);
    for (int p = 0; p < size; ++p) result += m[p][p];
  }
  out[i] = result;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* next = filled<int>(table_size + size * size, [](int i) { return (i + 65536 * 5 + 32) % table_size; });
  float* out = filled<float>(paths, [](int) { return 0; });
  if (is_after)
    after::trace_paths<<<paths / 256, 256>>>(next, out);
  else
    before::trace_paths<<<paths / 256, 256>>>(next, out);
  return print_sum(out, paths);
}
