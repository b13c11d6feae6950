// Compares products of cuBLASLt with explicit sums: matrices stored by rows or by columns, batches, and epilogues.
#include <cmath>

#include "math/blas/lt_product.hpp"
#include "math/common/device_memory.hpp"

using namespace bankwise::math;
template <class T>
using on_device = bankwise::test::on_device<T>;
using bankwise::test::small_numbers;

struct heuristic_result {
  std::uint64_t algorithm[8];
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
extern "C" {
int cublasLtCreate(void**);
int cublasLtDestroy(void*);
int cublasLtMatmulDescCreate(lt_matmul**, int, int);
int cublasLtMatmulDescDestroy(lt_matmul*);
int cublasLtMatmulDescSetAttribute(lt_matmul*, int, const void*, std::size_t);
int cublasLtMatmulDescGetAttribute(const lt_matmul*, int, void*, std::size_t, std::size_t*);
int cublasLtMatrixLayoutCreate(lt_layout**, int, std::uint64_t, std::uint64_t, std::int64_t);
int cublasLtMatrixLayoutDestroy(lt_layout*);
int cublasLtMatrixLayoutSetAttribute(lt_layout*, int, const void*, std::size_t);
int cublasLtMatmulPreferenceCreate(lt_preference**);
int cublasLtMatmulPreferenceDestroy(lt_preference*);
int cublasLtMatmulAlgoGetHeuristic(void*, const lt_matmul*, const lt_layout*, const lt_layout*, const lt_layout*,
                                   const lt_layout*, const lt_preference*, int, heuristic_result*, int*);
int cublasLtMatmul(void*, const lt_matmul*, const void*, const void*, const lt_layout*, const void*, const lt_layout*,
                   const void*, const void*, const lt_layout*, void*, const lt_layout*, const void*, void*, std::size_t,
                   bankwise::cuda::stream*);
int cublasLtMatrixTransformDescCreate(lt_transform**, int);
int cublasLtMatrixTransformDescDestroy(lt_transform*);
int cublasLtMatrixTransform(void*, const lt_transform*, const void*, const void*, const lt_layout*, const void*,
                            const void*, const lt_layout*, void*, const lt_layout*, bankwise::cuda::stream*);
}

namespace {

constexpr int m = 6, n = 5, k = 4, count = 2;
constexpr int order = 1, batch_count = 5, batch_stride = 6;  // numbers of a layout's attributes
constexpr int of_b = 4, which_epilogue = 7, bias_pointer = 8, aux_pointer = 11, aux_lead = 12, a_scale = 17,
              d_scale = 20;

class CublasLt : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cublasLtCreate(&h), success);
    ASSERT_EQ(cublasLtMatmulDescCreate(&d, in_float, f32), success);
  }
  void TearDown() override {
    cublasLtMatmulDescDestroy(d);
    for (lt_layout* l : layouts) cublasLtMatrixLayoutDestroy(l);
    cublasLtDestroy(h);
  }
  template <class T>
  void set(int attribute, T value) {
    ASSERT_EQ(cublasLtMatmulDescSetAttribute(d, attribute, &value, sizeof value), success);
  }
  lt_layout* layout(int type, int rows, int columns, bool by_rows) {
    lt_layout* l = nullptr;
    const std::int32_t word = by_rows, many = count;
    const std::int64_t stride = rows * columns;
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&l, type, static_cast<std::uint64_t>(rows),
                                         static_cast<std::uint64_t>(columns), by_rows ? columns : rows),
              success);
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(l, order, &word, sizeof word), success);
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(l, batch_count, &many, sizeof many), success);
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(l, batch_stride, &stride, sizeof stride), success);
    layouts.push_back(l);
    return l;
  }
  static double at(const std::vector<float>& x, int q, int i, int j, int rows, int columns, bool by_rows) {
    return x[static_cast<std::size_t>(q * rows * columns + (by_rows ? i * columns + j : j * rows + i))];
  }

  void* h = nullptr;
  lt_matmul* d = nullptr;
  std::vector<lt_layout*> layouts;
  std::vector<float> a = small_numbers<float>(m * k * count), b = small_numbers<float>(k * n * count),
                     c = small_numbers<float>(m * n * count);
};

TEST_F(CublasLt, MultipliesMatricesInRowsAndColumns) {
  for (int rows = 0; rows < 16; ++rows) {
    const bool a_rows = rows & 1, b_rows = rows & 2, c_rows = rows & 4, d_rows = rows & 8;
    const on_device<float> x(a), y(b), z(c), to(std::vector<float>(c.size()));
    const float alpha = 2, beta = 3;
    // b is stored transposed.
    set(of_b, std::int32_t{transposed});
    lt_layout *la = layout(f32, m, k, a_rows), *lb = layout(f32, n, k, b_rows), *lc = layout(f32, m, n, c_rows),
              *ld = layout(f32, m, n, d_rows);
    lt_preference* p = nullptr;
    ASSERT_EQ(cublasLtMatmulPreferenceCreate(&p), success);
    heuristic_result found[4];
    int got = 0;
    ASSERT_EQ(cublasLtMatmulAlgoGetHeuristic(h, d, la, lb, lc, ld, p, 4, found, &got), success);
    ASSERT_EQ(got, 1);
    EXPECT_EQ(found[0].state, success);
    cublasLtMatmulPreferenceDestroy(p);
    ASSERT_EQ(cublasLtMatmul(h, d, &alpha, x, la, y, lb, &beta, z, lc, to, ld, found[0].algorithm, nullptr, 0, nullptr),
              success);
    const auto result = to.read();
    for (int q = 0; q < count; ++q)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          double sum = 0;
          for (int l = 0; l < k; ++l) sum += at(a, q, i, l, m, k, a_rows) * at(b, q, j, l, n, k, b_rows);
          ASSERT_EQ(at(result, q, i, j, m, n, d_rows), 2 * sum + 3 * at(c, q, i, j, m, n, c_rows)) << rows;
        }
  }
}

TEST_F(CublasLt, AddsABiasAndActivates) {
  const auto bias = small_numbers<float>(m);
  const auto gelu_of = [](double v) {
    return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  };
  for (const int e : {4, 2, 6, 32, 36}) {
    const on_device<float> x(a), y(b), to(std::vector<float>(c.size())), added(bias);
    set(which_epilogue, e);
    set(bias_pointer, added.get());
    const float alpha = 1, beta = 0;
    lt_layout *la = layout(f32, m, k, false), *lb = layout(f32, k, n, false), *ld = layout(f32, m, n, false);
    ASSERT_EQ(cublasLtMatmul(h, d, &alpha, x, la, y, lb, &beta, to, ld, to, ld, nullptr, nullptr, 0, nullptr), success);
    const auto result = to.read();
    for (int q = 0; q < count; ++q)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          double sum = (e & 4) != 0 ? bias[static_cast<std::size_t>(i)] : 0;
          for (int l = 0; l < k; ++l) sum += at(a, q, i, l, m, k, false) * at(b, q, l, j, k, n, false);
          if ((e & 2) != 0) sum = std::max(sum, 0.0);
          if ((e & 32) != 0) sum = gelu_of(sum);
          ASSERT_NEAR(at(result, q, i, j, m, n, false), sum, 1e-5) << e;
        }
  }
}

// The forward pass stores a bit for each result: whether the result was positive. The backward pass uses these bits to
// select gradients. It adds up the selected gradients.
TEST_F(CublasLt, KeepsWhatTheGradientNeeds) {
  const on_device<float> x(a), y(b), forward(std::vector<float>(c.size())), backward(std::vector<float>(c.size())),
      sums{std::vector<float>(m)};
  const on_device<unsigned char> bits(std::vector<unsigned char>(128 / 8 * n));
  const float alpha = 1, beta = 0;
  lt_layout *la = layout(f32, m, k, false), *lb = layout(f32, k, n, false), *ld = layout(f32, m, n, false);
  const std::int32_t one = 1;
  for (lt_layout* l : {la, lb, ld}) cublasLtMatrixLayoutSetAttribute(l, batch_count, &one, sizeof one);
  set(aux_pointer, bits.get());
  set(aux_lead, std::int64_t{128});
  set(which_epilogue, 2 | 128);
  ASSERT_EQ(cublasLtMatmul(h, d, &alpha, x, la, y, lb, &beta, forward, ld, forward, ld, nullptr, nullptr, 0, nullptr),
            success);
  set(which_epilogue, 8 | 128 | 16);
  set(bias_pointer, sums.get());
  ASSERT_EQ(cublasLtMatmul(h, d, &alpha, x, la, y, lb, &beta, backward, ld, backward, ld, nullptr, nullptr, 0, nullptr),
            success);
  EXPECT_EQ(forward.read(), backward.read());
  std::vector<float> expected(m);
  const auto result = backward.read();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) expected[static_cast<std::size_t>(i)] += result[static_cast<std::size_t>(j * m + i)];
  EXPECT_EQ(sums.read(), expected);
}

TEST_F(CublasLt, ScalesEightBitFloats) {
  const std::vector<double> values = {1, 2, -3, 4, 0.5, -1, 2, 448};
  const on_device<std::byte> x(bankwise::test::bytes_of_numbers(values, e4m3)),
      y(bankwise::test::bytes_of_numbers(values, e4m3)), to(std::vector<std::byte>(8)),
      unused(std::vector<std::byte>(8));
  const on_device<float> by({0.5f}), last({2.0f});
  set(a_scale, by.get());
  set(d_scale, last.get());
  const float alpha = 1, beta = 0;
  // The product is 2 x 4 by 4 x 2. A batch of two such products does not fit in this memory.
  lt_layout *la = layout(e4m3, 2, 4, false), *lb = layout(e4m3, 4, 2, false), *lc = layout(bf16, 2, 2, false),
            *ld = layout(e4m3, 2, 2, false);
  const std::int32_t one = 1;
  for (lt_layout* l : {la, lb, lc, ld}) cublasLtMatrixLayoutSetAttribute(l, batch_count, &one, sizeof one);
  ASSERT_EQ(cublasLtMatmul(h, d, &alpha, x, la, y, lb, &beta, unused, lc, to, ld, nullptr, nullptr, 0, nullptr),
            success);
  const auto got = bankwise::test::numbers_of_bytes(to.read(), e4m3);
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) {
      double sum = 0;
      for (int l = 0; l < 4; ++l)
        sum += values[static_cast<std::size_t>(l * 2 + i)] * values[static_cast<std::size_t>(j * 4 + l)];
      std::byte rounded{};
      put_number<double>(&rounded, e4m3, sum * 0.5 * 2);  // saturates at the largest finite number
      EXPECT_EQ(got[static_cast<std::size_t>(j * 2 + i)], number_of<double>(&rounded, e4m3));
    }
}

TEST_F(CublasLt, TransformsLayouts) {
  lt_transform* t = nullptr;
  ASSERT_EQ(cublasLtMatrixTransformDescCreate(&t, f32), success);
  const on_device<float> x(a), to(std::vector<float>(a.size()));
  const float alpha = 2, beta = 0;
  ASSERT_EQ(cublasLtMatrixTransform(h, t, &alpha, x, layout(f32, m, k, false), &beta, nullptr, nullptr, to,
                                    layout(f32, m, k, true), nullptr),
            success);
  const auto got = to.read();
  for (int q = 0; q < count; ++q)
    for (int j = 0; j < k; ++j)
      for (int i = 0; i < m; ++i) ASSERT_EQ(at(got, q, i, j, m, k, true), 2 * at(a, q, i, j, m, k, false));
  cublasLtMatrixTransformDescDestroy(t);
}

TEST_F(CublasLt, TellsAttributesAndRefuses) {
  std::int32_t value = -1;
  std::size_t written = 0;
  EXPECT_EQ(cublasLtMatmulDescGetAttribute(d, which_epilogue, &value, sizeof value, &written), success);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(written, sizeof value);
  EXPECT_EQ(cublasLtMatmulDescGetAttribute(d, which_epilogue, &value, 1, &written), invalid_value);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(d, 99, &value, sizeof value), not_supported);
  heuristic_result found;
  int got = -1;
  lt_layout *la = layout(f32, m, k, false), *lb = layout(f32, k, n, false), *ld = layout(f32, m + 1, n, false);
  EXPECT_EQ(cublasLtMatmulAlgoGetHeuristic(h, d, la, lb, ld, ld, nullptr, 1, &found, &got), invalid_value);
  EXPECT_EQ(got, 0);
}

}  // namespace
