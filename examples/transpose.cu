// Four ways to transpose a matrix through a tile in shared memory. Each program of this folder also runs on a GPU and
// compares itself with the CPU: nvcc -arch=sm_90 -lineinfo transpose.cu -o transpose && ./transpose
//
//     bankwise run transpose.cu -k transpose_plain --grid 8,8 --block 32,8 --arg out:f32[256*256] \
//         --arg f32[256*256]=iota --arg i32=256
#include "check.cuh"

constexpr int tile_side = 32;
constexpr int rows_a_step = 8;

// Reading a column of a tile that is 32 words wide takes 32 words from one bank.
__global__ void transpose_plain(float* out, const float* in, int n) {
  __shared__ float tile[tile_side][tile_side];
  const int x = blockIdx.x * tile_side + threadIdx.x, y = blockIdx.y * tile_side + threadIdx.y;
  for (int j = 0; j < tile_side; j += rows_a_step) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  const int tx = blockIdx.y * tile_side + threadIdx.x, ty = blockIdx.x * tile_side + threadIdx.y;
  for (int j = 0; j < tile_side; j += rows_a_step) out[(ty + j) * n + tx] = tile[threadIdx.x][threadIdx.y + j];
}

// One additional word in each row puts the elements of a column into different banks.
__global__ void transpose_padded(float* out, const float* in, int n) {
  __shared__ float tile[tile_side][tile_side + 1];
  const int x = blockIdx.x * tile_side + threadIdx.x, y = blockIdx.y * tile_side + threadIdx.y;
  for (int j = 0; j < tile_side; j += rows_a_step) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  const int tx = blockIdx.y * tile_side + threadIdx.x, ty = blockIdx.x * tile_side + threadIdx.y;
  for (int j = 0; j < tile_side; j += rows_a_step) out[(ty + j) * n + tx] = tile[threadIdx.x][threadIdx.y + j];
}

// Uses no additional memory: row r keeps its column c at position c ^ r.
__global__ void transpose_swizzled(float* out, const float* in, int n) {
  __shared__ float tile[tile_side][tile_side];
  const int x = blockIdx.x * tile_side + threadIdx.x, y = blockIdx.y * tile_side + threadIdx.y;
  for (int j = 0; j < tile_side; j += rows_a_step) {
    const int row = threadIdx.y + j;
    tile[row][threadIdx.x ^ row] = in[(y + j) * n + x];
  }
  __syncthreads();
  const int tx = blockIdx.y * tile_side + threadIdx.x, ty = blockIdx.x * tile_side + threadIdx.y;
  for (int j = 0; j < tile_side; j += rows_a_step) {
    const int column = threadIdx.y + j;
    out[(ty + j) * n + tx] = tile[threadIdx.x][column ^ threadIdx.x];
  }
}

// Each thread handles four elements. Stores of 16 bytes take at least four wavefronts in any layout, and the pitch
// keeps the stores aligned. A column is read word by word: with a pitch of 36 words, four of every eight rows conflict.
__global__ void transpose_vectorised(float* out, const float* in, int n) {
  __shared__ __align__(16) float tile[tile_side][tile_side + 4];
  const int column = threadIdx.x % 8 * 4, row = threadIdx.x / 8 + threadIdx.y * 4;
  const float4 four =
      *reinterpret_cast<const float4*>(&in[(blockIdx.y * tile_side + row) * n + blockIdx.x * tile_side + column]);
  *reinterpret_cast<float4*>(&tile[row][column]) = four;
  __syncthreads();
  const float4 turned = {tile[column][row], tile[column + 1][row], tile[column + 2][row], tile[column + 3][row]};
  *reinterpret_cast<float4*>(&out[(blockIdx.x * tile_side + row) * n + blockIdx.y * tile_side + column]) = turned;
}

int main() {
  const int n = 256;
  const std::vector<float> in = small_numbers(n * n, 1);
  const gpu_buffer<float> from(in);
  bool right = true;
  const auto run = [&](const char* name, void (*kernel)(float*, const float*, int)) {
    const gpu_buffer<float> to(n * n);
    kernel<<<dim3(n / tile_side, n / tile_side), dim3(tile_side, rows_a_step)>>>(to.get(), from.get(), n);
    CUDA_CHECK(cudaGetLastError());
    const std::vector<float> out = to.host();
    bool same = true;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) same &= out[c * n + r] == in[r * n + c];
    right &= report_result(name, same);
  };
  run("transpose_plain", transpose_plain);
  run("transpose_padded", transpose_padded);
  run("transpose_swizzled", transpose_swizzled);
  run("transpose_vectorised", transpose_vectorised);
  return right ? 0 : 1;
}
