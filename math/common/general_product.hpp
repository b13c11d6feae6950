// General products of matrices (gemm): c = alpha * op(a) * op(b) + beta * c. A call computes one or more products.
// Elements have any type.
#pragma once

#include <memory>
#include <vector>

#include "math/common/routine.hpp"

namespace bankwise::math {

struct product_shape {
  operation of_a = as_it_is, of_b = as_it_is;
  index_t m = 0, n = 0, k = 0;
  int a_type = f32, b_type = f32, c_type = f32;
  index_t lda = 0, ldb = 0, ldc = 0;
  int computed_in = in_float;
};

inline index_t elements_of(index_t rows, index_t columns, index_t lead) {
  return rows <= 0 || columns <= 0 ? 0 : (columns - 1) * lead + rows;
}
inline index_t a_elements(const product_shape& p) {
  return p.of_a == as_it_is ? elements_of(p.m, p.k, p.lda) : elements_of(p.k, p.m, p.lda);
}
inline index_t b_elements(const product_shape& p) {
  return p.of_b == as_it_is ? elements_of(p.k, p.n, p.ldb) : elements_of(p.n, p.k, p.ldb);
}

// Returns invalid_value for types that do not exist, and not_supported for combinations of types that are not
// implemented.
status check(const product_shape& p);

// Returns the type of alpha and beta, which depends on the type in which a product is computed.
int scale_type(const product_shape& p);

// Returns what a GPU computes in so many products.
cuda::library_work gpu_work(const product_shape& p, index_t count);
// Returns the arithmetic of products of elements of this type. `computed_in`: a value of compute_type.
cuda::arithmetic arithmetic_of(int type, int computed_in);

void multiply_bytes(const product_shape& p, cdouble alpha, const std::byte* a, const std::byte* b, cdouble beta,
                    std::byte* c);

// A scalar. The handle's pointer mode determines whether the scalar is in host or in device memory.
struct any_scalar {
  cdouble value{};
  int type = f32;
  place<const std::byte> later;
  cdouble at(const view& v) const { return later.bytes != 0 ? number_of<cdouble>(later.at(v), type) : value; }
};
any_scalar parameter_of(routine& r, const void* p, int type);

status multiply_one(routine& r, const product_shape& p, const void* alpha, const void* a, const void* b,
                    const void* beta, void* c);
// Multiplies batches of matrices. A stride is the number of elements from the start of a matrix to the start of the
// next.
status multiply_strides(routine& r, const product_shape& asked, const void* alpha, const void* a, index_t a_stride,
                        const void* b, index_t b_stride, const void* beta, void* c, index_t c_stride, index_t count);
// Multiplies batches of matrices whose addresses are in arrays in device memory.
status multiply_pointers(routine& r, const product_shape& asked, const void* alpha, const void* const* a,
                         const void* const* b, const void* beta, void* const* c, index_t count);

template <class T>
product_shape shape_of(int of_a, int of_b, index_t m, index_t n, index_t k, index_t lda, index_t ldb, index_t ldc) {
  const int type = type_of(T());
  return {static_cast<operation>(of_a),
          static_cast<operation>(of_b),
          m,
          n,
          k,
          type,
          type,
          type,
          lda,
          ldb,
          ldc,
          type == f64 || type == c64 ? in_double
          : type == f16              ? in_half
                                     : in_float};
}

}  // namespace bankwise::math
