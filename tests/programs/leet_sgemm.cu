// Runs the matrix products of xlite-dev/LeetCUDA without their PyTorch binding. SOURCE is the part of LeetCUDA's sgemm
// file before the binding. Checks some elements of each result.
//
//     leet_sgemm 256
#include SOURCE

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef void (*product)(float*, float*, float*, int, int, int);

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 256;
  const std::size_t bytes = sizeof(float) * n * n;
  float *da, *db, *dc;
  for (float** p : {&da, &db, &dc}) cudaMalloc(p, bytes);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 13) - 6, b[i] = static_cast<float>(i % 7) - 3;
  cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
  const struct {
    const char* name;
    product kernel;
    int tile, block;
  } all[] = {
      {"sliced_k", sgemm_sliced_k_f32_kernel<32, 32, 32>, 32, 32},
      {"t_8x8_sliced_k", sgemm_t_8x8_sliced_k_f32x4_kernel<128, 128, 8, 8, 8>, 128, 16},
      {"t_8x8_sliced_k_bcf", sgemm_t_8x8_sliced_k_f32x4_bcf_kernel<128, 128, 8, 8, 8>, 128, 16},
      {"t_8x8_sliced_k_bcf_dbuf", sgemm_t_8x8_sliced_k_f32x4_bcf_dbuf_kernel<128, 128, 8, 8, 8>, 128, 16},
  };
  bool right = true;
  for (const auto& one : all) {
    cudaMemset(dc, 0xff, bytes);
    one.kernel<<<dim3(n / one.tile, n / one.tile), dim3(one.block, one.block)>>>(da, db, dc, n, n, n);
    if (cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    int wrong = 0;
    for (int at = 0; at < n * n; at += 37) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[at / n * n + k] * b[k * n + at % n];
      wrong += std::fabs(sum - c[at]) > 1e-3 * n;
    }
    std::printf("%s: %d wrong\n", one.name, wrong);
    right &= wrong == 0;
  }
  std::puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
