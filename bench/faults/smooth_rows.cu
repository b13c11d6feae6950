// Smooths rows of 128 values.
#include "host.cuh"

constexpr int rows = 16896, columns = 128;

namespace before {
__global__ void smooth_rows(const float* in, float* out) {
  extern __shared__ float row[];
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  row[t] = in[first + t];
  __syncthreads();
  const int left = t > 0 ? t - 1 : t, right = t + 1 < blockDim.x ? t + 1 : t;
  out[first + t] = 0.25f * row[left] + 0.5f * row[t] + 0.25f * row[right];
}
}  // namespace before

namespace after {
__global__ void smooth_rows(const float* in, float* out) {
  extern __shared__ float row[];
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  row[t] = in[first + t];
  __syncthreads();
  const int left = t > 0 ? t - 1 : t, right = t + 1 < blockDim.x ? t + 1 : t;
  out[first + t] = 0.25f * row[left] + 0.5f * row[t] + 0.25f * row[right];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(rows * columns, [](int i) { return i % 13; });
  float* out = filled<float>(rows * columns, [](int) { return 0; });
  if (is_after)
    after::smooth_rows<<<rows, columns, columns * sizeof(float)>>>(in, out);
  else
    before::smooth_rows<<<rows, columns, 49152>>>(in, out);
  return print_sum(out, rows * columns);
}
