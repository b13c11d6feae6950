// A program for bankwise fix. Its only array has a conflict that padding removes.
#include <cstdio>

__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char**) {
  constexpr int n = 64;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
  std::printf("%d words: %s\n", argc, cudaGetErrorString(cudaDeviceSynchronize()));
}
