// Products of matrices. A BLAS of the host (such as OpenBLAS) computes the products. Without a BLAS, our own loops
// compute them. The first product searches for the BLAS. Matrices are stored by columns.
//
//     multiply(as_it_is, transposed, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
//                                              c = alpha * a * transpose of b + beta * c; c has m rows and n columns
//
// A product is divided into strips whose width depends only on the product's shape. One thread computes each strip, so
// results do not depend on the number of threads.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string_view>

#include "math/common/host_library.hpp"

namespace bankwise::math {

using index_t = std::int64_t;

enum operation : int { as_it_is, transposed, adjoint, conjugate };  // values of cublasOperation_t

template <class T>
void multiply(operation of_a, operation of_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda,
              const T* b, index_t ldb, T beta, T* c, index_t ldc);

// Returns the host's BLAS. Without a BLAS, the result is empty.
const host_library& the_blas();

// Returns the name of the library that computes products: "OpenBLAS", "libblas.so.3", "bankwise".
std::string_view computed_by();

// Calls body(i) for every i < count. `work` is the number of multiplications. If this number is large, several threads
// make the calls, so the calls must not depend on each other.
void for_each(index_t count, double work, const std::function<void(index_t)>& body);

// Calls body(first, size) for each strip of a range of this length. The width of a strip depends only on the length.
void for_each_strip(index_t length, double work, const std::function<void(index_t first, index_t size)>& body);

// While this object exists, the BLAS uses only the calling thread.
class one_thread {
 public:
  one_thread();

 private:
  library_alone alone_;
};

}  // namespace bankwise::math
