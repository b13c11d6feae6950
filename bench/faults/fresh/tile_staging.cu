// Reverses the values of each block of 256.
#include "../host.cuh"

constexpr int blocks = 8448, threads = 256;

namespace before {
__global__ void tile_staging(const float* in, float* out) {
  __shared__ float tile[11000];
  const int t = threadIdx.x, first = blockIdx.x * threads;
  tile[t] = in[first + t];
  __syncthreads();
  out[first + t] = tile[threads - 1 - t] + 1;
}
}  // namespace before

namespace after {
__global__ void tile_staging(const float* in, float* out) {
  __shared__ float tile[threads];
  const int t = threadIdx.x, first = blockIdx.x * threads;
  tile[t] = in[first + t];
  __syncthreads();
  out[first + t] = tile[threads - 1 - t] + 1;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* in = filled<float>(blocks * threads, [](int i) { return i % 37 * 0.25f; });
  float* out = filled<float>(blocks * threads, [](int) { return 0; });
  if (is_after)
    after::tile_staging<<<blocks, threads>>>(in, out);
  else
    before::tile_staging<<<blocks, threads>>>(in, out);
  return print_sum(out, blocks * threads);
}
