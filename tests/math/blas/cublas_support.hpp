// Helpers of the tests of cuBLAS: its functions, and matrices in host memory.
#pragma once

#include "math/blas/any_vectors.hpp"
#include "math/common/device_memory.hpp"
#include "support/registered_kernel.hpp"

using namespace bankwise::math;
template <class T>
using on_device = bankwise::test::on_device<T>;
using bankwise::test::small_numbers;

#define ENTRY(name, parameters, call) extern "C" int name parameters;
#include "math/blas/cublas_matrices.def"
#include "math/blas/cublas_products.def"
#include "math/blas/cublas_triangles.def"
#include "math/blas/cublas_vectors.def"
#undef ENTRY
struct xt_handle;
extern "C" {
int cublasCreate_v2(handle**);
int cublasDestroy_v2(handle*);
int cublasSetStream_v2(handle*, bankwise::cuda::stream*);
int cublasSetPointerMode_v2(handle*, int);
int cublasSetMathMode(handle*, int);
int cublasSetVector(int, int, const void*, int, void*, int);
int cublasGetVector(int, int, const void*, int, void*, int);
int cublasSetMatrix(int, int, int, const void*, int, void*, int);
int cublasGetMatrix(int, int, int, const void*, int, void*, int);
int cublasXtSsymm();
int cublasXtCreate(xt_handle**);
int cublasXtDestroy(xt_handle*);
int cublasXtDeviceSelect(xt_handle*, int, const int*);
int cublasXtSetBlockDim(xt_handle*, int);
int cublasXtGetBlockDim(xt_handle*, int*);
int cublasXtSgemm(xt_handle*, int, int, std::size_t, std::size_t, std::size_t, const float*, const float*, std::size_t,
                  const float*, std::size_t, const float*, float*, std::size_t);
int cublasXtZgemm(xt_handle*, int, int, std::size_t, std::size_t, std::size_t, const std::complex<double>*,
                  const std::complex<double>*, std::size_t, const std::complex<double>*, std::size_t,
                  const std::complex<double>*, std::complex<double>*, std::size_t);
const char* cublasGetStatusName(int);
}

namespace {

class Cublas : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cublasCreate_v2(&h), success); }
  void TearDown() override { EXPECT_EQ(cublasDestroy_v2(h), success); }
  handle* h = nullptr;
};

// A matrix that is stored column by column, with gaps between the columns.
template <class T>
struct matrix {
  index_t rows, columns, lead = rows + 2;
  std::vector<T> values = small_numbers<T>(static_cast<std::size_t>(lead * columns));
  T at(index_t i, index_t j) const { return values[static_cast<std::size_t>(j * lead + i)]; }
  T& at(index_t i, index_t j) { return values[static_cast<std::size_t>(j * lead + i)]; }
  // op(this)
  T seen(int o, index_t i, index_t j) const { return o == as_it_is ? at(i, j) : conjugate_if(o == adjoint, at(j, i)); }
};
template <class T>
matrix<T> for_operation(int o, index_t rows, index_t columns) {
  return o == as_it_is ? matrix<T>{rows, columns} : matrix<T>{columns, rows};
}

}  // namespace
