// Evaluates eight polynomials with 192 coefficients: all terms are written one after another, or a loop repeats four.
#include "../host.cuh"

constexpr int blocks = 132, threads = 128, series = 8, terms = 192, n = blocks * threads * series;

template <int unrolled>
__device__ void evaluate_all(float* value) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float x[series], y[series] = {};
  for (int j = 0; j < series; ++j) x[j] = value[j * blocks * threads + i];
  float coefficient = 1;
#pragma unroll unrolled
  for (int k = 0; k < terms; ++k) {
    for (int j = 0; j < series; ++j) y[j] = fmaf(y[j], x[j], coefficient);
    coefficient += 0.125f;
  }
  for (int j = 0; j < series; ++j) value[j * blocks * threads + i] = y[j];
}

namespace before {
__global__ void evaluate(float* value) { evaluate_all<terms>(value); }
}  // namespace before

namespace after {
__global__ void evaluate(float* value) { evaluate_all<4>(value); }
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* value = filled<float>(n, [](int i) { return i % 10 * 0.0625f; });
  if (is_after)
    after::evaluate<<<blocks, threads>>>(value);
  else
    before::evaluate<<<blocks, threads>>>(value);
  return print_sum(value, n);
}
