// Computes the squared length of each vector of 32 floats. Each lane handles one vector of its warp's tile.
#include "host.cuh"

constexpr int vectors = 67584;

namespace before {
__global__ void row_lengths(const float4* in, float* lengths) {
  __shared__ float4 tile[4][32][8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * 128 + warp * 32;
  for (int k = 0; k < 8; ++k) tile[warp][k * 4 + lane / 8][lane % 8] = in[(first + k * 4 + lane / 8) * 8 + lane % 8];
  __syncwarp();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    const float4 v = tile[warp][lane][k];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  lengths[first + lane] = sum;
}
}  // namespace before

namespace after {
__global__ void row_lengths(const float4* in, float* lengths) {
  __shared__ float4 tile[4][32][9];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * 128 + warp * 32;
  for (int k = 0; k < 8; ++k) tile[warp][k * 4 + lane / 8][lane % 8] = in[(first + k * 4 + lane / 8) * 8 + lane % 8];
  __syncwarp();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    const float4 v = tile[warp][lane][k];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  lengths[first + lane] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float4* in = filled<float4>(vectors * 8, [](int i) { return make_float4(i % 5, i % 3 * 0.5f, i % 7 * 0.25f, 1); });
  float* lengths = filled<float>(vectors, [](int) { return 0; });
  if (is_after)
    after::row_lengths<<<vectors / 128, 128>>>(in, lengths);
  else
    before::row_lengths<<<vectors / 128, 128>>>(in, lengths);
  return print_sum(lengths, vectors);
}
