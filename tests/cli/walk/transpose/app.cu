// A transpose through a tile, in its simplest form. The program checks every element.
#include <cstdio>
#include <vector>

constexpr int side = 256;

__global__ void transpose(float* out, const float* in) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * side + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(ty + j) * side + tx] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  std::vector<float> in(side * side), out(side * side);
  for (int i = 0; i < side * side; ++i) in[i] = i;
  float *from, *to;
  cudaMalloc(&from, sizeof(float) * side * side);
  cudaMalloc(&to, sizeof(float) * side * side);
  cudaMemcpy(from, in.data(), sizeof(float) * side * side, cudaMemcpyHostToDevice);
  transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(to, from);
  cudaMemcpy(out.data(), to, sizeof(float) * side * side, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) wrong += out[y * side + x] != in[x * side + y];
  std::printf("transpose: %d wrong\n", wrong);
  return wrong != 0;
}
