// Divides each row of 128 values by its sum.
#include "host.cuh"

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

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(rows * columns, [](int i) { return i % 13 + 1; });
  float* out = filled<float>(rows * columns, [](int) { return 0; });
  if (is_after)
    after::normalise_rows<<<rows, columns>>>(in, out);
  else
    before::normalise_rows<<<rows, columns>>>(in, out);
  return print_sum(out, rows * columns);
}
