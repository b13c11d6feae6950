// Our own declarations of enumerators in the C ABI of cuBLAS and similar libraries. tests/math/common/math_abi_test.cpp
// compares them with NVIDIA's headers if the headers are installed.
#pragma once

#include <complex>
#include <cstdint>

namespace bankwise::math {

enum status : int {
  success,
  not_initialized,
  alloc_failed = 3,
  invalid_value = 7,
  zero_pivot = 9,  // this status exists only in cuSPARSE
  execution_failed = 13,
  not_supported = 15,
};

// cusolverStatus_t.
enum solver_status : int {
  solved,
  solver_not_initialized,
  solver_alloc_failed,
  solver_invalid_value,
  solver_execution_failed = 6,
  solver_not_supported = 9,
};
// cusparseStatus_t.
enum sparse_status : int {
  sparse_success,
  sparse_not_initialized,
  sparse_alloc_failed,
  sparse_invalid_value,
  sparse_execution_failed = 6,
  sparse_zero_pivot = 9,
  sparse_not_supported,
};

// cudaDataType_t.
enum element : int {
  f32 = 0,
  f64 = 1,
  f16 = 2,
  i8 = 3,
  c32 = 4,
  c64 = 5,
  i32 = 10,
  bf16 = 14,
  e4m3 = 28,
  e5m2 = 29,
};

// cublasComputeType_t.
enum compute_type : int {
  in_half = 64,
  in_half_pedantic = 65,
  in_float = 68,
  in_float_pedantic = 69,
  in_double = 70,
  in_double_pedantic = 71,
  in_integers = 72,
  in_integers_pedantic = 73,
  in_float_fast_half = 74,
  in_float_fast_bfloat = 75,
  in_float_fast_tf32 = 77,
  in_float_emulated = 78,
  in_double_emulated = 79,
};

enum pointer_mode : int { pointers_on_host, pointers_on_device };
enum triangle : int { lower, upper, full_matrix };
enum side : int { left, right };
enum eigen_range : int { range_all = 1001, range_of_numbers, range_of_values };  // values of cusolverEigRange_t

// Types of cuSPARSE: cusparseFormat_t, cusparseIndexType_t, cusparseOrder_t, cusparseSpMatAttribute_t,
// cusparseDirection_t.
enum sparse_format : int { csr = 1, csc, coo, bsr = 6 };
enum index_type : int { index_16 = 1, index_32, index_64 };
enum element_order : int { by_columns = 1, by_rows };
enum sparse_attribute : int { fill_attribute, diagonal_attribute };
enum block_direction : int { direction_row, direction_column };

struct half {
  std::uint16_t bits;
};
struct bfloat16 {
  std::uint16_t bits;
};
using cfloat = std::complex<float>;
using cdouble = std::complex<double>;

}  // namespace bankwise::math
