// Tests the calls of cuBLAS: errors, matrices in host memory, copies, and the order of calls among kernels and in
// graphs.
#include "math/blas/cublas_support.hpp"

namespace {

TEST_F(Cublas, RefusesWhatCannotBe) {
  const on_device<float> x(std::vector<float>(16));
  const float one = 1;
  EXPECT_EQ(cublasSgemm_v2(nullptr, 0, 0, 4, 4, 4, &one, x, 4, x, 4, &one, x, 4), not_initialized);
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, -1, 4, 4, &one, x, 4, x, 4, &one, x, 4), invalid_value);
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 4, 4, 4, &one, x, 3, x, 4, &one, x, 4), invalid_value);
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 4, 4, 4, &one, nullptr, 4, x, 4, &one, x, 4), invalid_value);
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 0, 4, 4, &one, nullptr, 4, x, 4, &one, x, 4), success);
  EXPECT_EQ(cublasGemmEx(h, 0, 0, 4, 4, 4, &one, x, 99, 4, x, f32, 4, &one, x, f32, 4, in_float, -1), not_supported);
  // The matrix extends past the end of its allocation, so nothing is computed.
  testing::internal::CaptureStderr();
  EXPECT_EQ(cublasSgemm_v2(h, 0, 0, 5, 4, 4, &one, x, 5, x, 4, &one, x, 5), execution_failed);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cublasSgemm accesses 80 bytes"), std::string::npos);
  // If a function is missing, its name is printed once.
  testing::internal::CaptureStderr();
  EXPECT_EQ(cublasXtSsymm(), not_supported);
  EXPECT_EQ(cublasXtSsymm(), not_supported);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "bankwise: the function cublasXtSsymm is not in bankwise's cuBLAS yet, so the call returns 15 (not supported)\n");
  EXPECT_STREQ(cublasGetStatusName(not_supported), "CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST_F(Cublas, MultipliesMatricesOfTheHost) {
  xt_handle* xt = nullptr;
  ASSERT_EQ(cublasXtCreate(&xt), success);
  const int devices[] = {0, 1};
  const std::complex<double> one = 1, two{0, 2};
  constexpr std::size_t m = 3, n = 4, k = 5, lda = 6, ldb = 7, ldc = 4;
  const auto a = small_numbers<std::complex<double>>(lda * m), b = small_numbers<std::complex<double>>(ldb * n),
             before = small_numbers<std::complex<double>>(ldc * n);
  auto c = before;
  const auto multiply = [&] {
    return cublasXtZgemm(xt, 2, 0, m, n, k, &one, a.data(), lda, b.data(), ldb, &two, c.data(), ldc);
  };
  EXPECT_EQ(multiply(), not_initialized);  // no device is selected
  EXPECT_EQ(cublasXtDeviceSelect(xt, 2, devices), invalid_value);
  ASSERT_EQ(cublasXtDeviceSelect(xt, 1, devices), success);
  int block = 0;
  EXPECT_EQ(cublasXtSetBlockDim(xt, 64), success);
  EXPECT_EQ(cublasXtGetBlockDim(xt, &block), success);
  EXPECT_EQ(block, 64);
  ASSERT_EQ(multiply(), success);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < ldc; ++i) {
      std::complex<double> sum = before[j * ldc + i];
      if (i < m) sum *= two;
      for (std::size_t l = 0; l < k && i < m; ++l) sum += std::conj(a[i * lda + l]) * b[j * ldb + l];
      EXPECT_EQ(c[j * ldc + i], sum) << i << ", " << j;
    }
  // The matrices may also be in device memory.
  const on_device<float> x(std::vector<float>(16, 2)), y(std::vector<float>(16));
  const float f = 1, none = 0;
  EXPECT_EQ(cublasXtSgemm(xt, 0, 0, 4, 4, 4, &f, x, 4, x, 4, &none, y, 4), success);
  EXPECT_EQ(y.read(), std::vector<float>(16, 16));
  EXPECT_EQ(cublasXtSgemm(xt, 0, 0, 4, 4, 4, &f, x, 3, x, 4, &none, y, 4), invalid_value);
  EXPECT_EQ(cublasXtSgemm(xt, 0, 0, 4, 4, 4, &f, nullptr, 4, x, 4, &none, y, 4), invalid_value);
  EXPECT_EQ(cublasXtDestroy(xt), success);
}

TEST_F(Cublas, CopiesVectorsAndMatrices) {
  const auto values = small_numbers<float>(24);
  const on_device<float> x(std::vector<float>(24));
  std::vector<float> back(24);
  EXPECT_EQ(cublasSetVector(8, 4, values.data(), 3, x, 2), success);
  EXPECT_EQ(cublasGetVector(8, 4, x, 2, back.data(), 1), success);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(back[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(i * 3)]);
  EXPECT_EQ(cublasSetMatrix(3, 4, 4, values.data(), 6, x, 5), success);
  EXPECT_EQ(cublasGetMatrix(3, 4, 4, x, 5, back.data(), 3), success);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(back[static_cast<std::size_t>(j * 3 + i)], values[static_cast<std::size_t>(j * 6 + i)]);
}

// --- products in a stream, between kernels

constexpr int side = 64;
char transpose_stub;

bankwise::cuda::error transpose(float* to, float* from, bankwise::cuda::stream* on) {
  static const bool is_registered = [] {
    using namespace bankwise::test;
    register_kernel("examples/transpose.cubin", "_Z15transpose_plainPfPKfi", &transpose_stub);
    return true;
  }();
  EXPECT_TRUE(is_registered);
  int n = side;
  void* arguments[] = {&to, &from, &n};
  return bankwise::cuda::cudaLaunchKernel(&transpose_stub, {side / 32, side / 32, 1}, {32, 8, 1}, arguments, 0, on);
}

std::vector<float> expected_behind_kernels(const std::vector<float>& a) {
  // Read row by row, b is the transpose of a. c = b * b is computed column by column and then transposed.
  std::vector<float> b(a.size()), c(a.size());
  const auto at = [](int i, int j) { return static_cast<std::size_t>(i * side + j); };
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) b[at(j, i)] = a[at(i, j)];
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k) c[at(i, j)] += b[at(k, i)] * b[at(j, k)];  // by columns, then transposed
  return c;
}

TEST_F(Cublas, ComesBehindKernelsAndBeforeThem) {
  bankwise::cuda::stream* on = nullptr;
  ASSERT_EQ(bankwise::cuda::cudaStreamCreateWithFlags(&on, 1), bankwise::cuda::cudaSuccess);
  ASSERT_EQ(cublasSetStream_v2(h, on), success);
  const auto values = small_numbers<float>(side * side);
  const on_device<float> a(values), b(std::vector<float>(side * side)), c(std::vector<float>(side * side)),
      d(std::vector<float>(side * side));
  const float one = 1, zero = 0;
  ASSERT_EQ(transpose(b, a, on), bankwise::cuda::cudaSuccess);
  ASSERT_EQ(cublasSgemm_v2(h, 0, 0, side, side, side, &one, b, side, b, side, &zero, c, side), success);
  ASSERT_EQ(transpose(d, c, on), bankwise::cuda::cudaSuccess);
  // Later work in the stream does not change the product.
  ASSERT_EQ(transpose(b, d, on), bankwise::cuda::cudaSuccess);
  EXPECT_EQ(d.read(), expected_behind_kernels(values));
}

TEST_F(Cublas, IsPartOfAGraph) {
  bankwise::cuda::stream* on = nullptr;
  ASSERT_EQ(bankwise::cuda::cudaStreamCreateWithFlags(&on, 1), bankwise::cuda::cudaSuccess);
  ASSERT_EQ(cublasSetStream_v2(h, on), success);
  auto values = small_numbers<float>(side * side);
  const on_device<float> a(values), b(std::vector<float>(side * side)), c(std::vector<float>(side * side)),
      d(std::vector<float>(side * side));
  ASSERT_EQ(bankwise::cuda::cudaStreamBeginCapture(on, 0), bankwise::cuda::cudaSuccess);
  ASSERT_EQ(transpose(b, a, on), bankwise::cuda::cudaSuccess);
  {
    const float one = 1, zero = 0;  // the graph keeps copies of these values
    ASSERT_EQ(cublasSgemm_v2(h, 0, 0, side, side, side, &one, b, side, b, side, &zero, c, side), success);
  }
  float norm = 0;
  EXPECT_EQ(cublasSnrm2_v2(h, side, c, 1, &norm), execution_failed);  // captured work cannot return a value to the host
  ASSERT_EQ(transpose(d, c, on), bankwise::cuda::cudaSuccess);
  bankwise::cuda::graph* g = nullptr;
  bankwise::cuda::graph_exec* exec = nullptr;
  ASSERT_EQ(bankwise::cuda::cudaStreamEndCapture(on, &g), bankwise::cuda::cudaSuccess);
  ASSERT_EQ(bankwise::cuda::cudaGraphInstantiate(&exec, g, 0), bankwise::cuda::cudaSuccess);
  EXPECT_EQ(d.read(), std::vector<float>(side * side));
  for (int round = 0; round < 2; ++round) {
    values = small_numbers<float>(side * side);
    bankwise::cuda::cudaMemcpy(a, values.data(), values.size() * sizeof(float), bankwise::cuda::host_to_device);
    ASSERT_EQ(bankwise::cuda::cudaGraphLaunch(exec, on), bankwise::cuda::cudaSuccess);
    EXPECT_EQ(d.read(), expected_behind_kernels(values));
  }
}

}  // namespace
