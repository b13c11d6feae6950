// If a toolkit is installed, compares our declarations of the math libraries' ABI with NVIDIA's declarations: every
// entry point takes and returns the same types, and enumerators have the same values.
#define DISABLE_CUSOLVER_DEPRECATED  // programs also call the deprecated functions
#define DISABLE_CUSPARSE_DEPRECATED
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusparse.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "math/blas/lt_descriptors.hpp"
#include "math/common/math_abi.hpp"
#include "math/common/products.hpp"

namespace {

namespace ours = bankwise::math;

// The form in which a caller passes a parameter: as an address, or as a number of this many bytes.
template <class T>
using passed = std::conditional_t<std::is_pointer_v<T>, void*, std::integral_constant<std::size_t, sizeof(T)>>;
template <class A, class B>
inline constexpr bool same_call = false;
template <class R, class... A, class Q, class... B>
inline constexpr bool same_call<R(A...), Q(B...)> =
    std::is_same_v<void(passed<R>, passed<A>...), void(passed<Q>, passed<B>...)>;

namespace entries {
using namespace ours;
struct handle;
struct half;  // declared as in NVIDIA's headers
struct sparse_matrix;
struct dense_matrix;
struct dense_vector;
struct sparse_vector;
struct matrix_description;
struct solver_description;
struct product_description;
struct pivot_info;
#define ENTRY(name, parameters, call) int name##_ours parameters;
#include "math/blas/cublas_matrices.def"
#include "math/blas/cublas_products.def"
#include "math/blas/cublas_triangles.def"
#include "math/blas/cublas_vectors.def"
#include "math/solver/cusolver_any.def"
#include "math/solver/cusolver_factors.def"
#include "math/solver/cusolver_sparse.def"
#include "math/solver/cusolver_spectra.def"
#include "math/sparse/cusparse_descriptors.def"
#include "math/sparse/cusparse_generic.def"
#include "math/sparse/cusparse_legacy.def"
#undef ENTRY
}  // namespace entries
// These three functions are overloaded in C++, so decltype cannot select them. Their variants with 64-bit indices come
// from the same rows, and are compared.
#define OVERLOADED_cublasGemmEx ~, SKIP
#define OVERLOADED_cublasGemmBatchedEx ~, SKIP
#define OVERLOADED_cublasGemmStridedBatchedEx ~, SKIP
#define COMPARE(name) static_assert(same_call<decltype(entries::name##_ours), decltype(::name)>, #name);
#define SKIP(name)
#define SECOND(a, b, ...) b
#define CHOOSE(...) SECOND(__VA_ARGS__)
#define ENTRY(name, parameters, call) CHOOSE(OVERLOADED_##name, COMPARE, )(name)
#include "math/blas/cublas_matrices.def"
#include "math/blas/cublas_products.def"
#include "math/blas/cublas_triangles.def"
#include "math/blas/cublas_vectors.def"
#include "math/solver/cusolver_any.def"
#include "math/solver/cusolver_factors.def"
#include "math/solver/cusolver_sparse.def"
#include "math/solver/cusolver_spectra.def"
#include "math/sparse/cusparse_descriptors.def"
#include "math/sparse/cusparse_generic.def"
#include "math/sparse/cusparse_legacy.def"
#undef ENTRY

#define SAME(our, their) static_assert(int{ours::our} == static_cast<int>(their))
SAME(not_initialized, CUBLAS_STATUS_NOT_INITIALIZED);
SAME(alloc_failed, CUBLAS_STATUS_ALLOC_FAILED);
SAME(invalid_value, CUBLAS_STATUS_INVALID_VALUE);
SAME(execution_failed, CUBLAS_STATUS_EXECUTION_FAILED);
SAME(not_supported, CUBLAS_STATUS_NOT_SUPPORTED);
SAME(f32, CUDA_R_32F);
SAME(f64, CUDA_R_64F);
SAME(f16, CUDA_R_16F);
SAME(i8, CUDA_R_8I);
SAME(c32, CUDA_C_32F);
SAME(c64, CUDA_C_64F);
SAME(i32, CUDA_R_32I);
SAME(bf16, CUDA_R_16BF);
SAME(e4m3, CUDA_R_8F_E4M3);
SAME(e5m2, CUDA_R_8F_E5M2);
SAME(in_half, CUBLAS_COMPUTE_16F);
SAME(in_float, CUBLAS_COMPUTE_32F);
SAME(in_float_fast_half, CUBLAS_COMPUTE_32F_FAST_16F);
SAME(in_float_fast_tf32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(in_double, CUBLAS_COMPUTE_64F);
SAME(in_integers, CUBLAS_COMPUTE_32I);
SAME(pointers_on_device, CUBLAS_POINTER_MODE_DEVICE);
SAME(upper, CUBLAS_FILL_MODE_UPPER);
SAME(right, CUBLAS_SIDE_RIGHT);
SAME(solver_not_initialized, CUSOLVER_STATUS_NOT_INITIALIZED);
SAME(solver_alloc_failed, CUSOLVER_STATUS_ALLOC_FAILED);
SAME(solver_invalid_value, CUSOLVER_STATUS_INVALID_VALUE);
SAME(solver_execution_failed, CUSOLVER_STATUS_EXECUTION_FAILED);
SAME(solver_not_supported, CUSOLVER_STATUS_NOT_SUPPORTED);
SAME(sparse_not_initialized, CUSPARSE_STATUS_NOT_INITIALIZED);
SAME(sparse_alloc_failed, CUSPARSE_STATUS_ALLOC_FAILED);
SAME(sparse_invalid_value, CUSPARSE_STATUS_INVALID_VALUE);
SAME(sparse_execution_failed, CUSPARSE_STATUS_EXECUTION_FAILED);
SAME(sparse_zero_pivot, CUSPARSE_STATUS_ZERO_PIVOT);
SAME(sparse_not_supported, CUSPARSE_STATUS_NOT_SUPPORTED);
SAME(csr, CUSPARSE_FORMAT_CSR);
SAME(csc, CUSPARSE_FORMAT_CSC);
SAME(coo, CUSPARSE_FORMAT_COO);
SAME(bsr, CUSPARSE_FORMAT_BSR);
SAME(index_16, CUSPARSE_INDEX_16U);
SAME(index_32, CUSPARSE_INDEX_32I);
SAME(index_64, CUSPARSE_INDEX_64I);
SAME(by_columns, CUSPARSE_ORDER_COL);
SAME(by_rows, CUSPARSE_ORDER_ROW);
SAME(fill_attribute, CUSPARSE_SPMAT_FILL_MODE);
SAME(diagonal_attribute, CUSPARSE_SPMAT_DIAG_TYPE);
SAME(direction_column, CUSPARSE_DIRECTION_COLUMN);
SAME(adjoint, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
SAME(lower, CUSPARSE_FILL_MODE_LOWER);
SAME(range_all, CUSOLVER_EIG_RANGE_ALL);
SAME(range_of_numbers, CUSOLVER_EIG_RANGE_I);
SAME(range_of_values, CUSOLVER_EIG_RANGE_V);

static_assert(sizeof(ours::lt_layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));
static_assert(sizeof(ours::lt_matmul) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(ours::lt_transform) <= sizeof(cublasLtMatrixTransformDescOpaque_t));
static_assert(sizeof(ours::lt_preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));

// Returns the offset of an attribute's value in an object of type D.
template <class D>
std::size_t place(int attribute) {
  return ours::find_attribute<D>(attribute).at;
}
TEST(MathAbi, AttributesHaveTheirNumbers) {
  using ours::lt_layout, ours::lt_matmul, ours::lt_preference, ours::lt_transform;
  EXPECT_EQ(place<lt_layout>(CUBLASLT_MATRIX_LAYOUT_ORDER), offsetof(lt_layout, order));
  EXPECT_EQ(place<lt_layout>(CUBLASLT_MATRIX_LAYOUT_LD), offsetof(lt_layout, lead));
  EXPECT_EQ(place<lt_layout>(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET), offsetof(lt_layout, stride));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_TRANSB), offsetof(lt_matmul, of_b));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_EPILOGUE), offsetof(lt_matmul, epilogue));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_BIAS_POINTER), offsetof(lt_matmul, bias));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD), offsetof(lt_matmul, aux_lead));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER), offsetof(lt_matmul, d_scale));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER), offsetof(lt_matmul, d_most));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE), offsetof(lt_matmul, bias_type));
  EXPECT_EQ(place<lt_matmul>(CUBLASLT_MATMUL_DESC_A_SCALE_MODE), offsetof(lt_matmul, modes));
  EXPECT_EQ(place<lt_transform>(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA), offsetof(lt_transform, of_a));
  EXPECT_EQ(place<lt_preference>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES), offsetof(lt_preference, workspace));
}

}  // namespace
