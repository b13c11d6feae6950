// Finds the highest of all scores, which are positive.
#include "host.cuh"

constexpr int n = 67584;

namespace before {
__device__ void store_max(float* best, float score) {
  int old = __float_as_int(*best);
  while (__int_as_float(old) < score) {
    const int seen = atomicCAS(reinterpret_cast<int*>(best), old, __float_as_int(score));
    if (seen == old) break;
    old = seen;
  }
}
__global__ void highest_score(const float* score, float* best) {
  store_max(best, score[blockIdx.x * blockDim.x + threadIdx.x]);
}
}  // namespace before

namespace after {
__device__ void store_max(float* best, float score) { atomicMax(reinterpret_cast<int*>(best), __float_as_int(score)); }
__global__ void highest_score(const float* score, float* best) {
  store_max(best, score[blockIdx.x * blockDim.x + threadIdx.x]);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* score = filled<float>(n, [](int i) { return 1 + (i * 2654435761u >> 8); });
  float* best = filled<float>(1, [](int) { return 0; });
  if (is_after)
    after::highest_score<<<n / 256, 256>>>(score, best);
  else
    before::highest_score<<<n / 256, 256>>>(score, best);
  return print_sum(best, 1);
}
