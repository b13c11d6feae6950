// Transposes, rebuilt from xlite-dev/LeetCUDA pull request 339 (the kernels with the word turn) and from
// sylvia-ymlin/cuda-kernels-from-scratch (tile). A warp that is called "by column" reads neighbouring columns and stores
// into different rows; "by row" is the opposite. data/published/times.csv has the published times.
//
// scripts/build-cubins compiles it for sm_75 sm_89.

extern "C" __global__ void turn_by_column(const float* x, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / columns, column = i % columns;
  if (i < rows * columns) y[column * rows + row] = x[i];
}
extern "C" __global__ void turn_by_row(const float* x, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, column = i / rows, row = i % rows;
  if (i < rows * columns) y[i] = x[row * columns + column];
}
extern "C" __global__ void turn_by_column_2d(const float* x, float* y, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < columns && row < rows) y[column * rows + row] = x[row * columns + column];
}
extern "C" __global__ void turn_diagonal(const float* x, float* y, int rows, int columns) {
  const int block_y = blockIdx.x, block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
  const int column = threadIdx.x + blockDim.x * block_x, row = threadIdx.y + blockDim.y * block_y;
  if (column < columns && row < rows) y[row * columns + column] = x[column * rows + row];
}
extern "C" __global__ void turn_wide_by_column(const float* x, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, column = i * 4 % columns, row = i * 4 / columns;
  if (row >= rows || column + 3 >= columns) return;
  const float4 v = reinterpret_cast<const float4*>(x)[i];
  y[column * rows + row] = v.x;
  y[(column + 1) * rows + row] = v.y;
  y[(column + 2) * rows + row] = v.z;
  y[(column + 3) * rows + row] = v.w;
}
extern "C" __global__ void turn_wide_by_row(const float* x, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, column = i * 4 / rows, row = i * 4 % rows;
  if (row >= rows || column >= columns) return;
  reinterpret_cast<float4*>(y)[i] = make_float4(x[row * columns + column], x[(row + 1) * columns + column],
                                                x[(row + 2) * columns + column], x[(row + 3) * columns + column]);
}
extern "C" __global__ void turn_wide_by_column_2d(const float* x, float* y, int rows, int columns) {
  const int four = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (four * 4 + 3 >= columns || row >= rows) return;
  const float4 v = reinterpret_cast<const float4*>(x)[row * columns / 4 + four];
  y[four * 4 * rows + row] = v.x;
  y[(four * 4 + 1) * rows + row] = v.y;
  y[(four * 4 + 2) * rows + row] = v.z;
  y[(four * 4 + 3) * rows + row] = v.w;
}
extern "C" __global__ void turn_wide_by_row_2d(const float* x, float* y, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, four = blockIdx.y * blockDim.y + threadIdx.y;
  if (four * 4 + 3 >= rows || column >= columns) return;
  reinterpret_cast<float4*>(y)[column * rows / 4 + four] =
      make_float4(x[four * 4 * columns + column], x[(four * 4 + 1) * columns + column],
                  x[(four * 4 + 2) * columns + column], x[(four * 4 + 3) * columns + column]);
}

// The threads of a warp read different rows.
extern "C" __global__ void tile_none_by_row(const float* x, int rows, int columns, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) y[column * rows + row] = x[row * columns + column];
}
extern "C" __global__ void tile_none_by_column(const float* x, int rows, int columns, float* y) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) y[column * rows + row] = x[row * columns + column];
}
template <int Padding>
__device__ void transpose_tile(const float* x, int rows, int columns, float* y) {
  __shared__ float tile[32][32 + Padding];
  const int bx = blockIdx.x * 32, by = blockIdx.y * 32;
  const int x1 = bx + threadIdx.x, y1 = by + threadIdx.y;
  if (x1 < columns && y1 < rows) tile[threadIdx.y][threadIdx.x] = x[y1 * columns + x1];
  __syncthreads();
  const int x2 = by + threadIdx.x, y2 = bx + threadIdx.y;
  if (x2 < rows && y2 < columns) y[y2 * rows + x2] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void tile_plain(const float* x, int rows, int columns, float* y) {
  transpose_tile<0>(x, rows, columns, y);
}
extern "C" __global__ void tile_padded(const float* x, int rows, int columns, float* y) {
  transpose_tile<1>(x, rows, columns, y);
}
