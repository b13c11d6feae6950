// Operations that real and complex numbers have in common:
//
//     wide<float>  double      real<cfloat>  float      conjugate_if(true, x)  x, or its conjugate if it is complex
#pragma once

#include <complex>
#include <type_traits>

namespace bankwise::math {

template <class T>
T conjugate_if(bool, T x) {
  return x;
}
template <class T>
std::complex<T> conjugate_if(bool yes, std::complex<T> x) {
  return yes ? std::conj(x) : x;
}

// A type with more digits. Sums are computed in this type, and rounded once.
template <class T>
struct wide_of {
  using type = double;
};
template <class T>
struct wide_of<std::complex<T>> {
  using type = std::complex<double>;
};
template <class T>
using wide = typename wide_of<T>::type;
template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<std::complex<T>> {
  using type = T;
};
template <class T>
using real = typename real_of<T>::type;
template <class T>
inline constexpr bool is_complex_type = !std::is_same_v<T, real<T>>;

// Returns the letter of a type in the names of BLAS and LAPACK.
inline constexpr char letter(float) { return 's'; }
inline constexpr char letter(double) { return 'd'; }
inline constexpr char letter(std::complex<float>) { return 'c'; }
inline constexpr char letter(std::complex<double>) { return 'z'; }

}  // namespace bankwise::math
