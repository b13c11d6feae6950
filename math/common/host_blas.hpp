// A function of the host's BLAS, found by its name without the letter of its type:
//
//     if (const blas_function<double> trsm("trsm", {m, n, lda, ldb}); trsm) {
//       trsm('L', 'U', 'N', 'N', m, n, &alpha, a, lda, b, ldb);                dtrsm_("L", "U", "N", "N", &m, &n, ...)
//       return;
//     }
//     ... our own loops
//
// Our own loops compute the result in three cases: there is no BLAS, the BLAS does not have the function, or a number
// does not fit into the integers of the BLAS.
#pragma once

#include <initializer_list>
#include <string_view>

#include "math/common/math_abi.hpp"
#include "math/common/numbers.hpp"
#include "math/common/products.hpp"

namespace bankwise::math {

// Returns null if our own loops must compute the result.
void* find_in_blas(char type, std::string_view name, std::initializer_list<index_t> numbers);
// Calls a function that has 6 to 13 arguments. The lists contain the addresses of the arguments.
void call_by_addresses(void* function, std::initializer_list<std::initializer_list<const void*>> arguments);

template <class T>
class blas_function {
 public:
  blas_function(std::string_view name, std::initializer_list<index_t> numbers)
      : function_(find_in_blas(letter(T()), name, numbers)) {}
  explicit operator bool() const { return function_ != nullptr; }
  void* address() const { return function_; }
  template <class... A>
  void operator()(const A&... a) const {
    call_fortran(function_, a...);
  }

 private:
  void* function_;
};

// Return the letters of BLAS for the enumerators of cuBLAS.
inline char letter_of_side(int where) { return where == left ? 'L' : 'R'; }
inline char letter_of_part(int part) { return part == lower ? 'L' : 'U'; }
inline char letter_of_operation(int o) { return o == as_it_is ? 'N' : o == transposed ? 'T' : 'C'; }
inline char letter_of_diagonal(bool unit) { return unit ? 'U' : 'N'; }

}  // namespace bankwise::math
