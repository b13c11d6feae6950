// Two arrays in dynamic shared memory: a tile of values and the sums of its rows.
#include "../naive/host.cuh"

__global__ void dynamic_tiles(const float* in, float* out, int columns) {
  extern __shared__ float memory[];
  const int rows = blockDim.y, x = threadIdx.x, y = threadIdx.y;
  float *tile = memory, *sums = memory + rows * columns;
  if (x == 0) sums[y] = 0;
  tile[y * columns + x] = in[(blockIdx.x * rows + y) * columns + x];
  __syncthreads();
  atomicAdd(&sums[y], tile[y * columns + (x + 1) % columns]);
  __syncthreads();
  out[(blockIdx.x * rows + y) * columns + x] = tile[y * columns + x] - sums[(y + 1) % rows] / columns;
}

int main() {
  const int columns = 24, rows = 10, blocks = 12, n = columns * rows * blocks;
  float* in = filled<float>(n, [](int i) { return float(i % 13); });
  float* out;
  cudaMalloc(&out, n * sizeof(float));
  const int bytes = (columns * rows + rows) * sizeof(float);
  dynamic_tiles<<<blocks, dim3(columns, rows), bytes>>>(in, out, columns);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  return status;
}
