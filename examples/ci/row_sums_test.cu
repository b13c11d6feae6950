// Compares row_sums() with the sums that the CPU computes.
#include "row_sums.cuh"

#include <cstdio>
#include <vector>

int main() {
  const int rows = 20, columns = 300;
  std::vector<float> in(rows * columns), sums(rows);
  for (int i = 0; i < rows * columns; ++i) in[i] = static_cast<float>(i % 7);
  float *from = nullptr, *to = nullptr;
  cudaMalloc(&from, in.size() * sizeof(float));
  cudaMalloc(&to, rows * sizeof(float));
  cudaMemcpy(from, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<<<rows, row_threads>>>(from, to, columns);
  const cudaError_t failed = cudaMemcpy(sums.data(), to, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(to);
  cudaFree(from);
  bool right = failed == cudaSuccess;
  for (int r = 0; r < rows; ++r) {
    float expected = 0;
    for (int c = 0; c < columns; ++c) expected += in[r * columns + c];
    right = right && sums[r] == expected;
  }
  std::printf("row_sums %s\n", right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
