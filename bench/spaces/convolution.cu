// A convolution of 3 x 3 with CHANNELS input channels of SIZE x SIZE floats, padded by zeros. A thread computes PIXELS results side by side in OUT output
// channels. A block stages STAGED input channels of its tile, and their weights, in shared memory.
#define THREADS (BX * BY)
#define TILE_WIDTH (BX * PIXELS)

extern "C" __global__ void __launch_bounds__(THREADS) convolution(float* out, const float* in, const float* weights) {
  __shared__ float tile[STAGED][BY + 2][TILE_WIDTH + 2];
  __shared__ float w[STAGED][9][OUT];
  const int tx = threadIdx.x % BX, ty = threadIdx.x / BX, x0 = blockIdx.x * TILE_WIDTH, y0 = blockIdx.y * BY, first = blockIdx.z * OUT;
  float sum[OUT][PIXELS] = {};
  for (int channel = 0; channel < CHANNELS; channel += STAGED) {
    for (int i = threadIdx.x; i < STAGED * (BY + 2) * (TILE_WIDTH + 2); i += THREADS) {
      const int c = i / ((BY + 2) * (TILE_WIDTH + 2)), y = i / (TILE_WIDTH + 2) % (BY + 2), x = i % (TILE_WIDTH + 2);
      const int from_x = x0 + x - 1, from_y = y0 + y - 1;
      const bool inside = from_x >= 0 && from_x < SIZE && from_y >= 0 && from_y < SIZE;
      tile[c][y][x] = inside ? in[((channel + c) * SIZE + from_y) * SIZE + from_x] : 0;
    }
    for (int i = threadIdx.x; i < STAGED * 9 * OUT; i += THREADS) {
      const int o = i / (STAGED * 9), rest = i % (STAGED * 9);
      w[rest / 9][rest % 9][o] = weights[((first + o) * CHANNELS + channel) * 9 + rest];
    }
    __syncthreads();
    for (int c = 0; c < STAGED; ++c) {
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
        float row[PIXELS + 2];
#pragma unroll
        for (int j = 0; j < PIXELS + 2; ++j) row[j] = tile[c][ty + dy][tx * PIXELS + j];
#pragma unroll
        for (int dx = 0; dx < 3; ++dx)
#pragma unroll
          for (int o = 0; o < OUT; ++o)
#pragma unroll
            for (int j = 0; j < PIXELS; ++j) sum[o][j] += row[j + dx] * w[c][dy * 3 + dx][o];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int o = 0; o < OUT; ++o)
#pragma unroll
    for (int j = 0; j < PIXELS; ++j) out[((first + o) * SIZE + y0 + ty) * SIZE + x0 + tx * PIXELS + j] = sum[o][j];
}
