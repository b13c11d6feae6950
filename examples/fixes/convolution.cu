// A separable filter of 17 weights, along rows and along columns, with the accesses of convolutionSeparable in NVIDIA's
// cuda-samples. Blocks are 16 threads wide, so a warp covers two rows of a tile. In both kernels, these two rows
// conflict in a bank.
#include "fixes.cuh"

constexpr int radius = 8, width = 16, steps = 8;  // a thread's `steps` outputs are `width` or `height` apart
constexpr int rows_height = 4, columns_height = 8;

__constant__ float weights[2 * radius + 1] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 1, 4, 2, 1, 4, 2, 1};
const float host_weights[2 * radius + 1] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 1, 4, 2, 1, 4, 2, 1};

// Rows of 160 words all begin in one bank. Rows of 176 words begin 16 banks apart, so the halves of a warp use all 32
// banks. A swizzle (column ^ row % 2 * 16) does the same, but needs an address for each of the 17 neighbours.
constexpr int rows_pitch_before = (steps + 2) * width, rows_pitch_after = rows_pitch_before + 16;

template <int Pitch>
__device__ void convolve_rows(float* out, const float* in, int w) {
  __shared__ float tile[rows_height][Pitch];
  const int x = (static_cast<int>(blockIdx.x) * steps - 1) * width + threadIdx.x;  // starts in the margin on the left
  const int y = blockIdx.y * rows_height + threadIdx.y;
#pragma unroll
  for (int i = 0; i < steps + 2; ++i) {
    const bool inside = (i > 0 || x >= 0) && (i <= steps || x + i * width < w);
    tile[threadIdx.y][threadIdx.x + i * width] = inside ? in[y * w + x + i * width] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int i = 1; i <= steps; ++i) {
    float sum = 0;
#pragma unroll
    for (int j = -radius; j <= radius; ++j) sum += weights[radius + j] * tile[threadIdx.y][threadIdx.x + i * width + j];
    out[y * w + x + i * width] = sum;
  }
}

// This tile is transposed. A pitch of 81 words separates the 16 rows of a column, but a column's last word conflicts
// with the next column's first word. With 82 words, the first column uses even banks and the second odd banks.
constexpr int columns_pitch_before = (steps + 2) * columns_height + 1, columns_pitch_after = columns_pitch_before + 1;

template <int Pitch>
__device__ void convolve_columns(float* out, const float* in, int w, int h) {
  __shared__ float tile[width][Pitch];
  const int x = blockIdx.x * width + threadIdx.x;
  const int y = (static_cast<int>(blockIdx.y) * steps - 1) * columns_height + threadIdx.y;
#pragma unroll
  for (int i = 0; i < steps + 2; ++i) {
    const bool inside = (i > 0 || y >= 0) && (i <= steps || y + i * columns_height < h);
    tile[threadIdx.x][threadIdx.y + i * columns_height] = inside ? in[(y + i * columns_height) * w + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int i = 1; i <= steps; ++i) {
    float sum = 0;
#pragma unroll
    for (int j = -radius; j <= radius; ++j)
      sum += weights[radius + j] * tile[threadIdx.x][threadIdx.y + i * columns_height + j];
    out[(y + i * columns_height) * w + x] = sum;
  }
}

__global__ void rows_before(float* out, const float* in, int w, int) { convolve_rows<rows_pitch_before>(out, in, w); }
__global__ void rows_after(float* out, const float* in, int w, int) { convolve_rows<rows_pitch_after>(out, in, w); }
__global__ void columns_before(float* out, const float* in, int w, int h) {
  convolve_columns<columns_pitch_before>(out, in, w, h);
}
__global__ void columns_after(float* out, const float* in, int w, int h) {
  convolve_columns<columns_pitch_after>(out, in, w, h);
}

int main(int argc, char** argv) {
  program p("convolution", argc, argv);
  const int w = p.timed() ? 8192 : 256, h = p.timed() ? 8192 : 64;
  const std::size_t pixels = static_cast<std::size_t>(w) * h;
  const std::vector<float> in = small_numbers(pixels, 1);
  const gpu_buffer<float> from(in), to(pixels);
  const auto run = [&](const char* name, void (*kernel)(float*, const float*, int, int), bool along_rows) {
    CUDA_CHECK(cudaMemset(to.get(), 0, pixels * sizeof(float)));
    const dim3 grid =
        along_rows ? dim3(w / (steps * width), h / rows_height) : dim3(w / width, h / (steps * columns_height));
    const dim3 block(width, along_rows ? rows_height : columns_height);
    p.run(
        name, [&] { kernel<<<grid, block>>>(to.get(), from.get(), w, h); },
        [&] {
          const std::vector<float> out = to.host();
          bool right = true;
          for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
              float sum = 0;
              for (int j = -radius; j <= radius; ++j) {
                const int from_x = along_rows ? x + j : x, from_y = along_rows ? y : y + j;
                if (from_x >= 0 && from_x < w && from_y >= 0 && from_y < h)
                  sum += host_weights[radius + j] * in[from_y * w + from_x];
              }
              right &= out[y * w + x] == sum;
            }
          return right;
        });
  };
  run("rows_before", rows_before, true);
  run("rows_after", rows_after, true);
  run("columns_before", columns_before, false);
  run("columns_after", columns_after, false);
  return p.status();
}
