// Runs the shared-memory transposes of xlite-dev/LeetCUDA without their PyTorch binding. SOURCE is the part of
// LeetCUDA's mat_transpose before the binding. Checks every result. The arguments are the two sides of the matrix.
//
//     leet_transpose 512 768
#include SOURCE

#include <cstdio>
#include <cstdlib>
#include <vector>

typedef void (*transpose)(float*, float*, int, int);

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 256, columns = argc > 2 ? std::atoi(argv[2]) : 512;
  const int n = rows * columns;
  const std::size_t bytes = n * sizeof(float);
  float *in, *out;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i % 8191);
  cudaMemcpy(in, x.data(), bytes, cudaMemcpyHostToDevice);
  const struct {
    const char* name;
    transpose kernel;
    int by_row, by_column;
  } all[] = {
      {"shared_col2row", mat_transpose_f32x4_shared_col2row2d_kernel, 1, 4},
      {"shared_row2col", mat_transpose_f32x4_shared_row2col2d_kernel, 4, 1},
      {"shared_bcf_col2row", mat_transpose_f32x4_shared_bcf_col2row2d_kernel, 1, 4},
      {"shared_bcf_row2col", mat_transpose_f32x4_shared_bcf_row2col2d_kernel, 4, 1},
      {"shared_bcf_merge_write_row2col", mat_transpose_f32x4_shared_bcf_merge_write_row2col2d_kernel, 4, 1},
  };
  bool right = true;
  for (const auto& one : all) {
    cudaMemset(out, 0xff, bytes);
    const dim3 block(WARP_SIZE_S, WARP_SIZE_S);
    const dim3 grid(columns / (WARP_SIZE_S * one.by_column), rows / (WARP_SIZE_S * one.by_row));
    one.kernel<<<grid, block>>>(in, out, rows, columns);
    if (cudaMemcpy(y.data(), out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    int wrong = 0;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) wrong += y[c * rows + r] != x[r * columns + c];
    std::printf("%s: %d wrong\n", one.name, wrong);
    right &= wrong == 0;
  }
  std::puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
