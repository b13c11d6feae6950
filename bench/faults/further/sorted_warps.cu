// Sums lists of different lengths, one list for each warp of a block at a time. The long lists are all of the first warp,
// or all warps share each list.
#include "../host.cuh"

constexpr int blocks = 264, warps = 8, rounds = 16, longest = 1024, shortest = 64;

__device__ int length_of(int list) { return list % warps == 0 ? longest : shortest; }

namespace before {
__global__ void sum_lists(const float* value, float* sums) {
  __shared__ float parts[warps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float all = 0;
  for (int r = 0; r < rounds; ++r) {
    float s = 0;
    for (int i = lane; i < length_of(warp); i += 32) s += value[(blockIdx.x * rounds + r) * longest + i];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) parts[warp] = s;
    __syncthreads();
    for (int w = 0; w < warps; ++w) all += parts[w];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}
}  // namespace before

namespace after {
__global__ void sum_lists(const float* value, float* sums) {
  __shared__ float parts[warps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float all = 0;
  for (int r = 0; r < rounds; ++r) {
    float s = 0;
    for (int list = 0; list < warps; ++list)
      for (int i = threadIdx.x; i < length_of(list); i += warps * 32)
        s += value[(blockIdx.x * rounds + r) * longest + i];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) parts[warp] = s;
    __syncthreads();
    for (int w = 0; w < warps; ++w) all += parts[w];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* value = filled<float>(blocks * rounds * longest, [](int i) { return i % 9 * 0.5f; });
  float* sums = filled<float>(blocks, [](int) { return 0; });
  if (is_after)
    after::sum_lists<<<blocks, warps * 32>>>(value, sums);
  else
    before::sum_lists<<<blocks, warps * 32>>>(value, sums);
  return print_sum(sums, blocks);
}
