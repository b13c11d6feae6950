// A matrix product: a block computes 64 x 64 elements, a thread 4 x 4 elements. A's tile is stored transposed.
#include <cstdio>
#include <vector>

constexpr int size = 128, tile = 64, depth = 16, each = 4;

__global__ void sgemm(float* c, const float* a, const float* b) {
  __shared__ float as[depth][tile];
  __shared__ float bs[depth][tile];
  const int row = threadIdx.x / 16 * each, column = threadIdx.x % 16 * each;
  float sum[each][each] = {};
  for (int k0 = 0; k0 < size; k0 += depth) {
    for (int i = threadIdx.x; i < tile * depth; i += 256) {
      as[i % depth][i / depth] = a[(blockIdx.y * tile + i / depth) * size + k0 + i % depth];
      bs[i / tile][i % tile] = b[(k0 + i / tile) * size + blockIdx.x * tile + i % tile];
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k)
      for (int y = 0; y < each; ++y)
        for (int x = 0; x < each; ++x) sum[y][x] += as[k][row + y] * bs[k][column + x];
    __syncthreads();
  }
  for (int y = 0; y < each; ++y)
    for (int x = 0; x < each; ++x)
      c[(blockIdx.y * tile + row + y) * size + blockIdx.x * tile + column + x] = sum[y][x];
}

int main() {
  std::vector<float> a(size * size), b(size * size), c(size * size);
  for (int i = 0; i < size * size; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2;
  float *da, *db, *dc;
  const size_t bytes = sizeof(float) * size * size;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
  sgemm<<<dim3(size / tile, size / tile), 256>>>(dc, da, db);
  cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      float sum = 0;
      for (int k = 0; k < size; ++k) sum += a[y * size + k] * b[k * size + x];
      wrong += c[y * size + x] != sum;
    }
  std::printf("sgemm: %d wrong\n", wrong);
  return wrong != 0;
}
