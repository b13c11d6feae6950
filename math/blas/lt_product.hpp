// Products of cuBLASLt with all epilogues (operations after the product):
//
//     d = activation(alpha * a_scale * b_scale * op(a) * op(b) + beta * c_scale * c + bias) * d_scale
#pragma once

#include "math/blas/lt_descriptors.hpp"
#include "math/common/general_product.hpp"

namespace bankwise::math {

// Bits of cublasLtEpilogue_t.
enum epilogue : int {
  relu = 2,
  add_bias = 4,
  relu_gradient = 8,
  bias_gradient = 16,
  gelu = 32,
  gelu_gradient = 64,
  auxiliary = 128,
  bias_gradient_a = 256,
  bias_gradient_b = 512,
};

status check(const lt_matmul& d, const lt_layout& a, const lt_layout& b, const lt_layout& c, const lt_layout& to);
status multiply_described(routine& r, const lt_matmul& d, const void* alpha, const void* a, const lt_layout& of_a,
                          const void* b, const lt_layout& of_b, const void* beta, const void* c, const lt_layout& of_c,
                          void* to, const lt_layout& of_to);
status transform_described(routine& r, const lt_transform& d, const void* alpha, const void* a, const lt_layout* of_a,
                           const void* beta, const void* b, const lt_layout* of_b, void* c, const lt_layout& of_c);

}  // namespace bankwise::math
