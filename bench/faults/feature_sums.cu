// Sums the features of a batch. Each thread sums one feature of one part of the batch.
#include "host.cuh"

constexpr int batch = 1024, features = 2048;

namespace before {
__global__ void feature_sums(const float* values, float* sums) {
  const int feature = blockIdx.x * blockDim.x + threadIdx.x, part = batch / gridDim.y;
  float sum = 0;
  for (int b = blockIdx.y * part; b < (blockIdx.y + 1) * part; ++b) sum += values[b * features + feature];
  atomicAdd(&sums[feature], sum);
}
}  // namespace before

namespace after {
__global__ void feature_sums(const float* values, float* sums) {
  const int feature = blockIdx.x * blockDim.x + threadIdx.x, part = batch / gridDim.y;
  float sum = 0;
  for (int b = blockIdx.y * part; b < (blockIdx.y + 1) * part; ++b) sum += values[b * features + feature];
  atomicAdd(&sums[feature], sum);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* values = filled<float>(batch * features, [](int i) { return i % 11 * 0.25f; });
  float* sums = filled<float>(features, [](int) { return 0; });
  if (is_after)
    after::feature_sums<<<dim3(features / 256, 64), 256>>>(values, sums);
  else
    before::feature_sums<<<dim3(features / 256, 1), 256>>>(values, sums);
  return print_sum(sums, features);
}
