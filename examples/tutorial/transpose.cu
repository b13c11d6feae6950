// The last step of the tutorial (docs/book/tutorial.md): each thread writes four elements as 16 bytes and reads them
// word by word, in a layout without conflicts. The program also runs on a GPU and compares its result with the CPU's.
//
//     bankwise run examples/tutorial/transpose.cu -k transpose_roof --grid 8,8 --block 32,8 --arg out:f32[256*256] \
//         --arg f32[256*256]=iota --arg i32=256
#include "../check.cuh"

constexpr int tile_side = 32;

// Rows have 36 words, and four more words follow every fourth row. The 16 bytes of a store stay together and aligned,
// and the 32 words of a column are in 32 banks.
__device__ constexpr unsigned at(unsigned row, unsigned column) { return row * 36 + column + row / 4 * 4; }

__global__ void transpose_roof(float* out, const float* in, int n) {
  __shared__ __align__(16) float tile[at(tile_side - 1, tile_side)];
  const unsigned column = threadIdx.x % 8 * 4, row = threadIdx.x / 8 + threadIdx.y * 4;
  const float4 four =
      *reinterpret_cast<const float4*>(&in[(blockIdx.y * tile_side + row) * n + blockIdx.x * tile_side + column]);
  *reinterpret_cast<float4*>(&tile[at(row, column)]) = four;
  __syncthreads();
  const float* down = &tile[at(column, row)];  // in each group of four rows, the rows are 36 words apart
  const float4 turned = {down[0], down[36], down[72], down[108]};
  *reinterpret_cast<float4*>(&out[(blockIdx.x * tile_side + row) * n + blockIdx.y * tile_side + column]) = turned;
}

int main() {
  const int n = 256;
  const std::vector<float> in = small_numbers(n * n, 1);
  const gpu_buffer<float> from(in), to(n * n);
  transpose_roof<<<dim3(n / tile_side, n / tile_side), dim3(32, 8)>>>(to.get(), from.get(), n);
  CUDA_CHECK(cudaGetLastError());
  const std::vector<float> out = to.host();
  bool right = true;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) right &= out[c * n + r] == in[r * n + c];
  return report_result("transpose_roof", right) ? 0 : 1;
}
