// A transpose whose warps write rows of 32 elements and read columns of 32 elements. A second kernel uses the warps
// that --try-warps suggests, rectangles of 8 x 4 threads, with the source lines that it prints.
constexpr int side = 32, rows = 16;

struct indices {
  int x, y;
};
// Returns the indices that `threadIdx` has.
__device__ indices rows_of_32() { return {static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y)}; }
__device__ indices rectangles() {
  const unsigned thread = threadIdx.y * 32 + threadIdx.x, warp = thread / 32, lane = thread % 32;
  const unsigned tx = warp % 4 * 8 + lane % 8, ty = warp / 4 * 4 + lane / 8;
  return {static_cast<int>(tx), static_cast<int>(ty)};
}

__device__ void transpose(float* out, const float* in, int n, indices t) {
  __shared__ float tile[side][side];
  int x = blockIdx.x * side + t.x, y = blockIdx.y * side + t.y;
  for (int j = 0; j < side; j += rows) tile[t.y + j][t.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * side + t.x, y = blockIdx.x * side + t.y;
  for (int j = 0; j < side; j += rows) out[(y + j) * n + x] = tile[t.x][t.y + j];
}

extern "C" __global__ void in_rows(float* out, const float* in, int n) { transpose(out, in, n, rows_of_32()); }
extern "C" __global__ void in_rectangles(float* out, const float* in, int n) { transpose(out, in, n, rectangles()); }

// Each warp adds up the values of its lanes. A warp with different lanes would get a different sum.
extern "C" __global__ void sums_of_warps(float* out, const float* in, int) {
  __shared__ float tile[side][side];
  float sum = in[threadIdx.y * 32 + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  tile[threadIdx.x][threadIdx.y] = sum;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
