// Tests the old interface of cuBLAS, whose functions take no handle.
#include <gtest/gtest.h>

#include <vector>

extern "C" {
int cublasInit();
int cublasShutdown();
int cublasGetError();
int cublasAlloc(int, int, void**);
int cublasFree(void*);
int cublasSetMatrix(int, int, int, const void*, int, void*, int);
int cublasGetMatrix(int, int, int, const void*, int, void*, int);
void cublasSgemm(char, char, int, int, int, float, const float*, int, const float*, int, float, float*, int);
float cublasSdot(int, const float*, int, const float*, int);
void cublasStrmm(char, char, char, char, int, int, float, const float*, int, float*, int);
}

namespace {

TEST(OldCublas, MultipliesAndAdds) {
  constexpr int not_initialized = 1;
  EXPECT_EQ(cublasSdot(0, nullptr, 1, nullptr, 1), 0);
  EXPECT_EQ(cublasGetError(), not_initialized);
  EXPECT_EQ(cublasGetError(), 0);
  ASSERT_EQ(cublasInit(), 0);
  const std::vector<float> a{1, 2, 3, 4}, b{5, 6, 7, 8};  // by columns
  void *x = nullptr, *y = nullptr, *z = nullptr;
  for (void** p : {&x, &y, &z}) ASSERT_EQ(cublasAlloc(4, sizeof(float), p), 0);
  ASSERT_EQ(cublasSetMatrix(2, 2, sizeof(float), a.data(), 2, x, 2), 0);
  ASSERT_EQ(cublasSetMatrix(2, 2, sizeof(float), b.data(), 2, y, 2), 0);
  const auto *p = static_cast<const float*>(x), *q = static_cast<const float*>(y);
  cublasSgemm('N', 't', 2, 2, 2, 1, p, 2, q, 2, 0, static_cast<float*>(z), 2);
  EXPECT_EQ(cublasGetError(), 0);
  std::vector<float> c(4);
  ASSERT_EQ(cublasGetMatrix(2, 2, sizeof(float), z, 2, c.data(), 2), 0);
  EXPECT_EQ(c, (std::vector<float>{26, 38, 30, 44}));
  EXPECT_EQ(cublasSdot(4, p, 1, q, 1), 70);
  cublasStrmm('L', 'L', 'N', 'U', 2, 2, 1, p, 2, static_cast<float*>(y), 2);
  EXPECT_EQ(cublasGetError(), 0);
  ASSERT_EQ(cublasGetMatrix(2, 2, sizeof(float), y, 2, c.data(), 2), 0);
  EXPECT_EQ(c, (std::vector<float>{5, 16, 7, 22}));
  cublasSgemm('X', 'N', 2, 2, 2, 1, p, 2, q, 2, 0, static_cast<float*>(z), 2);
  EXPECT_NE(cublasGetError(), 0);
  EXPECT_EQ(cublasFree(x), 0);
  EXPECT_EQ(cublasShutdown(), 0);
}

}  // namespace
