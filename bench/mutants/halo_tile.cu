// A blur of 5 points over an image, with a tile and its border in shared memory.
#include "../naive/host.cuh"

constexpr int side = 16;

__global__ void halo_tile(const int* in, int* out, int width, int height) {
  __shared__ int tile[side + 2][side + 2];
  const int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
  for (int r = threadIdx.y; r < side + 2; r += side)
    for (int c = threadIdx.x; c < side + 2; c += side) {
      const int from_x = blockIdx.x * side + c - 1, from_y = blockIdx.y * side + r - 1;
      const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
      tile[r][c] = inside ? in[from_y * width + from_x] : 0;
    }
  __syncthreads();
  if (x >= width || y >= height) return;
  const int c = threadIdx.x + 1, r = threadIdx.y + 1;
  out[y * width + x] = tile[r][c] + tile[r - 1][c] + tile[r + 1][c] + tile[r][c - 1] + tile[r][c + 1];
}

int main() {
  const int width = 70, height = 45, n = width * height;
  int* in = filled<int>(n, [](int i) { return i % 19; });
  int* out;
  cudaMalloc(&out, n * sizeof(int));
  halo_tile<<<dim3((width + side - 1) / side, (height + side - 1) / side), dim3(side, side)>>>(in, out, width, height);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  return status;
}
