// Functions of a LAPACK of the host, which factors matrices and finds their eigenvalues for cuSOLVER: OpenBLAS, liblapack, or what
// numpy has brought into the process, looked for when the first is called. Matrices lie in columns.
//
//     index_t info = lapack<double>("potrf", 'L', n, a, lda);                        dpotrf_("L", &n, a, &lda, &info)
//     lapack_with_work<cfloat>("orgqr", {m, n, n}, a, lda, tau)                     cungqr_, with the work area that it asks for
//
// Numbers go as 64 bits, of which a library with integers of 32 bits reads the lower half; arrays of them are `lapack_integers`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "math/routine.hpp"

namespace bankwise::math {

// "OpenBLAS", "liblapack.so.3", "numpy's OpenBLAS"; empty: there is none, which has been said, once, with what brings one.
std::string_view lapack_name();
// By its name there without the letter of a type, "potrf"; null if the library does not have it.
void* find_lapack(char type, std::string_view name);
bool has_long_integers();

// While it lives, the library uses the thread that calls it, and no others: results are the same on any machine.
class lapack_alone {
 public:
  lapack_alone();
  ~lapack_alone();
  lapack_alone(const lapack_alone&) = delete;
  lapack_alone& operator=(const lapack_alone&) = delete;

 private:
  int before_ = 0;
};

inline constexpr char letter(float) { return 's'; }
inline constexpr char letter(double) { return 'd'; }
inline constexpr char letter(cfloat) { return 'c'; }
inline constexpr char letter(cdouble) { return 'z'; }
template <class T>
inline constexpr bool is_complex_type = !std::is_same_v<T, real<T>>;

// Integers in memory, as wide as the library has them.
class lapack_integers {
 public:
  explicit lapack_integers(index_t count) : words_(static_cast<std::size_t>(std::max<index_t>(count, 1))) {}
  template <class I>
  lapack_integers(const I* from, index_t count) : lapack_integers(count) {
    for (index_t i = 0; i < count; ++i) set(i, from[i]);
  }
  index_t operator[](index_t i) const { return has_long_integers() ? words_[at(i)] : shorts()[i]; }
  void set(index_t i, index_t value) {
    if (has_long_integers())
      words_[at(i)] = value;
    else
      shorts()[i] = static_cast<std::int32_t>(value);
  }
  std::int64_t* data() { return words_.data(); }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  std::int32_t* shorts() { return reinterpret_cast<std::int32_t*>(words_.data()); }
  const std::int32_t* shorts() const { return reinterpret_cast<const std::int32_t*>(words_.data()); }
  std::vector<std::int64_t> words_;
};

namespace detail {
inline const char* passed(const char& c) { return &c; }
inline const index_t* passed(const index_t& i) { return &i; }
template <class T>
T* passed(T* const& p) {
  return p;
}
// The lengths of letters come last; a function that has fewer does not look at the others.
template <class... A>
void call_fortran(void* function, const A&... a) {
  using fortran = void (*)(decltype(passed(a))..., std::size_t, std::size_t, std::size_t, std::size_t);
  reinterpret_cast<fortran>(function)(passed(a)..., 1, 1, 1, 1);
}
// What is symmetric or orthogonal of real numbers is Hermitian or unitary of complex ones.
std::string name_for_complex(std::string_view name);
template <class T>
void* function_of(std::string_view name) {
  return find_lapack(letter(T()), is_complex_type<T> ? name_for_complex(name) : std::string(name));
}
}  // namespace detail

// What it returns is LAPACK's info.
template <class T, class... A>
int lapack(std::string_view name, const A&... a) {
  index_t info = 0;
  detail::call_fortran(detail::function_of<T>(name), a..., &info);
  return static_cast<int>(static_cast<std::int32_t>(info));
}

inline index_t asked_for(double elements) { return std::max<index_t>(1, static_cast<index_t>(elements * (1 + 1e-6))); }

// Of a function whose last arguments are a work area, its length and info.
template <class T, class... A>
int lapack_with_work(std::string_view name, const A&... a) {
  T first{};
  if (const int info = lapack<T>(name, a..., &first, index_t{-1}); info != 0) return info;
  std::vector<T> work(static_cast<std::size_t>(asked_for(std::real(first))));
  return lapack<T>(name, a..., work.data(), static_cast<index_t>(work.size()));
}

// The body of an entry point that LAPACK computes.
template <class F>
status perform_by_lapack(routine& r, F compute) {
  const std::string_view name = lapack_name();
  if (name.empty()) r.refuse(not_supported);
  r.by(name);
  return r.perform([=](const view& v) {
    const lapack_alone alone;
    compute(v);
  });
}

}  // namespace bankwise::math
