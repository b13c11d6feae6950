// Evaluates two polynomials of each value. Each step is a rounded product and a sum, or one fused instruction.
#include "../host.cuh"

constexpr int n = 135168, degree = 512;

namespace before {
__global__ void evaluate(float* value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = value[i];
  float y = 0, z = 1;
#pragma unroll 8
  for (int k = 0; k < degree; ++k) {
    y = __fadd_rn(__fmul_rn(y, x), 0.5f);
    z = __fadd_rn(__fmul_rn(z, x), 0.25f);
  }
  value[i] = y + z;
}
}  // namespace before

namespace after {
__global__ void evaluate(float* value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = value[i];
  float y = 0, z = 1;
#pragma unroll 8
  for (int k = 0; k < degree; ++k) {
    y = fmaf(y, x, 0.5f);
    z = fmaf(z, x, 0.25f);
  }
  value[i] = y + z;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* value = filled<float>(n, [](int i) { return i % 10 * 0.0625f; });
  if (is_after)
    after::evaluate<<<n / 256, 256>>>(value);
  else
    before::evaluate<<<n / 256, 256>>>(value);
  return print_sum(value, n);
}
