// Kernels that measure the emulator's speed (bench/emulate_bench.cpp).

// C = A * B as in NVIDIA's matrixMul: a block computes a 32 x 32 tile of C, and both inputs go through shared memory.
// Matrices are row-major. n_inner (columns of A) and n_columns (of B and C) are multiples of 32.
extern "C" __global__ void matrix_mul(float* c, const float* a, const float* b, int n_inner, int n_columns) {
  constexpr int tile = 32;
  __shared__ float tile_a[tile][tile], tile_b[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;
  for (int k0 = 0; k0 < n_inner; k0 += tile) {
    tile_a[y][x] = a[row * n_inner + k0 + x];
    tile_b[y][x] = b[(k0 + y) * n_columns + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n_columns + column] = sum;
}

// Each round adds 256 products to eight sums, and does nothing else except the loop.
extern "C" __global__ void ffma_loop(float* out, float scale, int rounds) {
  float sum[8];
  for (int i = 0; i < 8; ++i) sum[i] = static_cast<float>(threadIdx.x + i);
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 256; ++i) sum[i % 8] = fmaf(sum[i % 8], scale, sum[(i + 3) % 8]);
  }
  float total = 0;
  for (int i = 0; i < 8; ++i) total += sum[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

// A large grid with little work.
extern "C" __global__ void one_store(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}
