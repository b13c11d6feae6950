// A stencil of 7 points in three dimensions. A thread computes DEPTH points in z, and keeps those above and below in registers. TILED=1 reads
// neighbours in x and y from a tile in shared memory.
extern "C" __global__ void __launch_bounds__(BX* BY) stencil(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[TILED ? BY + 2 : 1][TILED ? BX + 2 : 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty, z = blockIdx.z * DEPTH;
  const int plane = nx * ny;
  const float* const at = in + y * nx + x;
  const int left = x > 0 ? -1 : 0, right = x + 1 < nx ? 1 : 0, up = y > 0 ? -nx : 0, down = y + 1 < ny ? nx : 0;
  float before = at[(z > 0 ? z - 1 : 0) * plane], here = at[z * plane];
#pragma unroll
  for (int i = 0; i < DEPTH; ++i) {
    const float* const p = at + (z + i) * plane;
    const float after = z + i + 1 < nz ? p[plane] : here;
    float sum;
    if (TILED) {
      tile[ty + 1][tx + 1] = here;
      if (tx == 0) tile[ty + 1][0] = p[left];
      if (tx == BX - 1) tile[ty + 1][BX + 1] = p[right];
      if (ty == 0) tile[0][tx + 1] = p[up];
      if (ty == BY - 1) tile[BY + 1][tx + 1] = p[down];
      __syncthreads();
      sum = tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1];
      __syncthreads();
    } else {
      sum = p[left] + p[right] + p[up] + p[down];
    }
    out[(z + i) * plane + y * nx + x] = 0.4F * here + 0.1F * (sum + before + after);
    before = here;
    here = after;
  }
}
