// Tensors by value, as in CuTe DSL's kernels with a dynamic layout: a pointer, a shape, and each stride that is not 1.
struct tensor {
  float* data;
  int shape[2];
  long long stride;
};

// Reads a tile of 32 x 32 elements by columns.
__global__ void transpose_tensors(tensor out, tensor in) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < in.shape[1] && y + j < in.shape[0]) tile[threadIdx.y + j][threadIdx.x] = in.data[(y + j) * in.stride + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (tx < out.shape[1] && ty + j < out.shape[0]) out.data[(ty + j) * out.stride + tx] = tile[threadIdx.x][threadIdx.y + j];
}
